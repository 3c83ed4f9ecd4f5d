import { expect, test } from 'vitest';
import { faultOf } from './faults.ts';
import { hasGrown } from './memory.ts';
import type { Hostile } from './requests.ts';
import { runHostile } from './run.ts';
import type { Answer } from './wire.ts';

/** `npm run hostile` asks for more. */
const requests = Number(process.env.HOSTILE_REQUESTS ?? 1_000);
const seed = Number(process.env.HOSTILE_SEED ?? 1);
const minutes = Number(process.env.HOSTILE_MINUTES ?? 3);
const isAsked = process.env.HOSTILE_REQUESTS !== undefined;
const graceMs = 300_000;

test(
  'hostile requests of every kind break nothing, reveal no other person’s data, and leave memory as it was',
  async () => {
    const say = (line: string) => void (isAsked && process.stderr.write(`${line}\n`));
    say(`seed ${seed}`);
    const { faults, sent, statuses } = await runHostile({ requests, seed, minutes, say });
    expect(faults).toEqual([]);
    expect(sent).toBeGreaterThan(0);
    // Refusals alone would show little.
    expect(statuses.get(200)).toBeGreaterThan(0);
  },
  minutes * 60_000 + graceMs,
);

const hostile: Hostile = {
  route: 'getUser',
  actor: 'stranger',
  path: { kind: 'right' },
  ending: '',
  body: { kind: 'none' },
  method: null,
  headers: [],
  framing: 'whole',
};
const calm: Answer = { status: 200, headers: new Map(), body: 'Mine: one-canary', cookies: [] };
const canaries = { owner: 'other-canary', stranger: 'one-canary', administrator: 'third-canary' };

test.each<[string, Partial<Answer>]>([
  ['no answer', { status: 0 }],
  ['an error of ours', { status: 500 }],
  ['a refusal for now that does not say when to come back', { status: 503 }],
  ['words of another owner', { body: 'Theirs: other-canary' }],
  ['words of another owner in a header', { headers: new Map([['location', '/other-canary']]) }],
  ['a line of a stack', { status: 400, body: 'Error\n    at send (file:///app/server/app.ts:3:1)' }],
  ['SQL', { status: 400, body: 'Failed query: insert into "users"' }],
])('%s is found', (_, wrong) => {
  expect(faultOf(hostile, calm, canaries)).toBeNull();
  expect(faultOf(hostile, { ...calm, ...wrong }, canaries)).not.toBeNull();
});

test('memory that grows is found, and what fills once is not', () => {
  const samples = (heaps: number[]) => heaps.map((heap) => ({ heap, rss: 0 }));
  expect(hasGrown(samples([100, 150, 180, 190, 191, 189, 192, 190, 191, 190]))).toBe(false);
  expect(hasGrown(samples([100, 110, 120, 130, 140, 150, 160, 170, 180, 190]))).toBe(true);
});
