import type { App } from '#server/app.ts';
import type { OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { isDesignatedAccount } from '#server/features/accounts/accounts.ts';
import { recordAudits } from '#server/features/audit/record.ts';
import { isPaidFor } from '#server/features/billing/subscription-offboarding.ts';
import { requestDeletion } from '#server/features/deletion/deletion.ts';
import { destroyAccount } from '#server/features/deletion/erasure.ts';
import { keptEndAt } from '#server/features/delivery/delivery.rules.ts';
import { momentAt } from '#server/features/delivery/healthy-time.ts';
import { messagesToAskBy } from '#server/features/delivery/say/say.repository.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { contentNoticeDays, type NoticeKind, unverifiedAccountDays } from '#shared/rules/retention.ts';
import { deliveredGoesAt, idleGoesAt, lapsedSince, undeliveredGoesAt } from '#shared/rules/retention-dates.ts';
import {
  deleteFiles,
  deleteMessages,
  deleteNotice,
  findSubscriptionEnd,
  findUnverifiedSince,
  hasWaitingLetters,
  listDelivered,
  listUndelivered,
  type NoticeRow,
  readStanding,
} from './retention.repository.ts';
import { couldBeReleased, isReleaseOpen, type KeptFile, surplus } from './retention.rules.ts';

/** One owner, whose row is locked. */
export type Visit = { tx: Executor; owner: OwnerRow; at: Date; notice: NoticeRow | null };

type Plan = {
  /** Time at which the data goes. Null if nothing is due. */
  goesAtMs: number | null;
  /** True if something forbids the removal now, for example an open release. */
  isBlocked: boolean;
  remove: () => Promise<void>;
};

/** Actions of the log by which data goes. The files of a message can go without it. */
const removals = {
  message: { action: 'message.expired', resource: 'message' },
  attachment: { action: 'attachment.expired', resource: 'message' },
  enclosure: { action: 'enclosure.expired', resource: 'message' },
  document: { action: 'document.expired', resource: 'document' },
} as const;

type Removal = { id: string; what: keyof typeof removals };

/** Returns for each kind the time at which data goes, the reasons that keep it, and the removal. */
export const planOf: Record<NoticeKind, (app: App, visit: Visit) => Promise<Plan>> = {
  idle: planIdle,
  unverified: planUnverified,
  undelivered: planUndelivered,
  delivered: planDelivered,
};

/**
 * Plans the end of an idle account. An account stays if it is paid for, if its letters are still kept, or if the
 * installation needs it.
 */
async function planIdle(app: App, { tx, owner, at }: Visit): Promise<Plan> {
  const standing = await readStanding(tx, owner.id);
  const delivered = await listDelivered(tx, owner.id);
  const isWaiting = await hasWaitingLetters(tx, owner.id, at);
  const isNeeded = owner.plan !== 'free' || owner.releaseFrozenAt !== null || isDesignatedAccount(app, owner);
  return {
    goesAtMs: idleGoesAt(owner.lastCheckinAt).getTime(),
    isBlocked: isNeeded || delivered.length > 0 || isWaiting || isReleaseOpen(standing, owner),
    remove: async () => void (await requestDeletion(app, tx, { userId: owner.id, cause: 'inactivity' })),
  };
}

/** Plans the end of an account with an unverified address, which may belong to another person. */
async function planUnverified(app: App, { tx, owner, at }: Visit): Promise<Plan> {
  const since = await findUnverifiedSince(tx, owner.id);
  return {
    goesAtMs: since && since.getTime() + unverifiedAccountDays * dayMs,
    // A payment counts only after the address is verified. The plan does not show it before.
    isBlocked: owner.plan !== 'free' || (await isPaidFor(tx, owner)),
    remove: async () => {
      await destroyAccount(app, tx, owner, { because: 'unverified', at });
    },
  };
}

/**
 * Plans the removal of data over the limits of the free plan, after a plan has lapsed. If the letters could still be
 * released, nothing goes until the owner has shown life after the notice: their silence may be the reason for the missing
 * payment.
 */
async function planUndelivered(app: App, visit: Visit): Promise<Plan> {
  const { tx, owner, at, notice } = visit;
  const lapsedAt = lapsedSince({ plan: owner.plan, subscriptionEnd: await findSubscriptionEnd(tx, owner.id) }, at);
  const kept = await listUndelivered(tx, owner.id, at);
  const going = surplus(kept.messages, kept.files);
  const isNothing = going.messages.length + going.files.length === 0;
  const standing = await readStanding(tx, owner.id);
  const hasSeen = notice?.endedAt != null && owner.lastCheckinAt > notice.endedAt;
  const mustWait = notice !== null && couldBeReleased(standing, owner) && !hasSeen;
  return {
    goesAtMs: lapsedAt === null || isNothing ? null : undeliveredGoesAt(lapsedAt).getTime(),
    isBlocked: owner.releaseFrozenAt !== null || isReleaseOpen(standing, owner),
    remove: async () => {
      if (mustWait) return;
      await deleteMessages(tx, going.messages);
      await deleteFiles(tx, going.files);
      const messages = going.messages.map((id): Removal => ({ id, what: 'message' }));
      await noteRemovals(app, visit, [...messages, ...going.files.map(removalOf)]);
      await deleteNotice(tx, owner.id, 'undelivered');
    },
  };
}

/**
 * Plans the removal of delivered letters. Only letters that the notice announced go. One stays for each reader who wants
 * no more, as long as another waits for their word.
 */
async function planDelivered(app: App, visit: Visit): Promise<Plan> {
  const { tx, owner, at, notice } = visit;
  const paying = { plan: owner.plan, subscriptionEnd: await findSubscriptionEnd(tx, owner.id) };
  const now = await momentAt(app, tx, at);
  const toAskBy = new Set((await messagesToAskBy(tx, owner.id)).map(({ messageId }) => messageId));
  const letters = (await listDelivered(tx, owner.id)).flatMap(({ id, deliveredAt, kept }) => {
    const goesAtMs = Math.max(deliveredGoesAt(deliveredAt, paying).getTime(), keptEndAt(kept, now) ?? 0);
    return toAskBy.has(id) ? [] : { id, goesAtMs };
  });
  const noticedUntilMs = (notice?.sentAt.getTime() ?? 0) + contentNoticeDays * dayMs;
  const due = letters.filter(({ goesAtMs }) => goesAtMs <= at.getTime() && goesAtMs <= noticedUntilMs);
  const { request } = await readStanding(tx, owner.id);
  return {
    goesAtMs: letters.length === 0 ? null : Math.min(...letters.map(({ goesAtMs }) => goesAtMs)),
    isBlocked: request === 'releasing',
    remove: async () => {
      const ids = due.map(({ id }) => id);
      await deleteMessages(tx, ids);
      await noteRemovals(
        app,
        visit,
        ids.map((id) => ({ id, what: 'message' })),
      );
      await deleteNotice(tx, owner.id, 'delivered');
    },
  };
}

function noteRemovals(app: App, { tx, owner, at }: Visit, gone: readonly Removal[]): Promise<void> {
  const entries = gone.map(({ id: resourceId, what }) => ({ userId: owner.id, ...removals[what], resourceId, at }));
  return recordAudits(app, tx, entries);
}

function removalOf({ id, messageId, of }: KeptFile): Removal {
  return { id: messageId ?? id, what: of === 'message' ? 'attachment' : of };
}
