import type { App } from '#server/app.ts';
import type { OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { recordedActionsOf } from '#server/features/audit/recorded-actions.service.ts';
import { enqueueNotification } from '#server/features/notifications/enqueue.ts';
import type { DepartureWriter } from '#server/features/notifications/mail-reactions.ts';
import { sentMessagesOf } from '#server/features/notifications/sent-messages.ts';
import { nothingBegun } from '#server/features/release-core/emergency.rules.ts';
import type { Refusal } from '#server/features/release-core/events.rules.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { type FormUse, ownerFormUsesEmail } from './emergency-form.emails.ts';

/** Kinds of the email that quotes the first use of a day, with its text. */
const quotingKinds = ['release.owner_early', 'release.owner_claim'];
export const formUsesKind = 'release.owner_form_uses';
const formActions = ['release.emergency_requested', 'release.emergency_ignored'];
/** Time for a use at the end of the day to be recorded before the email about the day leaves. */
const recordedWithinMs = 5 * 60_000;
const shownUsesMax = 20;

/**
 * Time at which the email leaves that notified the owner of the form within the last day, or null. A message that
 * bounced or was given up does not count. Counted per owner, not per contact. The caller holds the owner's lock, so of
 * parallel uses only one finds null.
 */
export async function formNotifiedAt(tx: Executor, ownerId: string, at: Date): Promise<Date | null> {
  const since = new Date(at.getTime() - dayMs);
  const sent = await sentMessagesOf(tx, { userId: ownerId, kinds: quotingKinds, since, isFailedLeftOut: true });
  return sent.at(-1)?.at ?? null;
}

type FurtherUse = {
  owner: OwnerRow;
  /** As of `formNotifiedAt`. */
  notifiedAt: Date;
  /** Null if the contact got a link. */
  refused: Refusal | null;
  at: Date;
};

/** Queues the one email about all further uses of a day. The next use of the same day finds it queued. */
export async function enqueueFormUses(
  app: App,
  tx: Executor,
  { owner, notifiedAt, refused, at }: FurtherUse,
): Promise<void> {
  const until = new Date(notifiedAt.getTime() + dayMs);
  const firstName = owner.firstName ?? '';
  await enqueueNotification(app, tx, {
    channel: 'email',
    kind: formUsesKind,
    userId: owner.id,
    subjectId: null,
    dedupeKey: `${formUsesKind}:${owner.id}:${notifiedAt.toISOString()}`,
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

/** Writes the email about further uses when it leaves, from the activity log: until then a use can be added. */
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
