import { inArray, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { users } from '#server/schema/accounts.tables.ts';
import { messageDeliveries } from '#server/schema/delivery.tables.ts';
import { serviceHealth } from '#server/schema/service-health.tables.ts';
import { createDeliveryWorld, tokenIn } from './delivery.test-world.ts';

const dayMs = 86_400_000;
/** More than one batch. */
const damagedLetters = 101;

let world: Awaited<ReturnType<typeof createDeliveryWorld>>;

beforeAll(async () => {
  world = await createDeliveryWorld();
});
afterAll(() => world.close());

/** Letters that reached their recipients a week ago and are unopened. */
async function sendAWeekAgo(addresses: readonly string[]): Promise<string[]> {
  const letters = await Promise.all(addresses.map((address) => world.newMessage(address)));
  const ids = letters.map(({ id }) => id);
  await world.release(await world.newRequest(), letters);
  const at = await world.clock.now();
  const linkBeganHealthyMs = await world.healthyMs();
  await world.db
    .update(messageDeliveries)
    .set({ status: 'accepted', deliveredAt: at, linkBeganHealthyMs, endedAt: at })
    .where(inArray(messageDeliveries.messageId, ids));
  world.clock.advance(7 * dayMs);
  return ids;
}

const sendAllDue = async () => {
  const at = await world.clock.now();
  while ((await world.deliveries.sendDue(at)) > 0);
};
const reminders = (address: string) => world.post.count('delivery.reminder', address);

describe('while it is frozen', () => {
  it.each([
    ['everybody is', (at: Date | null) => world.db.update(serviceHealth).set({ frozenAt: at })],
    ['its owner is', (at: Date | null) => world.db.update(users).set({ releaseFrozenAt: at })],
  ])('because %s, no unopened letter is sent again, and afterwards it is', async (who, freeze) => {
    const address = `${who.split(' ')[0]}@frozen.example`;
    await sendAWeekAgo([address]);
    await freeze(await world.clock.now());
    await sendAllDue();
    expect(reminders(address)).toBe(0);
    await freeze(null);
    await sendAllDue();
    expect(reminders(address)).toBe(1);
  });
});

describe('after an outage of 31 days', () => {
  it('the link still opens its letter, and both reminders come on their own days', async () => {
    const address = 'nell@outage.example';
    const letter = await world.newMessage(address);
    await world.release(await world.newRequest(), [letter]);
    const mail = world.post.waiting('delivery.letter', address);
    const link = tokenIn(mail);
    await world.end(mail, 'accepted');
    const { expiresAt } = await world.deliveries.read(link);

    world.clock.advance(31 * dayMs);
    world.outage.ms += 31 * dayMs;
    const after = await world.deliveries.read(link);
    expect(after.expiresAt.getTime() - expiresAt.getTime()).toBe(31 * dayMs);
    await sendAllDue();
    expect(reminders(address)).toBe(0);

    for (const [days, sent] of [
      [7, 1],
      [16, 2],
    ] as const) {
      world.clock.advance(days * dayMs);
      await sendAllDue();
      expect(reminders(address)).toBe(sent);
    }
    world.clock.advance(7 * dayMs);
    await expect(world.deliveries.read(link)).rejects.toMatchObject({ status: 404 });
  });
});

describe('a letter that cannot be sent again', () => {
  it('because its owner’s vault does not open stops no other, and goes when it does', async () => {
    const addresses = ['vault1@a.example', 'vault2@a.example', 'vault3@a.example'];
    await sendAWeekAgo(addresses);
    world.broken.vaultOpenings = 1;
    expect(await world.deliveries.sendDue(await world.clock.now())).toBe(2);
    expect(world.logged).toMatchObject([{ owner: world.ownerId, failure: 'Error' }]);
    expect(JSON.stringify(world.logged)).not.toContain('@');

    await sendAllDue();
    expect(addresses.map(reminders)).toEqual([1, 1, 1]);
  });

  it('because its address is damaged keeps no other back, however many there are of them', async () => {
    const damaged = await sendAWeekAgo(
      Array.from({ length: damagedLetters }, (_, number) => `damaged${number}@a.example`),
    );
    await world.db
      .update(messageDeliveries)
      .set({ recipientEmail: sql`'damaged'` })
      .where(inArray(messageDeliveries.messageId, damaged));
    await sendAWeekAgo(['whole@a.example']);
    await sendAllDue();
    expect(reminders('whole@a.example')).toBe(1);
    await sendAllDue();
    expect(reminders('whole@a.example')).toBe(1);
  });
});
