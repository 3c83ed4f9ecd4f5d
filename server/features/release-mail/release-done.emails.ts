import { html, isolate } from '#server/platform/mail/letter.ts';
import { releasedDocumentDays } from '#shared/rules/retention.ts';
import type { Mail } from './release.emails.ts';
import { contactMail, type ToContact } from './release-contacts.emails.ts';

/**
 * Messages of a release. `arrived` reached a reader, `partly` of these not all readers, and `failed` none. `later` wait for a
 * day of their own.
 */
export type ReleasedMessages = { arrived: number; partly: number; failed: number; later: number };

/**
 * Notifies a contact that every letter due has ended, with the number of messages and nothing of their content. Other
 * emails report letters that did not arrive. `waiting`: sentence about letters that wait for a day of their own, empty
 * if there are none.
 */
export function contactReleasedEmail(
  contact: ToContact,
  {
    keepsPage,
    messages,
    waiting = '',
    endsPlan = false,
  }: { keepsPage: boolean; messages: ReleasedMessages; waiting?: string; endsPlan?: boolean },
): Mail {
  const owner = isolate(contact.ownerFirstName);
  const { arrived, partly, failed } = messages;
  const documents = keepsPage
    ? [
        html`If ${owner} left documents for trusted contacts, you can download them for ${releasedDocumentDays} days on the page that we sent you before.`,
      ]
    : [];
  return contactMail(contact, {
    subject: `${contact.ownerName}: ${releasedSubject(messages)}`,
    paragraphs: [
      ...(arrived > 0
        ? [html`${countOf(arrived)} that ${owner} wrote ${arrived === 1 ? 'has' : 'have'} been delivered.`]
        : []),
      ...(failed + partly > 0
        ? [html`${missedWords(messages)} We email you about the people we could not reach, and ask for your help.`]
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

function missedWords({ partly, failed }: ReleasedMessages): string {
  return [
    failed > 0 ? `${countOf(failed)} did not arrive.` : '',
    partly > 0 ? `${countOf(partly)} did not reach all of ${partly === 1 ? 'its' : 'their'} readers.` : '',
  ]
    .filter(Boolean)
    .join(' ');
}

function releasedSubject({ arrived, partly, failed, later }: ReleasedMessages): string {
  if (arrived > 0 && failed > 0) return `${arrived} of ${arrived + failed} messages have been delivered`;
  if (arrived > 0)
    return partly > 0 ? 'the messages have been delivered, but not to all readers' : 'the messages have been delivered';
  if (failed > 0) return 'the messages could not be delivered';
  return later > 0 ? 'the messages wait for their day' : 'the release has ended';
}

function countOf(messages: number): string {
  return messages === 1 ? 'One message' : `${messages} messages`;
}
