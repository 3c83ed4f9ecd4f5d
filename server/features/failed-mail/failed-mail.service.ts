import type { Accounts } from '#server/features/accounts/accounts.service.ts';
import type { Administration, Administrator } from '#server/features/admin/administrator.service.ts';
import { kindsToRecipients } from '#server/features/delivery/delivery.dependencies.ts';
import { unsealPayload } from '#server/features/notifications/notifications.payload.ts';
import { sendJob } from '#server/features/notifications/notifications.service.ts';
import type { NewAddresses } from '#server/features/redelivery/new-address.service.ts';
import { kindsHeldWhileFrozen } from '#server/features/release-health/address-proposal-kinds.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import { unlessBroken } from '#server/platform/crypto/vault.ts';
import type { Database } from '#server/platform/db/database.ts';
import type { Queue } from '#server/platform/queue/queue.ts';
import { givenUpDays } from '#shared/contract/admin-state.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import {
  failedMailsCounted,
  failedMailsPerPage,
  failedMailsSearched,
  type listFailedMails,
} from '#shared/contract/operator/failed-mails.ts';
import type { RouteAnswer, RouteQuery } from '#shared/contract/route.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import {
  countFailed,
  type FailedMailKey,
  type FailedMailRow,
  findFailed,
  listFailed,
  lockMailRow,
  makeDue,
} from './failed-mail.repository.ts';
import { type FailedFacts, isFound, kindWords, reasonOf, retryOf, stateOf } from './failed-mail.rules.ts';

type Page = RouteAnswer<typeof listFailedMails>;

export type FailedMailDependencies = {
  db: Database;
  clock: Clock;
  serviceKeys: ServiceKeys;
  queue: Pick<Queue, 'wake'>;
  accounts: Pick<Accounts, 'lockOwners'>;
  newAddresses: Pick<NewAddresses, 'retry'>;
  administration: Administration;
};

/** Kinds of mail that stay while their account, or everything, is frozen. */
const held = [...kindsToRecipients, ...kindsHeldWhileFrozen];

/** Returns a page of mails that failed. A search reads a bounded number of rows, so its page can hold fewer. */
export async function failedMails(
  deps: Pick<FailedMailDependencies, 'db' | 'clock' | 'serviceKeys' | 'administration'>,
  administrator: Administrator,
  { search, after }: RouteQuery<typeof listFailedMails>,
): Promise<Page> {
  const { db, clock, serviceKeys, administration } = deps;
  administration.requireAdministrator(administrator);
  const now = await clock.now();
  const limit = search ? failedMailsSearched : failedMailsPerPage;
  const rows = await listFailed(db, { after: after === undefined ? undefined : keyOf(after), held, limit: limit + 1 });
  const read = rows.slice(0, limit).map((row) => ({ row, to: recipientOf(serviceKeys, row) }));
  const found = search ? read.filter(({ to }) => isFound(to, search)) : read;
  const page = found.slice(0, failedMailsPerPage);
  const isCut = found.length > page.length;
  const last = isCut ? page.at(-1)?.row : read.at(-1)?.row;
  const hasMore = isCut || rows.length > limit;
  const endedAfter = new Date(now.getTime() - givenUpDays * dayMs);
  return {
    mails: page.map(({ row, to }) => answerOf(row, to, now)),
    next: hasMore && last ? cursorOf(last) : null,
    counts: await countFailed(db, { endedAfter, limit: failedMailsCounted }),
  };
}

/**
 * Tries a mail again now, with the same id and link, if the rules allow. For a letter that was refused it is the command
 * `everkept release retry` of its account. A hundred presses are one.
 *
 * @throws AppError `NOT_FOUND`, or `CONFLICT` with the reason why it can't be tried now.
 */
