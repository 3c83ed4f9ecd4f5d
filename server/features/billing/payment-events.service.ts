import { randomUUID, randomUUIDv7 } from 'node:crypto';
import type { Logger } from 'pino';
import type { Audit } from '#server/features/audit/audit.service.ts';
import type { Vouchers } from '#server/features/vouchers/vouchers.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import { type PaymentFact, subjectsOf } from '#server/platform/payments/payment-facts.rules.ts';
import {
  type IncomingWebhook,
  PaymentError,
  type PaymentProvider,
  type Payments,
  type ProviderName,
  WebhookRefused,
} from '#server/platform/payments/payments.ts';
import type { Queue } from '#server/platform/queue/queue.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import { expireCheckout, findCheckout } from './checkouts.repository.ts';
import {
  claimEvent,
  type EventRow,
  emptyBodies,
  findNextEvent,
  insertEvent,
  listDueEvents,
  listEventsAbout,
  storeEvent,
} from './payment-events.repository.ts';
import type { Settlement } from './settlement.service.ts';
import { findByCustomer, findByProviderSubscription } from './subscriptions.repository.ts';

/** The job that says "a provider has told something". */
export const eventJob = 'billing.events';

export type PaymentEventsLog = Pick<Logger, 'warn' | 'error'>;

export type PaymentEvents = {
  /**
   * Takes a webhook: its signature is checked, what it says is stored, and nothing more is done before the answer.
   * @throws AppError `NOT_FOUND` where this provider is not used here, `UNAUTHENTICATED` for a signature that is not
   * good, `UNAVAILABLE` where the provider had to be asked and was not there; it then tells it again.
   */
  receive(provider: ProviderName, webhook: IncomingWebhook): Promise<void>;
  /** The same, and what follows is done at once. For the sandbox, which has no webhook to wait for. */
  receiveNow(provider: ProviderName, webhook: IncomingWebhook): Promise<void>;
  /** Keeps what a provider has answered to a call of ours, as if it had told it, and does what follows. */
  noteAnswer(provider: ProviderName, checkoutId: string, facts: readonly PaymentFact[]): Promise<void>;
  /** Does what follows from what was told, at most `limit`. Gives how many were looked at. */
  workDue(limit?: number): Promise<number>;
  nextDueAt(): Promise<Date | null>;
  /** Empties bodies that are of no more use. Gives how many. */
  purge(limit?: number): Promise<number>;
};

type Dependencies = {
  db: Database;
  clock: Clock;
  audit: Audit;
  payments: Payments;
  serviceKeys: ServiceKeys;
  settlement: Settlement;
  vouchers: Vouchers;
  queue: Queue;
  log: PaymentEventsLog;
};

const workLimit = 100;
/** How long one worker has for an event before another may take it. */
const leaseMs = 60_000;
/** What cannot be placed yet is looked at again: its other half may be on its way. Afterwards it is given up. */
const retryAfterMs = [5_000, 60_000, 600_000, 3_600_000, 6 * 3_600_000, 24 * 3_600_000, 48 * 3_600_000] as const;
/** A body is kept so long, for the day somebody asks what exactly was told. */
const bodyKeptMs = 90 * 86_400_000;
const purgeLimit = 1_000;

