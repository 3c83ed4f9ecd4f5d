import { activityReactionsOf } from '#server/features/accounts/activity.ts';
import { noteNewsOutcome } from '#server/features/admin/bulk-sender.ts';
import { claimOnSignIn, claimOnVerification } from '#server/features/billing/billing.ts';
import { moveToAccount } from '#server/features/billing/hand-over.repository.ts';
import { noteReceiptOutcome } from '#server/features/complaints/complaints.ts';
import {
  answeredListenersOf,
  noteInvitationOutcome,
  sendWaitingInvitations,
} from '#server/features/contacts/invitations.ts';
import { startTrusteeships, tellOfTrusteeship } from '#server/features/contacts/trustees.ts';
import { healthyTimeOf } from '#server/features/delivery/healthy-time.ts';
import { settleBounce, settleOutcome, settleRefusal } from '#server/features/delivery/mail-outcomes.ts';
import { endedListenersOf } from '#server/features/delivery/outcomes.ts';
import { reportBroken } from '#server/features/integrity/integrity.ts';
import { mailReactionsOf } from '#server/features/notifications/mail-reactions.ts';
import { writeMailTrouble } from '#server/features/notifications/refusals/mail-trouble.ts';
import { writeVerification } from '#server/features/registration/confirmation-links.ts';
import { handOverListenersOf } from '#server/features/registration/hand-over.ts';
import { saveReleaseSettingsOf } from '#server/features/registration/profile.ts';
import { countsAsActivity, endReleaseOnActivity } from '#server/features/release/release-activity.ts';
import { undoBouncedNotice } from '#server/features/release/release-bounces.ts';
import { followContactAnswer } from '#server/features/release/release-contacts.ts';
import { followEndedLetters, followOutcome } from '#server/features/release/release-outcomes.ts';
import { outageReadersOf, readHealthyTime } from '#server/features/release-health/health.ts';
import { writeFormUses } from '#server/features/release-mail/form-uses.ts';
import { updateReleaseSettings } from '#server/features/release-settings/release-settings.ts';
import { noteRetentionOutcome, startRetentionLinks } from '#server/features/retention/retention.ts';
import { siteDownUntilMs } from '#server/features/service-health/site-watch.ts';
import type { App } from './app.ts';

/** Everything that a feature does because of another one, in order. No listener is registered anywhere else. */
export function registerReactions(app: App): void {
  const { gates, activity, verified, mailboxProven } = activityReactionsOf(app);

  // A sign of life.
  gates.push((tx, found) => countsAsActivity(app, tx, found));
  activity.push((tx, found) => claimOnSignIn(app, tx, found));
  activity.push((tx, found) => endReleaseOnActivity(app, tx, found));

  // A verified address, and a mailbox that its owner reads.
  verified.push((tx, userId, at) => claimOnVerification(app, tx, userId, at));
  verified.push((tx, userId, at) => tellOfTrusteeship(app, tx, userId, at));
  verified.push((tx, userId, at) => sendWaitingInvitations(app, tx, userId, at));
  mailboxProven.push((tx, userId, at) => startTrusteeships(app, tx, userId, at));
  handOverListenersOf(app).push(moveToAccount);

  // An answered invitation, an ended letter, an outage, a value that does not open.
  answeredListenersOf(app).push((tx, answered) => followContactAnswer(app, tx, answered));
  endedListenersOf(app).push((tx, ended) => followEndedLetters(app, tx, ended));
  outageReadersOf(app).push(siteDownUntilMs);
  app.brokenSealListeners.push((context) => reportBroken(app, context));

  // Calls of features that stand above their caller.
  healthyTimeOf.set(app, readHealthyTime);
  saveReleaseSettingsOf.set(app, ({ origin, ...principal }, body) =>
    updateReleaseSettings(app, { principal, origin, body }),
  );

  followMails(app);
}

/** Reactions to ends of mails, and mails that are written at departure. */
function followMails(app: App): void {
  const { ended, bounced, refused, writers } = mailReactionsOf(app);
  ended.push({ kindPrefix: 'complaints.receipt', react: noteReceiptOutcome });
  ended.push({ kindPrefix: 'admin.bulk-email', react: noteNewsOutcome });
  ended.push({
    kindPrefix: 'privacy.retention-notice',
    react: (tx, outcome) => noteRetentionOutcome(app, tx, outcome),
  });
  ended.push({ kindPrefix: 'contacts.invitation', react: (tx, outcome) => noteInvitationOutcome(app, tx, outcome) });
  ended.push({ kindPrefix: 'delivery.', react: (tx, outcome) => settleOutcome(app, tx, outcome) });
  ended.push({ kindPrefix: 'release.', react: (tx, outcome) => followOutcome(app, tx, outcome) });

  bounced.push({ kindPrefix: 'delivery.', react: (tx, mail) => settleBounce(app, tx, mail) });
  bounced.push({ kindPrefix: 'release.', react: (tx, mail) => undoBouncedNotice(app, tx, mail) });
  refused.set('delivery.letter', async (tx, { subjectId, at }) => {
    if (subjectId) await settleRefusal(app, tx, subjectId, at);
  });

  writers.set('accounts.verification', (executor, departure) => writeVerification(app, executor, departure));
  writers.set('privacy.retention-notice', (executor, departure) => startRetentionLinks(app, executor, departure));
  writers.set('release.owner_form_uses', (executor, departure) => writeFormUses(app, executor, departure));
  writers.set('operator.mail-refused', (executor, { at }) => writeMailTrouble(app, executor, { at }));
}
