import { waitingDaysDefault } from '#shared/rules/inactivity.ts';

/** Steps of a visitor. A signed-in person skips the step that opens an account. */
const visitorSteps = ['welcome', 'settings', 'contact', 'message', 'account', 'done'] as const;
export type StepName = (typeof visitorSteps)[number];

export const partNames = ['settings', 'contact', 'message'] as const;
/** Parts that the wizard saves, in that order. */
export type PartName = (typeof partNames)[number];

/** `waitingDays`: as typed. */
export type SettingsWords = { phone: string; inactivityDays: number; waitingDays: string };
export type ContactWords = { name: string; email: string; relationship: string; phone: string };
export type MessageWords = { title: string; content: string; recipientEmail: string };
export type AccountWords = { email: string; firstName: string; lastName: string };

/** Unsaved answers of the wizard, kept on this device until they are in a vault. A password is never among them. */
export type Answers = {
  /** Kind of form. A visitor's form stays one until its end, though they are signed in for the last step. */
  form: 'visitor' | 'owner';
  step: StepName;
  settings: SettingsWords;
  contact: ContactWords;
  message: MessageWords;
  account: AccountWords;
  /** True if the account of a visitor's form is open, so that the answers can be saved in it. */
  isAccountOpen: boolean;
  /** Parts of a visitor's form that are in the vault. */
  saved: readonly PartName[];
  /** Reason why a part could not be saved, as a sentence. */
  problem: string | null;
  /** True if the owner writes a further message. */
  isAddingMessage: boolean;
};

/** Period that the wizard recommends. A new account starts with another one until its owner chooses. */
export const recommendedDays = 180;

export const emptyContact: ContactWords = { name: '', email: '', relationship: '', phone: '' };
export const emptyMessage: MessageWords = { title: '', content: '', recipientEmail: '' };

export const emptyAnswers: Answers = {
  form: 'visitor',
  step: 'welcome',
  settings: { phone: '', inactivityDays: recommendedDays, waitingDays: String(waitingDaysDefault) },
  contact: emptyContact,
  message: emptyMessage,
  account: { email: '', firstName: '', lastName: '' },
  isAccountOpen: false,
  saved: [],
  problem: null,
  isAddingMessage: false,
};

export function stepsOf(form: Answers['form']): readonly StepName[] {
  return form === 'visitor' ? visitorSteps : visitorSteps.filter((step) => step !== 'account');
}

/** Returns the next or the previous step of the form. At either end it returns the step itself. */
export function stepFrom({ form, step }: Pick<Answers, 'form' | 'step'>, places: 1 | -1): StepName {
  const steps = stepsOf(form);
  return steps[steps.indexOf(step) + places] ?? step;
}

/** True if nothing was typed into a part. */
export function isBlank(words: Record<string, string>): boolean {
  return Object.values(words).every((value) => value.trim() === '');
}

/** True if the settings are still the ones that the wizard fills in. */
export function isAsOffered({ phone, inactivityDays, waitingDays }: SettingsWords): boolean {
  const { settings } = emptyAnswers;
  return phone.trim() === '' && inactivityDays === settings.inactivityDays && waitingDays === settings.waitingDays;
}

/** True if anything was typed that a person would miss. */
export function hasWords({ settings, contact, message, account }: Answers): boolean {
  return !isAsOffered(settings) || !isBlank(contact) || !isBlank(message) || !isBlank(account);
}

/** Unsaved parts of a visitor's form. The settings are always among them, because the shown choice must apply. */
export function partsToSave({ contact, message, saved }: Answers): PartName[] {
  const isWanted = { settings: true, contact: !isBlank(contact), message: !isBlank(message) };
  return partNames.filter((part) => isWanted[part] && !saved.includes(part));
}

/** A part is in the vault: its words are not needed here any more. */
export function withoutPart(answers: Answers, part: PartName): Answers {
  const saved = [...answers.saved.filter((name) => name !== part), part];
  if (part === 'contact') return { ...answers, saved, contact: emptyContact };
  if (part === 'message') return { ...answers, saved, message: emptyMessage };
  return { ...answers, saved };
}

/**
 * Answers after a visitor signed in to an existing account: the visitor's parts replace those typed while signed in.
 * Nothing is saved until they press Continue.
 */
export function adopted(own: Answers | undefined, visitors: Answers): Answers {
  const base = own ?? { ...emptyAnswers, form: 'owner', step: ownerStep(visitors.step) };
  return {
    ...base,
    settings: isAsOffered(visitors.settings) ? base.settings : visitors.settings,
    contact: isBlank(visitors.contact) ? base.contact : visitors.contact,
    message: isBlank(visitors.message) ? base.message : visitors.message,
    isAddingMessage: base.isAddingMessage || !isBlank(visitors.message),
  };
}

/** Signed in, each part is saved by its own step, so it begins again with the first of them. */
function ownerStep(step: StepName): StepName {
  return step === 'welcome' ? 'welcome' : 'settings';
}
