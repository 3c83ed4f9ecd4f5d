import { randomUUID, randomUUIDv7 } from 'node:crypto';
import type { Logger } from 'pino';
import type { App } from '#server/app.ts';
import { recordAudit } from '#server/features/audit/record.ts';
import { releaseVoucherReservation } from '#server/features/vouchers/vouchers.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { wakeTask } from '#server/platform/db/wakes.ts';
import { type PaymentFact, subjectsOf } from '#server/platform/payments/payment-facts.rules.ts';
import { type IncomingWebhook, PaymentError, type ProviderName } from '#server/platform/payments/payments.ts';
import { notFound } from '#shared/contract/errors.ts';
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
import { settlePurchase } from './settlement.ts';
import { findByCustomer, findByProviderSubscription } from './subscriptions.repository.ts';
import { verifiedEvent } from './verified-webhooks.ts';

export type PaymentEventsLog = Pick<Logger, 'warn' | 'error'>;

const workLimit = 100;
/** Time for which one worker owns an event before another worker may take it. */
const leaseMs = 60_000;
/**
 * Retry delays for an event without a purchase, whose other half may still arrive. After the last delay it is dropped.
 */
const retryAfterMs = [5_000, 60_000, 600_000, 3_600_000, 6 * 3_600_000, 24 * 3_600_000, 48 * 3_600_000] as const;
/** Time for which bodies are kept, in case of a question about the exact message. */
const bodyKeptMs = 90 * 86_400_000;
const purgeLimit = 1_000;

/**
 * Receives a webhook: checks the signature and stores the event. The worker does the rest.
 * @throws AppError `NOT_FOUND` if this provider is not in use, and the refusals of `verifiedEvent`. The provider then
 * repeats the webhook.
 */
export async function receiveWebhook(app: App, name: ProviderName, webhook: IncomingWebhook): Promise<void> {
  return void (await store(app, name, webhook));
}

/** Receives a webhook and processes it immediately. The sandbox has no worker to wait for. */
export async function receiveWebhookNow(app: App, name: ProviderName, webhook: IncomingWebhook): Promise<void> {
  const leasedUntil = leaseFrom(await app.clock.now());
  const id = await store(app, name, webhook, leasedUntil);
  if (id) await process(app, id, leasedUntil);
}

/** Stores the provider's answer to one of our calls as an event, and processes it. */
export async function noteProviderAnswer(
  app: App,
  provider: ProviderName,
  checkoutId: string,
  facts: readonly PaymentFact[],
): Promise<void> {
  if (facts.length === 0) return;
  const id = randomUUIDv7();
  const at = await app.clock.now();
  const leasedUntil = leaseFrom(at);
  // The answer has the present time, by our own clock.
  const named = facts.map((fact) => ({ ...fact, checkoutId, atMs: at.getTime() }));
  await insertEvent(app.db, {
    id,
    provider,
    providerEventId: `answer:${randomUUID()}`,
    type: 'answer',
    facts: named,
    subjects: named.flatMap(subjectsOf),
    occurredAt: at,
    receivedAt: at,
    nextAttemptAt: leasedUntil,
  });
  await process(app, id, leasedUntil);
}

/** Processes at most `limit` due events. Returns their number. */
export async function processDueEvents(app: App, limit: number = workLimit): Promise<number> {
  const due = await listDueEvents(app.db, await app.clock.now(), limit);
  for (const id of due) await safely(app, () => process(app, id), { event: id });
  return due.length;
}

export function nextEventAt(app: App): Promise<Date | null> {
  return findNextEvent(app.db);
}

/** Clears bodies that have expired. Returns their number. */
export async function emptyEventBodies(app: App, limit: number = purgeLimit): Promise<number> {
  return emptyBodies(app.db, new Date((await app.clock.now()).getTime() - bodyKeptMs), limit);
}

function contextOf(id: string) {
  return { table: 'payment_events', column: 'body', rowId: id };
}