export async function retryFailedMail(
  deps: FailedMailDependencies,
  administrator: Administrator,
  id: string,
): Promise<{ message: string }> {
  const { db, clock, queue, accounts, administration } = deps;
  await administration.requireFresh(administrator);
  const about = await findFailed(db, { id, held });
  if (!about) throw notFound('This email has arrived or was withdrawn in the meantime.');
  if (retryOf(factsOf(about), (await clock.now()).getTime()) === 'letters')
    return retryLetters(deps, administrator, about);
  return db.transaction(async (tx) => {
    const { userId } = administrator.principal;
    await accounts.lockOwners(tx, about.userId ? [about.userId, userId] : [userId]);
    await lockMailRow(tx, id);
    const row = await findFailed(tx, { id, held });
    if (!row) throw notFound('This email has arrived or was withdrawn in the meantime.');
    const at = await clock.now(tx);
    const retry = retryOf(factsOf(row), at.getTime());
    if (retry === 'queued') return { message: queuedWords };
    if (retry !== 'now') throw new AppError('CONFLICT', refusals[retry]);
    await makeDue(tx, id, at);
    await queue.wake(tx, sendJob, { notificationId: id });
    const act = { action: 'admin.mail_retry', details: { mail: id, kind: row.kind }, at };
    if (row.userId) await administration.recordActOnAccount(tx, administrator, { ...act, resourceId: row.userId });
    else await administration.recordAct(tx, administrator, { ...act, resource: 'installation' });
    return { message: queuedWords };
  });
}

const queuedWords = 'The email is tried again now.';

const refusals = {
  frozen: 'Releases of this account are frozen, so this email waits. It is tried after the freeze.',
  waits:
    'The mailbox refused this email. The email is tried again on its day, so that a closed mailbox is recognised fairly.',
  ended: 'This email has ended and is not sent again.',
  letters: 'The letters of this account are tried again from the command line: everkept release retry.',
};

const notRetried = {
  unknown: 'This account no longer exists.',
  nothing_open: 'The release of this letter has ended, so the letter is not sent again.',
  stopped: 'This release is stopped, so nothing leaves now. Try again when it continues.',
};

/** Tries the refused letters of an account again, as the command does. */
async function retryLetters(
  { newAddresses, administration }: FailedMailDependencies,
  administrator: Administrator,
  { account, kind }: FailedMailRow,
): Promise<{ message: string }> {
  if (account === null) throw new AppError('CONFLICT', notRetried.unknown);
  const retried = await newAddresses.retry({
    email: account,
    agrees: false,
    onRetried: (tx, { userId, letters, at }) =>
      administration.recordActOnAccount(tx, administrator, {
        action: 'admin.letters_retry',
        resourceId: userId,
        details: { kind, letters },
        at,
      }),
  });
  if (typeof retried !== 'number') throw new AppError('CONFLICT', notRetried[retried]);
  if (retried === 0) return { message: 'No letter of this account waits for another try.' };
  return { message: retried === 1 ? '1 letter is tried again now.' : `${retried} letters are tried again now.` };
}

function factsOf(row: FailedMailRow): FailedFacts {
  const { kind, status, refusals, isFrozen, lastReplyCode, refusedAt, bouncedAt, nextAttemptAt } = row;
  return {
    ...{ kind, status, refusals, isFrozen, code: lastReplyCode },
    wasRefused: refusedAt !== null,
    wasReturned: bouncedAt !== null,
    nextTryMs: nextAttemptAt?.getTime() ?? null,
  };
}

function answerOf(row: FailedMailRow, to: string | null, now: Date): Page['mails'][number] {
  const facts = factsOf(row);
  const { id, account, attempts, firstAttemptAt, lastAttemptAt } = row;
  return {
    id,
    kind: kindWords(row.kind),
    to,
    account,
    state: stateOf(facts),
    code: facts.code,
    reason: reasonOf(facts),
    firstTriedAt: firstAttemptAt,
    lastTriedAt: lastAttemptAt,
    nextTryAt: row.nextAttemptAt,
    attempts,
    retry: retryOf(facts, now.getTime()),
  };
}

/** Returns the recipient's address. Null if the content is erased or damaged. */
function recipientOf(keys: ServiceKeys, { id, payload }: FailedMailRow): string | null {
  if (!payload) return null;
  const opened = unlessBroken(() => unsealPayload(keys, id, payload));
  return opened?.channel === 'email' ? opened.to.address : null;
}

function cursorOf({ lastAttemptAt, id }: FailedMailRow): string {
  return `${lastAttemptAt?.getTime() ?? 0}~${id}`;
}

function keyOf(cursor: string): FailedMailKey {
  const [ms = '0', id = ''] = cursor.split('~');
  return { atMs: Number(ms), id };
}
