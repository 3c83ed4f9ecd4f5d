import { html, isolate, type Markup } from '#server/platform/mail/letter.ts';
import { longDate } from '#server/platform/mail/mail-day.ts';
import { addressed, type Mail, numberWord, ownerMail, plural, type ToOwner } from './release.emails.ts';
import { contactMail, type ToContact } from './release-contacts.emails.ts';
import type { OpenState } from './release-facts.rules.ts';

/** After a restore: what the owner did since the backup was made, nobody here knows. */
export function ownerRestoredEmail(owner: ToOwner & { checkInUrl: string; backupAt: Date; state: OpenState }): Mail {
  const backupDay = longDate(owner.backupAt);
  return ownerMail(owner, {
    subject: addressed(owner.firstName, 'please check in: we had to take our records back'),
    paragraphs: [
      html`Something went wrong here, and we had to take our records back to ${backupDay}. If you have checked in since, or stopped a release, we no longer know it. ${whereItStands(owner)}`,
      html`If you are well, press Check in. It stops everything at once.`,
      html`Nothing is sent to the people you wrote to, and no more of your contacts are asked, before somebody here has looked. Every time to wait counts again from today.`,
      html`When you are here, please look at your messages and contacts: what you changed after ${backupDay} is missing.`,
    ],
    action: { label: 'Check in', url: owner.checkInUrl },
  });
}

function whereItStands({ state, lastActivityAt }: { state: OpenState; lastActivityAt: Date }): string {
  switch (state) {
    case 'reminded':
    case 'warned':
      return `As far as we know, you were last here on ${longDate(lastActivityAt)}.`;
    case 'asking':
    case 'holding':
    case 'paused':
      return 'As far as we know, your trusted contacts were being asked about you.';
    case 'releasing':
    case 'released':
      return 'As far as we know, your messages were being delivered.';
  }
}

type AskedAgain = ToContact & {
  backupAt: Date;
  /** Asked for before the owner's period of silence was over. */
  isEarly: boolean;
  lastActivityAt: Date;
  portalUrl: string;
  /** How many days there are to answer before silence alone delivers; null where people alone decide. */
  answerDays: number | null;
  /** How many must confirm, of how many there are. */
  quorum: number;
  contactCount: number;
};

/** After a restore: what a contact answered since the backup was made, nobody here knows, and a cancel may be among it. */
export function contactRestoredEmail(contact: AskedAgain): Mail {
  const { ownerName, isEarly, lastActivityAt, portalUrl } = contact;
  const [owner, backupDay] = [isolate(contact.ownerFirstName), longDate(contact.backupAt)];
  const why = isEarly
    ? html`Somebody had asked us to release ${owner}’s messages early.`
    : html`We had not heard from ${owner} since ${longDate(lastActivityAt)}, and two reminders had no answer.`;
  return contactMail(contact, {
    subject: `${ownerName}: please answer again, we had to take our records back`,
    paragraphs: [
      html`Something went wrong here, and we had to take our records back to ${backupDay}. On that day our question to you about ${isolate(ownerName)} was open. If you have answered since, we no longer know it: please answer again.`,
      html`${why} If you know that ${owner} is well, choose Cancel Release. If ${owner} has died or cannot act, choose Confirm Message Release.`,
      html`Nothing is delivered before somebody here has looked. ${whatFollows(contact)}`,
      html`Please use the link in this email. Those in our earlier ones take no answer any more.`,
    ],
    action: { label: 'Tell us what you know', url: portalUrl },
  });
}

function whatFollows({ answerDays, ownerFirstName, quorum, contactCount }: AskedAgain): Markup {
  const owner = isolate(ownerFirstName);
  if (answerDays === null) {
    const who =
      contactCount === 1 ? 'you confirm' : `${numberWord(quorum)} of you ${quorum === 1 ? 'confirms' : 'confirm'}`;
    return html`After that, nothing is delivered unless ${who}.`;
  }
  const earliest = answerDays > 0 ? html`, ${plural(answerDays, 'day')} from now at the earliest` : '';
  return html`After that, if nobody answers, ${owner}’s messages will be delivered${earliest}, as ${owner} asked.`;
}
