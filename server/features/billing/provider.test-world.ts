import { and, eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { auditLogs } from '#server/schema/audit.tables.ts';
import { checkouts, paymentEvents } from '#server/schema/billing.tables.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { createEverkept, type Everkept, type Owner } from '#tests/support/everkept.ts';
import type { Forgery, Till, Wrong } from '#tests/support/tills/till.ts';
import { billingOf, ownerByRow, planOf, renewSessions, subscribe, type Wish } from './billing.test-world.ts';
import { processDueBilling } from './billing.ts';

/** Through the application: checkout by HTTP, the provider's own protocol, its signed webhook, the plan. */
export function providerWorld(open: () => Promise<Till>) {
  let till: Till;
  let everkept: Everkept;
  let owner: Owner;
  let aheadDays = 0;
  const appTime = () => new Date(Date.now() + aheadDays * dayMs);

  beforeAll(async () => {
    till = await open();
    everkept = await createEverkept({ payments: (ground) => till.payments(ground) });
  });
  beforeEach(async () => {
    till.take();
    owner = await ownerByRow(everkept, appTime());
  });
  afterAll(async () => {
    await everkept.close();
    await till.close();
  });

  const post = (body: string, forgery?: Forgery) => {
    const { body: payload, headers } = till.sign(body, forgery);
    return everkept.app.inject({ method: 'POST', url: `/api/webhooks/${till.name}`, headers, payload });
  };
  const statuses = async (answers: Promise<{ statusCode: number }>[]) => [
    ...new Set((await Promise.all(answers)).map(({ statusCode }) => statusCode)),
  ];

  return {
    till: () => till,
    owner: () => owner,
    another: () => ownerByRow(everkept, appTime()),
    log: () => everkept.log.join('\n'),
    post,
    work: () => processDueBilling(everkept.opened),
    everkept: () => everkept,
    send: (verb: string, body: object = {}) => owner.browser.send('POST', `/api/subscriptions/${verb}`, { body }),
    billing: () => billingOf(owner),
    plan: () => planOf(owner),

    /** Delivers all pending webhooks, in the given order, until none is left. */
    async deliver(bodies = till.take()) {
      for (let left = bodies; left.length > 0; left = till.take()) {
        for (const body of left) expect((await post(body)).statusCode).toBe(200);
        await processDueBilling(everkept.opened);
      }
    },
    async atOnce(bodies: string[]) {
      return statuses(bodies.map((body) => post(body)));
    },

    async open(wish: Wish): Promise<string> {
      const answer = await subscribe(owner.browser, wish);
      expect(answer.statusCode).toBe(200);
      return answer.json<{ paymentUrl: string }>().paymentUrl;
    },
    async pass(days: number) {
      aheadDays += days;
      await everkept.jump(days);
      await renewSessions(everkept, appTime());
      till.setAheadMs(aheadDays * dayMs);
      await processDueBilling(everkept.opened);
    },
    async refusals(): Promise<unknown[]> {
      const { db } = everkept.database;
      const ofOwner = and(eq(auditLogs.userId, owner.userId), eq(auditLogs.action, 'payment.refuse'));
      return (await db.select().from(auditLogs).where(ofOwner)).map(({ details }) => details);
    },
    unknownCount: () => everkept.database.db.$count(auditLogs, eq(auditLogs.action, 'payment.unknown')),
    async checkoutIds(): Promise<string[]> {
      const rows = await everkept.database.db.select().from(checkouts).where(eq(checkouts.userId, owner.userId));
      return rows.map(({ id }) => id);
    },
    async eventCount(): Promise<number> {
      return everkept.database.db.$count(paymentEvents);
    },
    /** Kinds of events that were noted because their shape is unknown. */
    unknownShapes() {
      const { type, body } = paymentEvents;
      const ofShape = eq(paymentEvents.reason, 'shape');
      return everkept.database.db.select({ type, body }).from(paymentEvents).where(ofShape);
    },
  };
}

export type ProviderWorld = ReturnType<typeof providerWorld>;

/** A paid plan. Returns the till's name of it. */
export async function bought({ open, till, deliver }: ProviderWorld, wish: Wish, wrong?: Wrong): Promise<string> {
  const purchase = await till().pay(await open(wish), wrong);
  await deliver();
  return purchase;
}