export function createPaymentEvents(deps: Dependencies): PaymentEvents {
  const { db, clock, audit, payments, serviceKeys, settlement, vouchers, queue, log } = deps;
  const contextOf = (id: string) => ({ table: 'payment_events', column: 'body', rowId: id });

  async function store(name: ProviderName, webhook: IncomingWebhook): Promise<string | null> {
    const provider = payments.find(name);
    if (!provider) throw notFound();
    const told = await verified(log, provider, webhook);
    const id = randomUUIDv7();
    return db.transaction(async (tx) => {
      const at = await clock.now(tx);
      const isNew = await insertEvent(tx, {
        id,
        provider: name,
        providerEventId: told.id,
        type: told.type,
        body: serviceKeys.seal(contextOf(id), webhook.body),
        occurredAt: told.at,
        receivedAt: at,
        nextAttemptAt: at,
      });
      if (isNew) await queue.wake(tx, eventJob, { eventId: id });
      return isNew ? id : null;
    });
  }

  async function process(id: string): Promise<void> {
    const at = await clock.now();
    const event = await claimEvent(db, { id, at, leaseUntil: new Date(at.getTime() + leaseMs) });
    if (!event) return;
    const facts = event.facts ?? (await read(event, at));
    if (!facts) return;
    const subjects = [...new Set(facts.flatMap(subjectsOf))];
    await storeEvent(db, id, { facts, subjects });
    await db.transaction(async (tx) => {
      const checkoutId = await purchaseOf(tx, event.provider, subjects);
      if (!checkoutId) return place(tx, { ...event, facts }, at);
      await closeExpired(tx, facts);
      await settlement.settle(tx, checkoutId, await clock.now(tx));
      // What the purchase was waiting for may still be to come; until it is bought, nothing was applied.
      await keepWaiting(tx, { ...event, facts }, at);
    });
  }

  /** Null where nothing is to be done with it, or not now. */
  async function read(event: EventRow, at: Date): Promise<PaymentFact[] | null> {
    const provider = payments.find(event.provider);
    if (!provider || !event.body) {
      await storeEvent(db, event.id, { status: 'ignored', reason: 'provider', nextAttemptAt: null });
      return null;
    }
    try {
      const facts = await provider.interpret(serviceKeys.unseal(contextOf(event.id), event.body));
      if (facts.length > 0) return facts;
      await storeEvent(db, event.id, { status: 'ignored', reason: 'kind', facts, nextAttemptAt: null });
    } catch (error) {
      const code = error instanceof PaymentError ? error.code : 'unreadable';
      log.warn({ provider: event.provider, event: event.id, code }, 'an event could not be read');
      await db.transaction((tx) => place(tx, event, at));
    }
    return null;
  }

  /** Looks at it again later, and gives it up in the end; both are in the audit log. */
  async function place(tx: Executor, event: EventRow, at: Date): Promise<void> {
    const waitMs = retryAfterMs[event.attempts - 1];
    const isOver = waitMs === undefined;
    await storeEvent(tx, event.id, {
      status: isOver ? 'refused' : 'waiting',
      reason: 'unknown',
      nextAttemptAt: isOver ? null : new Date(at.getTime() + waitMs),
    });
    if (event.attempts > 1 && !isOver) return;
    const action = isOver ? 'payment.give-up' : 'payment.unknown';
    const details = { provider: event.provider, type: event.type };
    await audit.record(tx, { userId: null, action, resource: 'payment-event', resourceId: event.id, details, at });
  }

  async function closeExpired(tx: Executor, facts: readonly PaymentFact[]): Promise<void> {
    for (const { kind, checkoutId } of facts) {
      if (kind !== 'checkout_expired' || !checkoutId) continue;
      await expireCheckout(tx, checkoutId);
      await vouchers.release(tx, checkoutId);
    }
  }

  /** One that fails must not keep the others waiting, nor letters. Its lease brings it back. */
  async function safely(work: () => Promise<void>, about: object): Promise<void> {
    try {
      await work();
    } catch (err) {
      log.error({ err, ...about }, 'an event of a payment provider could not be worked on');
    }
  }

  return {
    receive: async (name, webhook) => void (await store(name, webhook)),

    async receiveNow(name, webhook) {
      const id = await store(name, webhook);
      if (id) await process(id);
    },

    async noteAnswer(provider, checkoutId, facts) {
      if (facts.length === 0) return;
      const id = randomUUIDv7();
      const at = await clock.now();
      // An answer is of now, by the same clock as everything else.
      const named = facts.map((fact) => ({ ...fact, checkoutId, atMs: at.getTime() }));
      await insertEvent(db, {
        id,
        provider,
        providerEventId: `answer:${randomUUID()}`,
        type: 'answer',
        facts: named,
        subjects: named.flatMap(subjectsOf),
        occurredAt: at,
        receivedAt: at,
        nextAttemptAt: at,
      });
      await process(id);
    },

    async workDue(limit = workLimit) {
      const due = await listDueEvents(db, await clock.now(), limit);
      for (const id of due) await safely(() => process(id), { event: id });
      return due.length;
    },

    nextDueAt: () => findNextEvent(db),

    async purge(limit = purgeLimit) {
      return emptyBodies(db, new Date((await clock.now()).getTime() - bodyKeptMs), limit);
    },
  };
}

async function verified(log: PaymentEventsLog, provider: PaymentProvider, webhook: IncomingWebhook) {
  try {
    return await provider.verify(webhook);
  } catch (error) {
    if (error instanceof WebhookRefused) {
      log.warn({ provider: provider.name, refusal: error.reason }, 'a webhook was refused');
      throw new AppError('UNAUTHENTICATED', 'The signature of this webhook is not good.');
    }
    if (error instanceof PaymentError) {
      log.warn({ provider: provider.name, code: error.code }, 'a webhook could not be checked');
      throw new AppError('UNAVAILABLE', 'This webhook could not be checked. Send it again.');
    }
    throw error;
  }
}

/** What a purchase was told of and has not used is looked at again later. */
async function keepWaiting(tx: Executor, event: EventRow & { facts: PaymentFact[] }, at: Date): Promise<void> {
  if (event.facts.every(({ kind }) => kind === 'checkout_expired')) {
    await storeEvent(tx, event.id, { status: 'applied', nextAttemptAt: null });
    return;
  }
  const [current] = (await listEventsAbout(tx, event.provider, event.facts.flatMap(subjectsOf))).filter(
    ({ id }) => id === event.id,
  );
  if (current?.status !== 'stored' && current?.status !== 'waiting') return;
  const waitMs = retryAfterMs[event.attempts - 1];
  await storeEvent(tx, event.id, {
    status: waitMs === undefined ? 'refused' : 'waiting',
    reason: 'unpaid',
    nextAttemptAt: waitMs === undefined ? null : new Date(at.getTime() + waitMs),
  });
}

/** More names than the events of one purchase have between its checkout and a refund. */
const tiesMax = 4;

/** The purchase that these names belong to, by what we know ourselves or by another event that shares one. */
async function purchaseOf(tx: Executor, provider: ProviderName, subjects: readonly string[]): Promise<string | null> {
  const names = new Set(subjects);
  for (let step = 0; step < tiesMax && names.size > 0; step += 1) {
    for (const name of names) {
      const found = await ownerOfName(tx, provider, name);
      if (found) return found;
    }
    const before = names.size;
    const tied = [...names].filter((name) => !name.startsWith('customer:'));
    if (tied.length === 0) return null;
    for (const event of await listEventsAbout(tx, provider, tied)) for (const name of event.subjects) names.add(name);
    if (names.size === before) return null;
  }
  return null;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

async function ownerOfName(tx: Executor, provider: ProviderName, name: string): Promise<string | null> {
  const kind = name.slice(0, name.indexOf(':'));
  const value = name.slice(kind.length + 1);
  if (kind === 'subscription') return findByProviderSubscription(tx, provider, value);
  if (kind === 'customer') return findByCustomer(tx, provider, value);
  if (kind !== 'checkout' || !uuid.test(value)) return null;
  const checkout = await findCheckout(tx, value);
  if (checkout?.provider !== provider) return null;
  return checkout.subscriptionId ?? checkout.id;
}
