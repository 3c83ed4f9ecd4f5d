import type { ReleaseOverview } from '#shared/contract/release/release.ts';

export type Problem = ReleaseOverview['problems'][number];

const blocking: readonly Problem['type'][] = [
  'email_not_verified',
  'frozen',
  'nothing_could_ever_be_released',
  'contacts_out_of_reach',
  'nobody_to_ask',
  'no_ready_message',
  'mail_not_set_up',
  'mail_down',
  'clock_behind',
];

/** True if the problem makes every release impossible. Other problems are warnings. */
export function isBlocking({ type }: Problem): boolean {
  return blocking.includes(type);
}

export const problemWords: Record<Problem['type'], string> = {
  email_not_verified: 'Your email address is not verified. Until it is, nothing can be sent to anybody.',
  frozen: 'Releases are stopped for now by the people who run this service. Nothing is delivered until they go on.',
  nothing_could_ever_be_released:
    'Nothing could ever be released: you chose release by trusted contacts, and you have none who has accepted and is switched on.',
  contacts_out_of_reach:
    'As things stand, nothing could be released: you chose release by trusted contacts, and too few of their mailboxes accept our emails. Check their addresses.',
  no_ready_message:
    'None of your messages is marked as ready, so nothing would be delivered and nobody would be asked.',
  documents_alone:
    'None of your messages is marked as ready. After a long silence your contacts would be asked and could read the documents that you show them, and no message would be delivered.',
  no_confirmed_contact:
    'You have no trusted contact who has accepted and is switched on. After a long silence your messages would be delivered without anybody being asked.',
  nobody_to_ask:
    'Email servers refuse our mail to you, and you have no trusted contact who has accepted and is switched on. While this lasts, your messages stay here and nobody receives them.',
  own_mail_refused:
    'Emails that we sent to you in the last 30 days were refused. Make sure that your mailbox accepts our mail: it may be full, or block us.',
  address_bounced:
    'Your mailbox refused our reminders. Make sure it accepts mail again: it may be full, or closed. The address of an account cannot be changed; if you have lost the mailbox, take your vault with you to a new account with Data Export.',
  contact_bounced:
    'An email to one of your trusted contacts was refused permanently, so we could not ask them. Check their addresses.',
  letter_bounced:
    'A message could not be delivered: the address of its recipient was refused permanently. Check who your messages go to.',
  mail_not_set_up: 'No mail server is set up here. Emails stay on this machine and reach nobody.',
  mail_down:
    'None of our emails has got through for a day or longer. Until they do, no release moves on, and no time to answer runs out.',
  clock_behind:
    'The clock of this service is behind. Until it is right, no release moves on, and no time to answer runs out.',
};
