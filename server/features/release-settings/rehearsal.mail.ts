import { type Mail, ownerAskedEmail, ownerReleasingEmail } from '#server/features/release/release.emails.ts';
import { contactAskedEmail, contactReleasedEmail } from '#server/features/release/release-contacts.emails.ts';
import { firstReminderEmail, lastReminderEmail } from '#server/features/release/release-reminders.emails.ts';
import { html, isolate, type Markup, withNote } from '#server/platform/mail/letter.ts';
import { longDate } from '#server/platform/mail/mail-day.ts';
import { type RehearsalStep, silentDaysAt } from './rehearsal.rules.ts';

/** Whom an email would reach. */
export type RehearsalPerson = { kind: 'you' | 'contact' | 'recipient'; name: string | null; email: string };

export type RehearsedMail = { step: RehearsalStep; at: Date | null; to: RehearsalPerson; mail: Mail };

export type RehearsalCast = {
  baseUrl: string;
  /** Without a first name, the owner is greeted without one, and contacts read the whole name. */
  owner: { firstName: string | null; fullName: string; email: string; lastActivityAt: Date };
  contacts: readonly { name: string; email: string }[];
  letters: readonly { recipientEmail: string }[];
  readyMessages: number;
  /** How many contacts must confirm. */
  quorum: number;
  answerDays: number;
  times: Record<RehearsalStep, number | null>;
  /** When letters go out by themselves; null where people decide. */
  deliverAt: Date | null;
  /** The email that brings a letter, with this link in it. */
  letterMail: (link: string) => Mail;
};

/**
 * Every email of a release, oldest first, written by the very functions that write the real ones. Their links lead to a
 * page that says what they are, and act on nothing.
 */
export function rehearsedMails(cast: RehearsalCast): RehearsedMail[] {
  const { baseUrl, owner, contacts, letters, readyMessages, quorum, answerDays, times, deliverAt } = cast;
  const dateOf = (step: RehearsalStep) => (times[step] === null ? null : new Date(times[step]));
  const link = (to: 'check-in' | 'portal' | 'letter') => `${baseUrl}/rehearsal/${to}`;
  const you: RehearsalPerson = { kind: 'you', name: owner.fullName, email: owner.email };
  const toOwner = (step: RehearsalStep) => ({
    firstName: owner.firstName ?? '',
    baseUrl,
    lastActivityAt: owner.lastActivityAt,
    silentDays: silentDaysAt(times[step] ?? owner.lastActivityAt.getTime(), owner.lastActivityAt.getTime()),
    contactNames: contacts.map(({ name }) => name.trim().split(/\s+/)[0] ?? name),
    checkInUrl: link('check-in'),
    readyMessages,
    deliverAt,
    askAt: dateOf('contact_asked') ?? owner.lastActivityAt,
    lastReminderAt: dateOf('last_reminder') ?? owner.lastActivityAt,
  });
  const toContact = (name: string) => ({
    contactName: name,
    ownerName: owner.fullName,
    ownerFirstName: owner.firstName || owner.fullName,
    baseUrl,
    cause: 'silence' as const,
    lastActivityAt: owner.lastActivityAt,
    portalUrl: link('portal'),
    deadline: deliverAt === null ? null : { days: answerDays },
    quorum,
    contactCount: contacts.length,
  });
  const toOwnerAt = (step: RehearsalStep, mail: Mail): RehearsedMail => ({ step, at: dateOf(step), to: you, mail });
  const people = contacts.map(({ name, email }) => ({ to: { kind: 'contact' as const, name, email }, name }));

  return [
    toOwnerAt('first_reminder', firstReminderEmail(toOwner('first_reminder'))),
    toOwnerAt('last_reminder', lastReminderEmail(toOwner('last_reminder'))),
    toOwnerAt('owner_asked', ownerAskedEmail(toOwner('owner_asked'))),
    ...people.map(({ to, name }) => ({
      step: 'contact_asked' as const,
      at: dateOf('contact_asked'),
      to,
      mail: contactAskedEmail(toContact(name)),
    })),
    toOwnerAt('owner_releasing', ownerReleasingEmail(toOwner('owner_releasing'))),
    ...letters.map(({ recipientEmail }) => ({
      step: 'letter' as const,
      at: dateOf('letter'),
      to: { kind: 'recipient' as const, name: null, email: recipientEmail },
      mail: cast.letterMail(link('letter')),
    })),
    ...people.map(({ to, name }) => ({
      step: 'contact_released' as const,
      at: dateOf('contact_released'),
      to,
      mail: contactReleasedEmail(toContact(name), { keepsPage: true }),
    })),
  ];
}

/** The copy that goes to the owner: whoever finds it cannot take it for the real one. */
export function rehearsalCopy({ at, to, mail }: RehearsedMail): Mail {
  const marked = withNote(mail, noteOf(at, to));
  return { subject: `Rehearsal: ${mail.subject}`, html: marked.html, text: marked.text };
}

function noteOf(at: Date | null, to: RehearsalPerson): Markup {
  const who =
    to.kind === 'you' ? html`You` : to.name ? html`${isolate(to.name)} (${isolate(to.email)})` : isolate(to.email);
  const when = at ? html`on ${longDate(at)}` : html`once enough of your contacts have confirmed`;
  return html`This is a rehearsal that you asked for. ${who} would get this email ${when}. It went to you alone, and its links do nothing.`;
}
