import type { Accounts, OwnerRow, Principal } from '#server/features/accounts/accounts.service.ts';
import type { Audit, RequestOrigin } from '#server/features/audit/audit.service.ts';
import type { Subscriptions } from '#server/features/billing/subscriptions.service.ts';
import type { Deliveries } from '#server/features/delivery/delivery.service.ts';
import type { Notifications } from '#server/features/notifications/notifications.service.ts';
import type { Closings } from '#server/features/registration/closing.service.ts';
import type { Releases } from '#server/features/release/release.service.ts';
import { waitingSentence } from '#server/features/release-mail/waiting.words.ts';
import type { FreshSignIns } from '#server/features/sessions/fresh-sign-in.ts';
import type { Reauthentication } from '#server/features/sessions/reauthentication.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import type { restoreAccount } from '#shared/contract/deletion.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import type { RouteAnswer } from '#shared/contract/route.ts';
import { greetingName } from '#shared/rules/names.ts';
import { accountAfterDeletionDays, deletionDayOf } from '#shared/rules/retention.ts';
import { accountRestoredEmail, deletionRequestedEmail } from './deletion.emails.ts';
import { type DeletionCause, isDeletionDue } from './deletion.rules.ts';

export type DeletionRequest = {
  userId: string;
  cause: DeletionCause;
  /** Where the wish came from; left out for what the service does by itself. */
  origin?: RequestOrigin | undefined;
};

/** What becomes of letters that wait for a day of their own: left, each goes on its day, and the account stays so long. */
export type LettersWish = 'take-back' | 'leave';

type Signed = { principal: Principal; origin: RequestOrigin };

export type Deletions = {
  /**
   * The owner's own wish. Signs them out everywhere, ends an open release, and writes to them how to take it back.
   *
   * @throws AppError `REAUTHENTICATION_REQUIRED` without a password or a fresh sign-in; `VALIDATION` for a wrong one;
   * `CONFLICT` for the designated administrator, without whom nobody could run the service, and where letters wait for a day
   * of their own and nothing is said of them.
   */
  requestByOwner(
    signed: Signed,
    wish: { password?: string | undefined; letters?: LettersWish | undefined },
  ): Promise<void>;
  /**
   * The same for whoever may decide it besides: 30 days to take it back, then everything goes. Asking twice changes
   * nothing. In the caller's transaction, in which no row was locked before the owner's. False for an unknown owner.
   *
   * @throws AppError `CONFLICT` where an administrator would end an open release by it.
   */
  request(tx: Executor, request: DeletionRequest): Promise<boolean>;
  /**
   * Takes it back. Harmless where there is nothing to take back. @throws AppError `CONFLICT` when it is too late, or where
   * the mailbox said that the account is not theirs, and nobody has proved it since.
   */
  restore(signed: Signed): Promise<RouteAnswer<typeof restoreAccount>>;
};

export type DeletionDependencies = {
  db: Database;
  clock: Clock;
  accounts: Pick<Accounts, 'lockOwner' | 'ownerOf' | 'recordActivity' | 'describeUser' | 'isDesignated'>;
  closings: Pick<Closings, 'markClosing' | 'unmarkClosing'>;
  freshSignIns: Pick<FreshSignIns, 'requireFreshSignIn' | 'requireSecondStep'>;
  reauthentication: Pick<Reauthentication, 'reauthenticate'>;
  subscriptions: Pick<Subscriptions, 'noticeOnRestore'>;
  releases: Pick<Releases, 'close' | 'health' | 'requireAnswer' | 'requireNoRelease'>;
  deliveries: Pick<Deliveries, 'waitingDays' | 'takeBackWaiting'>;
  notifications: Pick<Notifications, 'enqueue' | 'cancelFor'>;
  audit: Pick<Audit, 'record'>;
  baseUrl: string;
};

const kinds = { requested: 'privacy.deletion-requested', restored: 'privacy.account-restored' };

