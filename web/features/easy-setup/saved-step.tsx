import type { TrustedContact } from '#shared/contract/contacts.ts';
import { Icon } from '#web/components/ui/icon.tsx';
import { counted } from '#web/lib/format.ts';
import type { PartName } from './answers.rules.ts';
import { StepForm } from './step-form.tsx';
import type { Wizard } from './use-wizard.ts';

/** Content of the signed-in person's vault. */
export type VaultFacts = {
  profile: {
    phone: string | null;
    isPhoneProven: boolean;
    releaseMethod: string;
    inactivityDays: number;
    hasChosenSettings: boolean;
  };
  contacts: readonly Pick<TrustedContact, 'name'>[];
  /** Number of letters. */
  letters: number;
};

/** Stands in the place of a form whose answer is in the vault already. */
export function SavedStep({ wizard, part, vault }: { wizard: Wizard; part: PartName; vault: VaultFacts | null }) {
  const { title, text } = wordsFor(part, vault);
  return (
    <StepForm wizard={wizard}>
      <div className="card setup-card setup-saved">
        <p className="setup-tick">
          <Icon name="check" />
          <b>{title}</b>
        </p>
        <p>{text}</p>
      </div>
    </StepForm>
  );
}

function wordsFor(part: PartName, vault: VaultFacts | null): { title: string; text: string } {
  if (part === 'settings') return { title: 'Your safety settings are saved.', text: settingsWords(vault) };
  if (part === 'contact') {
    const [first, ...others] = vault?.contacts ?? [];
    const who =
      first && others.length === 0 ? `${first.name} is your trusted person.` : 'You have named your trusted people.';
    const title = first ? who : 'Your trusted person is saved.';
    return { title, text: 'You can see whether they have accepted, and name others, under Trusted Contacts.' };
  }
  const count = vault?.letters ?? 0;
  return {
    title: count > 0 ? `You have written ${counted(count, 'message')}.` : 'Your message is saved.',
    text: `You can read ${count > 1 ? 'them, change them' : 'it, change it'} and write others under Messages.`,
  };
}

function settingsWords(vault: VaultFacts | null): string {
  const change = 'You can change the time and the phone number on your dashboard at any time.';
  if (!vault) return change;
  const { releaseMethod, inactivityDays } = vault.profile;
  const when =
    releaseMethod === 'inactivity'
      ? `We ask your trusted people when we have not heard from you for ${inactivityDays} days.`
      : 'Your messages go out only when a trusted person starts it.';
  return `${when} ${phoneWords(vault.profile)} ${change}`;
}

function phoneWords({ phone, isPhoneProven }: VaultFacts['profile']): string {
  if (!phone) return 'Reminders go to your email address.';
  return isPhoneProven
    ? `Reminders also go to ${phone}.`
    : `Reminders also go to ${phone} once you have typed our code on your dashboard.`;
}
