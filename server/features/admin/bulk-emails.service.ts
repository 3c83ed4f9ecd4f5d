import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Accounts } from '#server/features/accounts/accounts.service.ts';
import type { Notifications } from '#server/features/notifications/notifications.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import type { Queue } from '#server/platform/queue/queue.ts';
import { type cancelBulkEmail, nobodySelected, type sendBulkEmail } from '#shared/contract/admin.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import type { RouteAnswer, RouteBody } from '#shared/contract/route.ts';
import type { Administration, Administrator } from './administrator.service.ts';
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

type Progress = RouteAnswer<typeof cancelBulkEmail>;

export type BulkEmails = {
  /**
   * Takes news for people on; the worker writes to them. @throws AppError `VALIDATION` where nobody is selected, where
   * an address is of nobody registered, and where nobody of them may be written to. Nothing is sent then.
   */
  begin(
    administrator: Administrator,
    form: RouteBody<typeof sendBulkEmail>,
  ): Promise<RouteAnswer<typeof sendBulkEmail>>;
  /** How far the last ones are, newest first. */
  list(administrator: Administrator): Promise<Progress[]>;
  /** Writes to nobody else. One that is over stays as it is. @throws AppError `NOT_FOUND`. */
  cancel(administrator: Administrator, id: string): Promise<Progress>;
};

export type BulkEmailsDependencies = {
  db: Database;
  clock: Clock;
  serviceKeys: ServiceKeys;
  queue: Pick<Queue, 'wake'>;
  accounts: Pick<Accounts, 'lockOwner'>;
  notifications: Pick<Notifications, 'enqueue' | 'cancelFor' | 'onOutcome'>;
  administration: Administration;
  baseUrl: string;
};

/** The job that says "somebody waits for news". */
export const bulkEmailJob = 'admin.bulk-email';

/** How many of the last ones are told of. */
const listedMax = 10;

const wordsSchema = z.object({ subject: z.string(), message: z.string() });

/** News from the administrator to people: begun, watched and cancelled here; sent by `createBulkSender`. */
export function createBulkEmails(deps: BulkEmailsDependencies): BulkEmails {
  const { db, clock, serviceKeys, queue, notifications, administration } = deps;

  async function refuse(administrator: Administrator, unknown: number): Promise<never> {
    await db.transaction(async (tx) => {
      const at = await clock.now(tx);
      const act = { action: 'admin.bulk_email_refuse', resource: 'bulk_email', details: { unknown }, at };
      await administration.recordAct(tx, administrator, act);
    });
    throw wrongRecipients('Somebody you selected has no account any more, so nothing was sent. Load the list again.');
  }

  async function progressOf(executor: Executor, rows: readonly BulkEmailRow[]): Promise<Progress[]> {
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
        subject: openWords(serviceKeys, id, payload).subject,
        // The worker writes it down with its next round.
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

  return {
    async begin(administrator, { subject, message, recipients }) {
      await administration.requireFresh(administrator);
      const addresses = [...new Set(recipients)];
      if (addresses.length === 0) throw wrongRecipients(nobodySelected);
      const known = await countRegistered(db, addresses);
      if (known < addresses.length) return refuse(administrator, addresses.length - known);

      const id = randomUUID();
      const payload = sealWords(serviceKeys, id, { subject, message });
      const total = await db.transaction(async (tx) => {
        const at = await clock.now(tx);
        const createdBy = administrator.principal.userId;
        await insertBulkEmail(tx, { id, createdBy, payload, state: 'sending', createdAt: at });
        const people = await insertRecipients(tx, { bulkEmailId: id, addresses });
        if (people === 0) throw wrongRecipients('Nobody you selected has a verified address and wants our news.');
        const details = { people, leftOut: addresses.length - people };
        const act = { action: 'admin.bulk_email', resource: 'bulk_email', resourceId: id, details, at };
        await administration.recordAct(tx, administrator, act);
        await queue.wake(tx, bulkEmailJob, { bulkEmailId: id });
        return people;
      });
      return { message: 'Bulk email sent successfully', id, total, leftOut: addresses.length - total };
    },

    async list(administrator) {
      administration.requireAdministrator(administrator);
      return progressOf(db, await findBulkEmails(db, { limit: listedMax }));
    },

    async cancel(administrator, id) {
      await administration.requireFresh(administrator);
      return db.transaction(async (tx) => {
        const row = await lockBulkEmail(tx, id);
        if (!row) throw notFound();
        if (row.state === 'sending') {
          const at = await clock.now(tx);
          // In this order: whoever is just being written to is waited for, and the mail then found and taken back.
          await cancelRecipients(tx, id, 'waiting');
          await notifications.cancelFor(tx, id);
          await cancelRecipients(tx, id, 'queued');
          await endBulkEmail(tx, id, 'cancelled', at);
          const act = { action: 'admin.bulk_email_cancel', resource: 'bulk_email', resourceId: id, at };
          await administration.recordAct(tx, administrator, act);
        }
        const [progress] = await progressOf(tx, await findBulkEmails(tx, { limit: 1, id }));
        if (!progress) throw notFound();
        return progress;
      });
    },
  };
}

export function openWords(keys: ServiceKeys, id: string, payload: Buffer) {
  return wordsSchema.parse(JSON.parse(keys.unseal(placeOf(id), payload).toString('utf8')));
}

function sealWords(keys: ServiceKeys, id: string, words: z.infer<typeof wordsSchema>): Buffer {
  return keys.seal(placeOf(id), Buffer.from(JSON.stringify(words), 'utf8'));
}

function placeOf(id: string) {
  return { table: 'bulk_emails', column: 'payload', rowId: id };
}

function wrongRecipients(message: string): AppError {
  return new AppError('VALIDATION', message, { issues: [{ path: 'recipients', message }] });
}
