import type { App } from '#server/app.ts';
import type { OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { recordedActionsOf } from '#server/features/audit/recorded-actions.service.ts';
import { enqueueNotification } from '#server/features/notifications/enqueue.ts';
import type { DepartureWriter } from '#server/features/notifications/mail-reactions.ts';
import { sentMessagesOf } from '#server/features/notifications/sent-messages.ts';
import { nothingBegun } from '#server/features/release-core/emergency.rules.ts';
import type { Refusal } from '#server/features/release-core/events.rules.ts';
import type { MailKind } from '#server/mails.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { type FormUse, ownerFormUsesEmail } from './emergency-form.emails.ts';

/** Kinds of email about the first use of a day. They quote the text of the form. */
const quotingKinds: readonly MailKind[] = ['release.owner_early', 'release.owner_claim'];
const formActions = ['release.emergency_requested', 'release.emergency_ignored'];
/** Wait after the 24 hours, so that a use at their end is recorded before the email about them leaves. */
const recordedWithinMs = 5 * 60_000;
const shownUsesMax = 20;

/**
 * Earliest departure of the owner's latest email about a first use, within the last 24 hours and for any contact. Null
 * if there is none, or it failed. The caller holds the owner's lock, so only one of several parallel uses gets null.
 */
export async function formNotifiedAt(tx: Executor, ownerId: string, at: Date): Promise<Date | null> {
  const since = new Date(at.getTime() - dayMs);
  const sent = await sentMessagesOf(tx, { userId: ownerId, kinds: quotingKinds, since, isFailedLeftOut: true });
  return sent.at(-1)?.at ?? null;
}

type FurtherUse = {
  owner: OwnerRow;
  /** Result of `formNotifiedAt`. The 24 hours begin there. */
  notifiedAt: Date;
  /** Reason why the use started nothing. Null if the contact got a link. */
  refused: Refusal | null;
  at: Date;
};

/** Queues one email about all further uses of these 24 hours. Its dedupe key makes a later call add no second one. */
export async function enqueueFormUses(
  app: App,
  tx: Executor,
  { owner, notifiedAt, refused, at }: FurtherUse,
): Promise<void> {
  const until = new Date(notifiedAt.getTime() + dayMs);
  const firstName = owner.firstName ?? '';
  await enqueueNotification(app, tx, {
    channel: 'email',
    kind: 'release.owner_form_uses',
    userId: owner.id,
    subjectId: null,
    dedupeKey: `release.owner_form_uses:${owner.id}:${notifiedAt.toISOString()}`,
    at,
    notBefore: new Date(until.getTime() + recordedWithinMs),
    to: { address: owner.email },
    mail: ownerFormUsesEmail({
      firstName,
      baseUrl: app.baseUrl,
      uses: [{ at, result: refused === null ? linkSent : resultOf(refused) }],
      count: 1,
    }),
    given: { firstName, from: notifiedAt.toISOString(), until: until.toISOString() },
  });
}

/** Rewrites the email as it leaves, from the activity log, so that it has all uses. Null if there was none. */
export async function writeFormUses(
  { baseUrl }: App,
  executor: Executor,
  { userId, given }: Parameters<DepartureWriter>[1],
): ReturnType<DepartureWriter> {
  const { firstName = '', from, until } = given;
  if (!userId || !from || !until) return null;
  const day = { actions: formActions, after: new Date(from), until: new Date(until), limit: shownUsesMax };
  const { count, last } = await recordedActionsOf(executor, { userId, ...day });
  if (count === 0) return null;
  const uses = last.map(({ action, details, at }): FormUse => {
    const isIgnored = action === 'release.emergency_ignored';
    return { at, result: isIgnored ? resultOf(String(details?.because)) : linkSent };
  });
  return ownerFormUsesEmail({ firstName, baseUrl, uses, count });
}

const linkSent = 'One of your trusted contacts got a link to confirm or cancel.';

function resultOf(refused: string): string {
  return nothingBegun(refused as Refusal) ?? 'Nothing has begun.';
}
