import { html } from '#server/platform/mail/letter.ts';
import { addressed, longDate, type Mail, ownerMail, type ToOwner } from './release.emails.ts';
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