/** The wish to be gone, and the wish to stay after all. What follows from the former is in `erasure.service.ts`. */
export function createDeletions(deps: DeletionDependencies): Deletions {
  const {
    db,
    clock,
    accounts,
    closings,
    freshSignIns,
    reauthentication,
    subscriptions,
    releases,
    deliveries,
    notifications,
    audit,
    baseUrl,
  } = deps;

  async function tell(tx: Executor, owner: OwnerRow, { cause, at }: { cause: DeletionCause; at: Date }) {
    await notifications.enqueue(tx, {
      channel: 'email',
      kind: kinds.requested,
      userId: owner.id,
      subjectId: owner.id,
      dedupeKey: `${kinds.requested}:${owner.id}:${at.toISOString()}`,
      policy: 'patient',
      at,
      to: { address: owner.email },
      mail: deletionRequestedEmail({ firstName: greetingName(owner), cause, deletionAt: deletionDayOf(at), baseUrl }),
    });
  }

  async function requireNoneWaiting(executor: Executor, userId: string): Promise<void> {
    const waiting = await deliveries.waitingDays(executor, userId);
    if (waiting.length > 0) throw lettersWait(waiting.map(({ dueAt }) => dueAt.getTime()));
  }

  async function request(tx: Executor, { userId, cause, origin }: DeletionRequest): Promise<boolean> {
    const owner = await accounts.lockOwner(tx, userId);
    if (!owner) return false;
    if (owner.deletionRequestedAt) return true;
    // Of somebody who has died nobody would take it back.
    if (cause === 'administrator') {
      await releases.requireNoRelease(tx, userId);
      const waiting = await deliveries.waitingDays(tx, userId);
      if (waiting.length > 0) throw lettersOfOthers(waiting.map(({ dueAt }) => dueAt.getTime()));
    }

    const at = await clock.now(tx);
    await releases.close(tx, { userId, at, ...(origin ? { origin } : {}) });
    const { mark } = await releases.health(tx, at);
    await closings.markClosing(tx, userId, { at, healthyMs: mark.healthyMs });
    await tell(tx, owner, { cause, at });
    const entry = { userId, action: 'account.deletion_requested', resource: 'account', resourceId: userId };
    await audit.record(tx, { ...entry, details: { by: cause }, origin, at });
    return true;
  }

  /** Whether the days are over; then the deletion is only waiting for its turn and must not be overtaken. */
  async function isTooLate(tx: Executor, owner: OwnerRow, at: Date): Promise<boolean> {
    const { deletionRequestedAt, deletionRequestedHealthyMs } = owner;
    if (!deletionRequestedAt) return false;
    const { healthyMs } = await releases.health(tx, at);
    return isDeletionDue(
      { atMs: deletionRequestedAt.getTime(), healthyMs: deletionRequestedHealthyMs ?? 0 },
      { atMs: at.getTime(), healthyMs },
    );
  }

  return {
    request,

    async requestByOwner({ principal, origin }, { password, letters }) {
      const { userId, sessionId } = principal;
      // All before the password is looked at, which would give the session another cookie.
      const owner = await accounts.ownerOf(db, userId);
      if (owner && accounts.isDesignated(owner)) throw isDesignated();
      // Whoever signed in after letters had left may be somebody else, and a deletion closes what nobody has opened.
      await releases.requireAnswer(db, userId);
      if (!letters) await requireNoneWaiting(db, userId);
      await freshSignIns.requireSecondStep(principal);
      if (password) await reauthentication.reauthenticate({ userId, sessionId, origin }, { password });
      else await freshSignIns.requireFreshSignIn(principal);
      await db.transaction(async (tx) => {
        if (!(await accounts.lockOwner(tx, userId))) throw notFound();
        if (!letters) await requireNoneWaiting(tx, userId);
        await request(tx, { userId, cause: 'owner', origin });
        if (letters === 'take-back') await deliveries.takeBackWaiting(tx, { userId, at: await clock.now(tx) });
      });
    },

    restore: ({ principal: { userId }, origin }) =>
      db.transaction(async (tx) => {
        const owner = await accounts.lockOwner(tx, userId);
        if (!owner) throw notFound();
        if (!owner.deletionRequestedAt) return accounts.describeUser(owner);
        const at = await clock.now(tx);
        if (await isTooLate(tx, owner, at)) throw tooLate();
        if (owner.isDisowned && owner.mailboxProvenAt === null) throw wantsMailbox();

        const planNotice = await subscriptions.noticeOnRestore(tx, userId, owner.deletionRequestedAt);
        await closings.unmarkClosing(tx, userId);
        await notifications.cancelFor(tx, userId, [kinds.requested]);
        await notifications.enqueue(tx, {
          channel: 'email',
          kind: kinds.restored,
          userId,
          subjectId: userId,
          dedupeKey: `${kinds.restored}:${userId}:${at.toISOString()}`,
          at,
          to: { address: owner.email },
          mail: accountRestoredEmail({ firstName: greetingName(owner), planNotice, baseUrl }),
        });
        const entry = { userId, action: 'account.restored', resource: 'account', resourceId: userId };
        await audit.record(tx, { ...entry, origin, at });
        await accounts.recordActivity(tx, { userId, type: 'change', at, origin });
        const restored = await accounts.ownerOf(tx, userId);
        if (!restored) throw notFound();
        return { ...(await accounts.describeUser(restored)), ...(planNotice ? { planNotice } : {}) };
      }),
  };
}

function isDesignated(): AppError {
  return new AppError(
    'CONFLICT',
    'This account is the designated administrator. Name another address in ADMIN_EMAIL first; then it can be deleted.',
  );
}

function wantsMailbox(): AppError {
  return new AppError(
    'CONFLICT',
    'Somebody told us from this mailbox that the account is not theirs. Show first that the mailbox is yours, with the link that we send there.',
  );
}

function lettersWait(dueAtMs: readonly number[]): AppError {
  return new AppError(
    'CONFLICT',
    `${waitingSentence(dueAtMs)} Say first whether what waits is taken back, or still goes on its day.`,
  );
}

function lettersOfOthers(dueAtMs: readonly number[]): AppError {
  return new AppError('CONFLICT', `${waitingSentence(dueAtMs)} Nobody but the owner can end that.`);
}

function tooLate(): AppError {
  return new AppError('CONFLICT', `The ${accountAfterDeletionDays} days are over. This account cannot be restored.`);
}
