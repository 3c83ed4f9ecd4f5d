import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { App } from '#server/app.ts';
import { cancelNotificationsFor } from '#server/features/notifications/cancel.ts';
import type { Call } from '#server/http/bind.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { wakeTask } from '#server/platform/db/wakes.ts';
import type * as contract from '#shared/contract/admin.ts';
import { nobodySelected } from '#shared/contract/admin.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import type { RouteAnswer } from '#shared/contract/route.ts';
import type { Administrator } from './administrator.ts';
import { recordAct, requireAdministrator, requireFreshAdministrator } from './administrator.ts';
import {
  type BulkEmailRow,
  cancelRecipients,
  countRecipients,
  countRegistered,
  endBulkEmail,
  findBulkEmails,
  insertBulkEmail,
  insertRecipients,
  lockBulkEmail,
} from './bulk-emails.repository.ts';

type Progress = RouteAnswer<typeof contract.cancelBulkEmail>;

/** Number of bulk emails in the list. */
const listedMax = 10;

const wordsSchema = z.object({ subject: z.string(), message: z.string() });

/**
 * Stores news for people. The worker emails them. @throws AppError `VALIDATION` without a recipient, if an address has no
 * account, and if none of the people may be emailed. Nothing is sent then.
 */
export async function sendBulkEmail(
  app: App,
  administrator: Call<typeof contract.sendBulkEmail>,
): Promise<RouteAnswer<typeof contract.sendBulkEmail>> {
  const { subject, message, recipients } = administrator.body;
  await requireFreshAdministrator(app, administrator);
  const addresses = [...new Set(recipients)];
  if (addresses.length === 0) throw wrongRecipients(nobodySelected);
  const known = await countRegistered(app.db, addresses);
  if (known < addresses.length) return refuse(app, administrator, addresses.length - known);

  const id = randomUUID();
  const payload = sealWords(app, id, { subject, message });
  const total = await app.db.transaction(async (tx) => {
    const at = await app.clock.now(tx);
    const createdBy = administrator.principal.userId;
    await insertBulkEmail(tx, { id, createdBy, payload, state: 'sending', createdAt: at });
    const people = await insertRecipients(tx, { bulkEmailId: id, addresses });
    if (people === 0) throw wrongRecipients('Nobody you selected has a verified address and wants our news.');
    const details = { people, leftOut: addresses.length - people };
    const act = { action: 'admin.bulk_email', resource: 'bulk_email', resourceId: id, details, at };
    await recordAct(app, tx, administrator, act);
    await wakeTask(tx, 'news');
    return people;
  });
  return { message: 'Bulk email sent successfully', id, total, leftOut: addresses.length - total };
}

/** Lists the progress of the last bulk emails, newest first. */
export async function listBulkEmails(
  app: App,
  administrator: Call<typeof contract.listBulkEmails>,
): Promise<Progress[]> {
  requireAdministrator(administrator);
  return progressOf(app, app.db, await findBulkEmails(app.db, { limit: listedMax }));
}

/** Stops a bulk email. One that has ended stays as it is. @throws AppError `NOT_FOUND`. */
export async function cancelBulkEmail(
  app: App,
  administrator: Call<typeof contract.cancelBulkEmail>,
): Promise<Progress> {
  const { id } = administrator.params;
  await requireFreshAdministrator(app, administrator);
  return app.db.transaction(async (tx) => {
    const row = await lockBulkEmail(tx, id);
    if (!row) throw notFound();
    if (row.state === 'sending') {
      const at = await app.clock.now(tx);
      // In this order: the second step waits for the person who is being emailed now, then finds that mail and cancels it.
      await cancelRecipients(tx, id, 'waiting');
      await cancelNotificationsFor(app, tx, id, 'stopped');
      await cancelRecipients(tx, id, 'queued');
      await endBulkEmail(tx, id, 'cancelled', at);
      const act = { action: 'admin.bulk_email_cancel', resource: 'bulk_email', resourceId: id, at };
      await recordAct(app, tx, administrator, act);
    }
    const [progress] = await progressOf(app, tx, await findBulkEmails(tx, { limit: 1, id }));
    if (!progress) throw notFound();
    return progress;
  });
}

async function refuse(app: App, administrator: Administrator, unknown: number): Promise<never> {
  await app.db.transaction(async (tx) => {
    const at = await app.clock.now(tx);
    const act = { action: 'admin.bulk_email_refuse', resource: 'bulk_email', details: { unknown }, at };
    await recordAct(app, tx, administrator, act);
  });
  throw wrongRecipients('Somebody you selected has no account any more, so nothing was sent. Load the list again.');
}

async function progressOf(app: App, executor: Executor, rows: readonly BulkEmailRow[]): Promise<Progress[]> {
  const counts =
    rows.length === 0
      ? []
      : await countRecipients(
          executor,
          rows.map(({ id }) => id),
        );
  return rows.map(({ id, state, payload, createdAt, endedAt }) => {
    const own = counts.filter(({ bulkEmailId }) => bulkEmailId === id);
    const isWaited = own.some((one) => one.state === 'waiting' || one.state === 'queued');
    const of = (wanted: string) => own.find((one) => one.state === wanted)?.people ?? 0;
    return {
      id,
      subject: openWords(app, id, payload).subject,
      // The worker stores the end with its next round.
      state: state === 'sending' && !isWaited ? 'done' : state,
      createdAt,
      endedAt,
      total: own.reduce((sum, { people }) => sum + people, 0),
      sent: of('sent'),
      failed: of('failed'),
      leftOut: of('left_out'),
      cancelled: of('cancelled'),
    };
  });
}

export function openWords(app: App, id: string, payload: Buffer) {
  return wordsSchema.parse(JSON.parse(app.serviceKeys.unseal(placeOf(id), payload).toString('utf8')));
}

function sealWords(app: App, id: string, words: z.infer<typeof wordsSchema>): Buffer {
  return app.serviceKeys.seal(placeOf(id), Buffer.from(JSON.stringify(words), 'utf8'));
}

function placeOf(id: string) {
  return { table: 'bulk_emails', column: 'payload', rowId: id };
}

function wrongRecipients(message: string): AppError {
  return new AppError('VALIDATION', message, { issues: [{ path: 'recipients', message }] });
}
