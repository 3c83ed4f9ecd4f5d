import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { constantTimeMs, inConstantTime } from '#server/platform/clock/constant-time.ts';
import { createBrowser, createTestApp, newPerson, signedIn, type TestApp } from '#tests/support/app.ts';

let test: TestApp;

beforeAll(async () => {
  test = await createTestApp({ parts: { answerFloorMs: constantTimeMs } });
});
afterAll(() => test.close());

/** The answer, and true if it took at least the floor. A timer may fire a moment early. */
async function answerTo(url: string, body: object) {
  const start = performance.now();
  const answer = await createBrowser(test.app).send('POST', url, { body });
  return { told: `${answer.statusCode} ${answer.body}`, isAtFloor: performance.now() - start >= constantTimeMs - 2 };
}

describe('an answer that must not reveal if an address is known', () => {
  it('is equal for both, and never faster than the floor', async () => {
    const { person } = await signedIn(test);
    const form = { ...newPerson(), confirmPassword: 'twelve lemons in a bowl' };
    const pairs = [
      ['/api/reset-password', { email: person.email }, { email: 'nobody@people.example' }],
      ['/api/register', { ...form, email: person.email }, form],
    ] as const;
    for (const [url, known, unknown] of pairs) {
      const toKnown = await answerTo(url, known);
      expect(toKnown.isAtFloor).toBe(true);
      expect(await answerTo(url, unknown)).toEqual(toKnown);
    }
  });
});

describe('work in constant time', () => {
  const floorMs = 300;
  it.each([
    ['ends', async () => 'done'],
    ['fails', () => Promise.reject(new Error('It broke.'))],
  ])('that %s immediately is answered at the floor and not before', async (_, work) => {
    const start = performance.now();
    await inConstantTime(floorMs, work).catch(() => undefined);
    expect(performance.now() - start).toBeGreaterThanOrEqual(floorMs - 2);
  });
});