function leaseFrom(at: Date): Date {
  return new Date(at.getTime() + leaseMs);
}

/** @param leasedUntil lease of the caller, who processes the event; without it, any worker may take the event. */
async function store(
  app: App,
  name: ProviderName,
  webhook: IncomingWebhook,
  leasedUntil?: Date,
): Promise<string | null> {
  const provider = app.payments.find(name);
  if (!provider) throw notFound();
  const told = await verifiedEvent(app, provider, webhook);
  const id = randomUUIDv7();
  return app.db.transaction(async (tx) => {
    const at = await app.clock.now(tx);
    const isNew = await insertEvent(tx, {
      id,
      provider: name,
      providerEventId: told.id,
      type: told.type,
      body: app.serviceKeys.seal(contextOf(id), webhook.body),
      occurredAt: told.at,
      receivedAt: at,
      nextAttemptAt: leasedUntil ?? at,
    });
    if (isNew) await wakeTask(tx, 'payments');
    return isNew ? id : null;
  });
}

/** @param leasedUntil lease with which the caller stored the event; no worker takes it before. */
async function process(app: App, id: string, leasedUntil?: Date): Promise<void> {
  const at = await app.clock.now();
  const event = await claimEvent(app.db, { id, at: leasedUntil ?? at, leaseUntil: leaseFrom(at) });
  if (!event) return;
  const facts = event.facts ?? (await read(app, event, at));
  if (!facts) return;
  const subjects = [...new Set(facts.flatMap(subjectsOf))];
  await storeEvent(app.db, id, { facts, subjects });
  await app.db.transaction(async (tx) => {
    const checkoutId = await purchaseOf(tx, event.provider, subjects);
    if (!checkoutId) return place(app, tx, { ...event, facts }, at);
    await closeExpired(tx, facts);
    await settlePurchase(app, tx, checkoutId, await app.clock.now(tx));
    // The first payment of the purchase may still arrive. Until then no fact was applied.
    await keepWaiting(tx, { ...event, facts }, at);
  });
}

/** Null if the event needs no work, or not now. */
async function read(app: App, event: EventRow, at: Date): Promise<PaymentFact[] | null> {
  const provider = app.payments.find(event.provider);
  if (!provider || !event.body) {
    await storeEvent(app.db, event.id, { status: 'ignored', reason: 'provider', nextAttemptAt: null });
    return null;
  }
  try {
    const facts = await provider.interpret(app.serviceKeys.unseal(contextOf(event.id), event.body));
    if (facts.length > 0) return facts;
    await storeEvent(app.db, event.id, { status: 'ignored', reason: 'kind', facts, nextAttemptAt: null });
  } catch (error) {
    const code = error instanceof PaymentError ? error.code : 'unreadable';
    app.log.warn({ provider: event.provider, event: event.id, code }, 'an event could not be read');
    await app.db.transaction((tx) => place(app, tx, event, at));
  }
  return null;
}

/** Schedules a retry, and drops the event after the last one. Both are in the audit log. */
async function place(app: App, tx: Executor, event: EventRow, at: Date): Promise<void> {
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
  await recordAudit(app, tx, { userId: null, action, resource: 'payment-event', resourceId: event.id, details, at });
}

async function closeExpired(tx: Executor, facts: readonly PaymentFact[]): Promise<void> {
  for (const { kind, checkoutId } of facts) {
    if (kind !== 'checkout_expired' || !checkoutId) continue;
    await expireCheckout(tx, checkoutId);
    await releaseVoucherReservation(tx, checkoutId);
  }
}

/** One that fails must not keep the others waiting, nor letters. Its lease brings it back. */
async function safely(app: App, work: () => Promise<void>, about: object): Promise<void> {
  try {
    await work();
  } catch (err) {
    app.log.error({ err, ...about }, 'an event of a payment provider could not be worked on');
  }
}

/** Schedules a retry for an event that the purchase could not use yet. */
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
