import { expect, test } from 'vitest';
import {
  isMassRefusal,
  knownMailboxesAsked,
  massPauseMs,
  massRefusedSince,
  vouchingTime,
} from './mailbox-refusals.rules.ts';

const dayMs = 86_400_000;

test('more than three mailboxes and a twentieth of a domain that refuse within the window are trouble', () => {
  expect(isMassRefusal({ refusing: 3, known: 3 })).toBe(false);
  expect(isMassRefusal({ refusing: 4, known: 4 })).toBe(true);
  expect(isMassRefusal({ refusing: 5, known: 100 })).toBe(false);
  expect(isMassRefusal({ refusing: 6, known: 100 })).toBe(true);
});

test('counting known mailboxes stops when more of them change nothing', () => {
  for (const refusing of [4, 7, 100, 2_000]) {
    const known = knownMailboxesAsked(refusing);
    expect(isMassRefusal({ refusing, known })).toBe(false);
    expect(isMassRefusal({ refusing, known: known - 2 })).toBe(true);
  }
});

test('mass refusals continue across a pause of a week, and begin again after a longer one', () => {
  expect(massRefusedSince(null, 5)).toBe(5);
  expect(massRefusedSince({ sinceMs: 1, lastMs: 5 }, 5 + massPauseMs)).toBe(1);
  expect(massRefusedSince({ sinceMs: 1, lastMs: 5 }, 6 + massPauseMs)).toBe(6 + massPauseMs);
});

test('an acceptance counts for the day after it, and for a report only after its own time to bounce', () => {
  expect(vouchingTime({ atMs: 2 * dayMs, isReport: false })).toEqual({ fromMs: dayMs, toMs: 2 * dayMs });
  expect(vouchingTime({ atMs: 2 * dayMs, isReport: true }).toMs).toBeLessThan(2 * dayMs);
});
