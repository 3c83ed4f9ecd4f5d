import type { App } from '#server/app.ts';
import { lockOwnerRow, type OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { pseudonymise, type RequestOrigin, recordAudit } from '#server/features/audit/record.ts';
import { chargedSubscriptions, endChargedSubscriptions } from '#server/features/billing/subscription-offboarding.ts';
import { tellOfMistake } from '#server/features/contacts/invitation-mails.ts';
import { dismissTrustees, lockTrustees } from '#server/features/contacts/trustees.ts';
import { removeUnusedFiles } from '#server/features/files/upkeep.ts';
import { eraseAccount, listByHashedId, listClosing } from '#server/features/registration/closing.ts';
import { takeReading } from '#server/features/release-health/health.ts';
import { voucherPersonOf } from '#server/features/vouchers/vouchers.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { isDeletionDue, requestedUntilMs } from './deletion.rules.ts';
import { forgetAddress, forgetAllButLetters, hasLettersLeft } from './erasure.repository.ts';

// Destroys an account: first its line in the ledger, which stays. Then, in one transaction, the key of the vault with every row.
// Then the files, which no key opens any more. After a crash in between, the next start finishes it by the ledger.

type Destruction = {
  because: 'due' | 'ledger' | 'unverified' | 'not-me';
  at: Date;
  /** Origin of the request. Left out if the service acts on its own. */
  origin?: RequestOrigin;
};

/** Result of one erasure. It names the subscriptions that are still charged, if the account stays because of them. */
type Outcome = 'erased' | 'left' | { owner: OwnerRow; subscriptions: string[] };

const batch = 100;
/** Hashes in one question to the database. */
const ledgerBatch = 1_000;

/** Erases due accounts. Returns their number. If one fails or must wait, the others continue. */
export async function eraseDueAccounts(app: App): Promise<number> {
  const requestedUntil = new Date(requestedUntilMs((await app.clock.now()).getTime()));
  const seen = new Set<string>();
  let erased = 0;
  for (;;) {
    // Accounts that were seen and have to wait come before the others.
    const closing = await listClosing(app.db, requestedUntil, seen.size - erased + batch);
    const next = closing.filter((id) => !seen.has(id));
    if (next.length === 0) break;
    for (const id of next) seen.add(id);
    erased += await eraseAll(app, next, 'due');
  }
  if (erased > 0) await removeErasedFiles(app);
  return erased;
}

/**
 * Erases again the accounts in the ledger that a restored backup brought back. Runs before the first request is served. Returns
 * how many there were.
 */
export async function applyLedger(app: App): Promise<number> {
  const names = [...(await app.ledger.names())];
  let erased = 0;
  for (let from = 0; from < names.length; from += ledgerBatch) {
    const back = await listByHashedId(app.db, names.slice(from, from + ledgerBatch));
    erased += await eraseAll(app, back, 'ledger');
  }
  if (erased > 0) {
    app.log.info({ accounts: erased }, 'Accounts that were deleted before the backup was restored are gone again.');
    await removeErasedFiles(app);
  }
  return erased;
}

/**
 * Destroys an account immediately with every row of it, and adds it to the ledger. `lockTrustees` and then the owner's row were
 * the first locks of the caller's transaction. Its files go with `removeErasedFiles`.
 */
export async function destroyAccount(
  app: App,
  tx: Executor,
  owner: OwnerRow,
  { because, at, origin }: Destruction,
): Promise<void> {
  const userId = owner.id;
  if (because !== 'ledger') await app.ledger.append(userId, at);
  const entry = { userId, action: 'account.erased', resource: 'account', resourceId: userId };
  await recordAudit(app, tx, { ...entry, details: { because }, origin, at });
  await pseudonymise(tx, userId);
  await forgetAddress(tx, { userId, email: owner.email, voucherPerson: voucherPersonOf(app, owner.email) });
  await dismissTrustees(tx, userId);
  await eraseAccount(app, tx, owner);
}

/** Removes the files of erased accounts. If the store does not answer, the next housekeeping removes them. */
export async function removeErasedFiles(app: App): Promise<void> {
  try {
    while ((await removeUnusedFiles(app)) > 0);
  } catch (error) {
    app.log.error({ failure: error instanceof Error ? error.name : 'unknown' }, 'Files of erased accounts are left.');
  }
}

async function eraseAll(app: App, userIds: readonly string[], why: 'due' | 'ledger'): Promise<number> {
  let erased = 0;
  for (const userId of userIds) {
    try {
      const outcome = why === 'due' ? await eraseDue(app, userId) : await erase(app, userId, why);
      if (outcome === 'erased') erased += 1;
      if (typeof outcome === 'string') continue;
      const { subscriptions } = outcome;
      app.log.error(
        { owner: userId, subscriptions },
        'An account that is due stays until its provider charges no more.',
      );
    } catch (error) {
      if (why === 'ledger') throw error;
      // An error may quote personal data, so the log gets its kind only.
      const failure = error instanceof Error ? error.name : 'unknown';
      app.log.error({ owner: userId, failure }, 'An account that is due could not be erased. It is tried again.');
    }
  }
  return erased;
}

/** Erases a due account. If a subscription is still charged, it is cancelled again first. */
async function eraseDue(app: App, userId: string): Promise<Outcome> {
  const outcome = await erase(app, userId, 'due');
  if (typeof outcome === 'string') return outcome;
  await endChargedSubscriptions(app, outcome.owner);
  return erase(app, userId, 'due');
}

/** `why` is `due` for an ended deadline, and `ledger` for an account that a backup restored. */
async function erase(app: App, userId: string, why: 'due' | 'ledger'): Promise<Outcome> {
  return app.db.transaction(async (tx) => {
    await lockTrustees(tx, userId);
    const owner = await lockOwnerRow(tx, userId);
    if (!owner) return 'left';
    const at = await app.clock.now(tx);
    if (why === 'due') {
      if (!(await isDue(app, tx, owner, at))) return 'left';
      if (await hasLettersLeft(tx, userId, at)) {
        await dismissTrustees(tx, userId);
        await forgetAllButLetters(tx, userId, at);
        return 'left';
      }
      const subscriptions = await chargedSubscriptions(tx, owner);
      if (subscriptions.length > 0) return { owner, subscriptions };
      if (owner.isDisowned) await tellOfMistake(app, tx, owner, at);
    }
    await destroyAccount(app, tx, owner, { because: why, at });
    return 'erased';
  });
}

async function isDue(app: App, tx: Executor, owner: OwnerRow, at: Date): Promise<boolean> {
  const { deletionRequestedAt, deletionRequestedHealthyMs } = owner;
  if (!deletionRequestedAt) return false;
  const { healthyMs } = await takeReading(app, tx, at);
  const request = { atMs: deletionRequestedAt.getTime(), healthyMs: deletionRequestedHealthyMs ?? 0 };
  return isDeletionDue(request, { atMs: at.getTime(), healthyMs });
}
