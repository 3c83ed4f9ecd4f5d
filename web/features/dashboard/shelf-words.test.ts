import { expect, test } from 'vitest';
import { envelopeName, keptState } from './shelf-words.ts';

const to = (...names: (string | null)[]) => ({
  recipientEmail: 'nell@ashworth.example',
  recipients: names.map((name) => ({
    name,
    relation: null,
    email: 'nell@ashworth.example',
    status: null,
    openedAt: null,
  })),
});

test.each([
  [to('Nell Ashworth'), 'Nell'],
  [to(null), 'nell'],
  [to(), 'nell'],
  [to('Nell', 'Tom Ashworth'), 'Nell and Tom'],
  [to('Nell', 'Tom', 'Ada'), 'Nell and 2 others'],
])('an envelope says who it is for (%#)', (message, name) => {
  expect(envelopeName(message)).toBe(name);
});

test('letters stand with their state in words', () => {
  const nowMs = Date.parse('2026-11-24T12:00:00Z');
  const letter = { ...to('Nell'), deliveredAt: '2026-08-09T12:00:00Z', updatedAt: '2026-11-23T11:00:00Z' };
  const states = (['ready', 'draft', 'delivered'] as const).map((status) => keptState({ ...letter, status }, nowMs));
  expect(states).toEqual(['Sealed', 'Draft, from yesterday', 'Delivered 9 August 2026']);
});
