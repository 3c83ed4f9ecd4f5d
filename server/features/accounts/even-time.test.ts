import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBrowser, createTestApp, newPerson, signedIn, type TestApp } from '#tests/support/app.ts';
import { evenTimeMs } from './even-time.ts';

let test: TestApp;

beforeAll(async () => {
  test = await createTestApp({ accounts: { answerFloorMs: evenTimeMs } });
});
afterAll(() => test.close());

async function time(url: string, body: object): Promise<{ ms: number; answer: string }> {
  const start = performance.now();
  const answer = await createBrowser(test.app).send('POST', url, { body });
  return { ms: performance.now() - start, answer: `${answer.statusCode} ${answer.body}` };
}

describe('an answer that must not tell whether an address is known', () => {
  it('takes as long for one as for the other, and never less than the floor', async () => {
    const { person } = await signedIn(test);
    const form = { ...newPerson(), confirmPassword: 'twelve lemons in a bowl' };
    const pairs = [
      [
        await time('/api/reset-password', { email: person.email }),
        await time('/api/reset-password', { email: 'nobody@people.example' }),
      ],
      [await time('/api/register', { ...form, email: person.email }), await time('/api/register', form)],
    ] as const;
    for (const [known, unknown] of pairs) {
      expect(known.answer).toBe(unknown.answer);
      expect(Math.min(known.ms, unknown.ms)).toBeGreaterThanOrEqual(evenTimeMs - 2);
      expect(Math.abs(known.ms - unknown.ms)).toBeLessThan(100);
    }
  });
});
