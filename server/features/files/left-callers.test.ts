import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { billingOf, buy } from '#server/features/billing/billing.test-world.ts';
import { receiptJob } from '#server/features/billing/receipts/receipt.ts';
import { createFilesWorld, type FilesWorld } from '#server/features/documents/vault-files.test-world.ts';
import { headJob } from '#server/platform/files/read-head.ts';
import { jobCounts, othersWait, runInThread } from '#server/platform/threads/pool.ts';
import { formBody, photograph } from '#tests/support/forms.ts';

let world: FilesWorld;
beforeAll(async () => {
  world = await createFilesWorld();
});
afterAll(() => world.close());

const module = new URL('../../platform/threads/hostile.fixture.ts', import.meta.url);

/** Occupies the thread of short jobs, after the waiting jobs, until `end` is called. */
function hold() {
  const { promise, resolve } = Promise.withResolvers<string>();
  const job = { name: 'held', module, lane: 'short', busyMs: 60_000 } as const;
  const running = runInThread(job, { input: '', answer: () => promise });
  return {
    async end() {
      resolve('there');
      await running;
    },
  };
}

describe('a caller who closes the connection', () => {
  test('during an upload frees the place in the queue, and no part of the file is left', async () => {
    const owner = await world.newOwner();
    const letter = { title: 'For Priya', content: 'Look.', recipientEmail: 'priya@example.org' };
    const { id } = (await owner.browser.send('POST', '/api/messages', { body: letter })).json<{ id: string }>();
    const path = `/api/messages/${id}/enclosures`;
    const { body, type } = formBody({ file: { name: 'a.jpg', content: photograph } });
    const send = () => {
      const call = world.connect(owner, path, { 'content-type': type, 'content-length': body.length });
      call.on('error', () => undefined);
      call.end(body);
      return call;
    };
    const before = await world.kept();

    // The job that reads the kind waits.
    const first = hold();
    const { started } = jobCounts(headJob);
    const early = send();
    await expect.poll(() => othersWait(headJob)).toBe(true);
    early.destroy();
    await expect.poll(() => othersWait(headJob)).toBe(false);
    expect(jobCounts(headJob).started).toBe(started);

    // The job that reads the kind runs, and the one that reads the size waits.
    const late = send();
    await expect.poll(() => othersWait(headJob)).toBe(true);
    const second = hold();
    await first.end();
    await expect.poll(() => [jobCounts(headJob).started, othersWait(headJob)]).toEqual([started + 1, true]);
    late.destroy();
    await expect.poll(() => othersWait(headJob)).toBe(false);
    expect(jobCounts(headJob).started).toBe(started + 1);
    await second.end();
    await expect.poll(() => world.kept()).toEqual(before);
  });

  test('during a receipt frees the place in the queue', async () => {
    const owner = await world.newOwner('free');
    await buy(world, owner.browser, { plan: 'essential' });
    const { payments } = await billingOf(owner);
    const path = `/api/billing/payments/${payments[0]?.id}/receipt`;
    const held = hold();
    const { started } = jobCounts(receiptJob);
    const call = request({
      host: '127.0.0.1',
      port: world.port,
      path,
      headers: { cookie: owner.browser.cookie ?? '' },
    });
    call.on('error', () => undefined).end();
    await expect.poll(() => othersWait(receiptJob)).toBe(true);
    call.destroy();
    await expect.poll(() => othersWait(receiptJob)).toBe(false);
    await held.end();
    expect(jobCounts(receiptJob).started).toBe(started);
  });
});
