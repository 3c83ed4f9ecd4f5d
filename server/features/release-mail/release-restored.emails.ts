import { restartDays } from '#server/features/release-core/model.rules.ts';
import { html } from '#server/platform/mail/letter.ts';
import { longDate } from '#server/platform/mail/mail-day.ts';
import { addressed, type Mail, ownerMail, type ToOwner } from './release.emails.ts';
import { plural } from './release.words.ts';

/** Mail to an owner after a restore: actions since the backup are lost. */
export function ownerRestoredEmail(
  owner: ToOwner & { checkInUrl: string; backupAt: Date; isReleasing: boolean },
): Mail {
  const backupDay = longDate(owner.backupAt);
  const standing = owner.isReleasing
    ? 'As far as we know, your messages were being delivered.'
    : `As far as we know, you were last here on ${longDate(owner.lastActivityAt)}.`;
  return ownerMail(owner, {
    subject: addressed(owner.firstName, 'please check in: we had to go back to older records'),
    paragraphs: [
      html`Something went wrong here, and we had to go back to our records of ${backupDay}. If you have checked in since, or stopped a release, we no longer know about it. ${standing}`,
      html`If you read this, press Check in. It stops everything at once.`,
      html`Nothing is sent to the people you wrote to, and none of your contacts are asked, before we have checked everything here. Every waiting time starts again from today.`,
      html`When you are here, please check your messages and contacts: your changes after ${backupDay} are missing.`,
    ],
    action: { label: 'Check in', url: owner.checkInUrl },
  });
}

/** Letters that may not have left wait behind this mail after a restore: of a release that is open, or each for its own day. */
export function ownerLettersWaitEmail(owner: ToOwner & { checkInUrl: string; isReleasing: boolean }): Mail {
  const subject = addressed(owner.firstName, 'your messages wait for you');
  if (!owner.isReleasing) {
    return ownerMail(owner, {
      subject,
      paragraphs: [
        html`Messages of yours wait for a day that you chose, and we had to go back to older records. We no longer know if you have withdrawn any of them since. None is sent until this email has been in your mailbox for ${plural(restartDays, 'day')}, and until we have checked everything here. Then each is sent on its day.`,
        html`If you read this, please look at your messages. One that you change is not sent.`,
      ],
      action: { label: 'Look at your messages', url: `${owner.baseUrl}/messages` },
    });
  }
  return ownerMail(owner, {
    subject,
    paragraphs: [
      html`Your messages were being delivered when we had to go back to older records. We no longer know which were sent. Those that may not have been sent wait until this email has been in your mailbox for ${plural(restartDays, 'day')}, and until we have checked everything here. Then they are sent, and those with a day of their own on that day.`,
      html`If you read this, press Check in. It stops them, and unopened links stop working.`,
    ],
    action: { label: 'Check in', url: owner.checkInUrl },
  });
}
