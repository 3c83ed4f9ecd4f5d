import { randomUUID } from 'node:crypto';
import type { Accounts } from '#server/features/accounts/accounts.service.ts';
import type { Administration, Administrator } from '#server/features/admin/administrator.service.ts';
import type { Audit, RequestOrigin } from '#server/features/audit/audit.service.ts';
import type { NotificationOutcome, Notifications } from '#server/features/notifications/notifications.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import { unlessBroken } from '#server/platform/crypto/vault.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import { type closeComplaint, complaintsPerPage, type sendComplaint } from '#shared/contract/complaints.ts';
import { notFound } from '#shared/contract/errors.ts';
import type { RouteAnswer, RouteBody } from '#shared/contract/route.ts';
import { damagedTitle } from '#shared/rules/damaged.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { complaintAcknowledgedDays } from '#shared/rules/retention.ts';
import { complaintNoticeEmail, complaintReceiptEmail } from './complaints.emails.ts';
import {
  type ComplaintRow,
  findComplaints,
  insertComplaint,
  lockComplaint,
  storeClosed,
  storeReceipt,
} from './complaints.repository.ts';
import { openComplaint, sealComplaint } from './complaints.sealing.ts';

type Budget = { limit: number; windowMs: number };
type Sender = { principal: { userId: string } | null; origin: RequestOrigin };
type Answer = RouteAnswer<typeof closeComplaint>;

export type Complaints = {
  /** Keeps a complaint and sends its receipt. @throws AppError `RATE_LIMITED`. Gives the reference. */
  receive(sender: Sender, form: RouteBody<typeof sendComplaint>): Promise<string>;
  /** @throws AppError `NOT_FOUND` if `after` names no complaint. */
  list(administrator: Administrator, after: string | undefined): Promise<Answer[]>;
  /** @throws AppError `NOT_FOUND`, `REAUTHENTICATION_REQUIRED`. */
  close(administrator: Administrator, id: string): Promise<Answer>;
};

type Dependencies = {
  db: Database;
  clock: Clock;
  serviceKeys: ServiceKeys;
  accounts: Pick<Accounts, 'lockOwner'>;
  audit: Pick<Audit, 'record'>;
  notifications: Pick<Notifications, 'enqueue' | 'onOutcome'>;
  administration: Administration;
  limits: {
    spend(name: string, budget: Budget): Promise<void>;
    spendOfAddress(name: string, address: string, budget: Budget): Promise<void>;
    spendOfNetwork(name: string, address: string, budget: Budget): Promise<void>;
  };
  baseUrl: string;
  /** Whoever runs the service reads this mailbox. */
  operatorAddress: string;
};

/** Complaints from one address, complaints from its whole network, and receipts to one mailbox. */
const placeBudget: Budget = { limit: 5, windowMs: 3_600_000 };
const networkBudget: Budget = { limit: 40, windowMs: dayMs };
const mailboxBudget: Budget = { limit: 3, windowMs: dayMs };

/** Complaints about the use of personal data, from anybody: kept, acknowledged by mail, and answered by a person. */
export function createComplaints(deps: Dependencies): Complaints {
  const { db, clock, serviceKeys, accounts, audit, notifications, administration, limits, baseUrl } = deps;

  notifications.onOutcome('complaints.receipt', async (tx: Executor, outcome: NotificationOutcome) => {
    const { subjectId, at } = outcome;
    if (subjectId === null) return;
    const isAccepted = outcome.outcome === 'accepted';
    await storeReceipt(tx, subjectId, {
      acknowledgedAt: isAccepted ? at : null,
      receiptFailedAt: isAccepted ? null : at,
    });
  });

  async function write(tx: Executor, { id, email, at }: { id: string; email: string; at: Date }): Promise<void> {
    const shared = { channel: 'email', userId: null, at } as const;
    await notifications.enqueue(tx, {
      ...shared,
      kind: 'complaints.receipt',
      subjectId: id,
      dedupeKey: `complaints.receipt:${id}`,
      to: { address: email },
      mail: complaintReceiptEmail({ reference: referenceOf(id), baseUrl }),
    });
    const hour = at.toISOString().slice(0, 13);
    await notifications.enqueue(tx, {
      ...shared,
      kind: 'operator.complaint',
      subjectId: null,
      dedupeKey: `operator.complaint:${hour}`,
      to: { address: deps.operatorAddress },
      mail: complaintNoticeEmail({ acknowledgeDays: complaintAcknowledgedDays, baseUrl }),
    });
  }

  function answerOf({ payload, userId: _, ...row }: ComplaintRow): Answer {
    const opened = unlessBroken(() => openComplaint(serviceKeys, row.id, payload));
    return {
      ...row,
      ...(opened ?? { name: damagedTitle, email: '', words: '', isDamaged: true as const }),
      reference: referenceOf(row.id),
      acknowledgeBy: new Date(row.receivedAt.getTime() + complaintAcknowledgedDays * dayMs),
    };
  }

  return {
    async receive({ principal, origin }, { name, email, words }) {
      await limits.spendOfAddress('complaint', origin.ipAddress ?? 'unknown', placeBudget);
      await limits.spendOfNetwork('complaint', origin.ipAddress ?? 'unknown', networkBudget);
      await limits.spend(`complaint of ${email}`, mailboxBudget);
      const id = randomUUID();
      await db.transaction(async (tx) => {
        const owner = principal ? await accounts.lockOwner(tx, principal.userId) : null;
        const userId = owner?.id ?? null;
        const at = await clock.now(tx);
        const payload = sealComplaint(serviceKeys, id, { name, email, words });
        await insertComplaint(tx, { id, userId, payload, receivedAt: at });
        await audit.record(tx, {
          userId,
          action: 'complaint.receive',
          resource: 'complaint',
          resourceId: id,
          origin,
          at,
        });
        await write(tx, { id, email, at });
      });
      return referenceOf(id);
    },

    async list(administrator, after) {
      administration.requireAdministrator(administrator);
      const rows = await findComplaints(db, { after, limit: complaintsPerPage });
      if (!rows) throw notFound('The list has changed. Begin again with the first page.');
      return rows.map(answerOf);
    },

    async close(administrator, id) {
      await administration.requireFresh(administrator);
      return db.transaction(async (tx) => {
        await accounts.lockOwner(tx, administrator.principal.userId);
        const row = await lockComplaint(tx, id);
        if (!row) throw notFound();
        if (row.closedAt) return answerOf(row);
        const at = await clock.now(tx);
        const act = { action: 'admin.complaint_close', resource: 'complaint', resourceId: id, at };
        await administration.recordAct(tx, administrator, act);
        return answerOf(await storeClosed(tx, id, at));
      });
    },
  };
}

/** Short enough to be said on the telephone. */
function referenceOf(id: string): string {
  return `EK-${id.slice(0, 8).toUpperCase()}`;
}
