import type { App } from '#server/app.ts';
import { lockOwnerRows } from '#server/features/accounts/accounts.repository.ts';
import type { Administrator } from '#server/features/admin/administrator.ts';
import {
  recordAct,
  recordActOnAccount,
  requireAdministrator,
  requireFreshAdministrator,
} from '#server/features/admin/administrator.ts';
import { unsealPayload } from '#server/features/notifications/notifications.payload.ts';
import { retryRefused } from '#server/features/redelivery/new-address-retry.ts';
import type { Call } from '#server/http/bind.ts';
import { wordsOfKind } from '#server/mails.ts';
import { unlessBroken } from '#server/platform/crypto/vault.ts';
import { wakeTask } from '#server/platform/db/wakes.ts';
import { givenUpDays } from '#shared/contract/admin-state.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import type * as contract from '#shared/contract/operator/failed-mails.ts';
import { failedMailsCounted, failedMailsPerPage, failedMailsSearched } from '#shared/contract/operator/failed-mails.ts';
import type { RouteAnswer } from '#shared/contract/route.ts';
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
import { type FailedFacts, isFound, reasonOf, retryOf, stateOf } from './failed-mail.rules.ts';

type Page = RouteAnswer<typeof contract.listFailedMails>;

/** Returns a page of mails that failed. A search reads a bounded number of rows, so its page can hold fewer. */
export async function listFailedMails(app: App, administrator: Call<typeof contract.listFailedMails>): Promise<Page> {
  const { search, after } = administrator.query;
  requireAdministrator(administrator);
  const now = await app.clock.now();
  const limit = search ? failedMailsSearched : failedMailsPerPage;
  const rows = await listFailed(app.db, {
    after: after === undefined ? undefined : keyOf(after),
    limit: limit + 1,
  });
  const read = rows.slice(0, limit).map((row) => ({ row, to: recipientOf(app, row) }));
  const found = search ? read.filter(({ to }) => isFound(to, search)) : read;
  const page = found.slice(0, failedMailsPerPage);
  const isCut = found.length > page.length;
  const last = isCut ? page.at(-1)?.row : read.at(-1)?.row;
  const hasMore = isCut || rows.length > limit;
  const endedAfter = new Date(now.getTime() - givenUpDays * dayMs);
  return {
    mails: page.map(({ row, to }) => answerOf(row, to, now)),
    next: hasMore && last ? cursorOf(last) : null,
    counts: await countFailed(app.db, { endedAfter, limit: failedMailsCounted }),
  };
}

/**
 * Tries a mail again now, with its old id and link, if the rules allow. For a refused letter it does what `everkept
 * release retry` does for its account. A hundred presses are one try.
 * @throws AppError `NOT_FOUND`, or `CONFLICT` with the reason against a try now.
 */
export async function retryFailedMail(
  app: App,
  administrator: Call<typeof contract.retryFailedMail>,
): Promise<{ message: string }> {
  const { id } = administrator.params;
  await requireFreshAdministrator(app, administrator);
  const about = await findFailed(app.db, { id });
  if (!about) throw notFound('This email has arrived or was withdrawn in the meantime.');
  if (retryOf(factsOf(about), (await app.clock.now()).getTime()) === 'letters')
    return retryLetters(app, administrator, about);
  return app.db.transaction(async (tx) => {
    const { userId } = administrator.principal;
    await lockOwnerRows(tx, about.userId ? [about.userId, userId] : [userId]);
    await lockMailRow(tx, id);
    const row = await findFailed(tx, { id });
    if (!row) throw notFound('This email has arrived or was withdrawn in the meantime.');
    const at = await app.clock.now(tx);
    const retry = retryOf(factsOf(row), at.getTime());
    if (retry === 'queued') return { message: queuedWords };
    if (retry !== 'now') throw new AppError('CONFLICT', refusals[retry]);
    await makeDue(tx, id, at);
    await wakeTask(tx, 'outbox');
    const act = { action: 'admin.mail_retry', details: { mail: id, kind: row.kind }, at };
    if (row.userId) await recordActOnAccount(app, tx, administrator, { ...act, resourceId: row.userId });
    else await recordAct(app, tx, administrator, { ...act, resource: 'installation' });
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
  app: App,
  administrator: Administrator,
  { account, kind }: FailedMailRow,
): Promise<{ message: string }> {
  if (account === null) throw new AppError('CONFLICT', notRetried.unknown);
  const retried = await retryRefused(app, {
    email: account,
    agrees: false,
    onRetried: (tx, { userId, letters, at }) =>
      recordActOnAccount(app, tx, administrator, {
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
    ...{ isLetter: kind === 'delivery.letter', status, refusals, isFrozen, code: lastReplyCode },
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
    kind: wordsOfKind(row.kind),
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
function recipientOf(app: App, { id, payload }: FailedMailRow): string | null {
  if (!payload) return null;
  const opened = unlessBroken(() => unsealPayload(app.serviceKeys, id, payload));
  return opened?.channel === 'email' ? opened.to.address : null;
}

function cursorOf({ lastAttemptAt, id }: FailedMailRow): string {
  return `${lastAttemptAt?.getTime() ?? 0}~${id}`;
}

function keyOf(cursor: string): FailedMailKey {
  const [ms = '0', id = ''] = cursor.split('~');
  return { atMs: Number(ms), id };
}
