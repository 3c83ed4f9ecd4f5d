import { html, isolate } from '#server/platform/mail/letter.ts';
import { releasedDocumentDays } from '#shared/rules/retention.ts';
import type { Mail } from './release.emails.ts';
import { contactMail, type ToContact } from './release-contacts.emails.ts';

/** Letters of a release by what became of them. `later` wait for a day of their own. */
export type ReleasedLetters = { arrived: number; failed: number; later: number };

/**
 * Tells a contact that every letter that was due has ended, with the number of letters and nothing of their content. Other emails tell of
 * letters that did not arrive. `waiting` says what waits for a day of its own; empty if nothing does.
 */
export function contactReleasedEmail(
  contact: ToContact,
  {
    keepsPage,
    letters,
    waiting = '',
    endsPlan = false,
  }: { keepsPage: boolean; letters: ReleasedLetters; waiting?: string; endsPlan?: boolean },
): Mail {
  const owner = isolate(contact.ownerFirstName);
  const { arrived, failed } = letters;
  const documents = keepsPage
    ? [
        html`If ${owner} left documents for trusted contacts, you can download them for ${releasedDocumentDays} days on the page that we sent you before.`,
      ]
    : [];
  return contactMail(contact, {
    subject: `${contact.ownerName}: ${releasedSubject(letters)}`,
    paragraphs: [
      ...(arrived > 0
        ? [html`${countOf(arrived)} that ${owner} wrote ${arrived === 1 ? 'has' : 'have'} been delivered.`]
        : []),
      ...(failed > 0
        ? [
            html`${countOf(failed)} did not arrive. We email you about the people we could not reach, and ask for your help.`,
          ]
        : []),
      ...(waiting ? [html`${waiting} It is sent on its day, and there is nothing you need to do.`] : []),
      ...documents,
      ...(endsPlan
        ? [html`${owner}’s paid plan ends with the period that is paid for. Nothing is charged after that.`]
        : []),
      html`Thank you for being there for ${owner}.`,
    ],
  });
}

function releasedSubject({ arrived, failed, later }: ReleasedLetters): string {
  if (arrived > 0)
    return failed > 0
      ? `${arrived} of ${arrived + failed} messages have been delivered`
      : 'the messages have been delivered';
  if (failed > 0) return 'the messages could not be delivered';
  return later > 0 ? 'the messages wait for their day' : 'the release has ended';
}

function countOf(messages: number): string {
  return messages === 1 ? 'One message' : `${messages} messages`;
}
