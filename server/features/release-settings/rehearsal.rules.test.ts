import { expect, test } from 'vitest';
import { type RehearsalStep, rehearsalMailsMax, roomFor } from './rehearsal.rules.ts';

const mailsWith = (letters: number) => {
  const steps: RehearsalStep[] = [
    'first_reminder',
    'contact_asked',
    ...Array.from({ length: letters }, () => 'letter' as const),
    'contact_released',
  ];
  return steps.map((step, index) => ({ step, index }));
};

test('a rehearsal leaves out letters alone, the last of them, and keeps their order', () => {
  expect(roomFor(mailsWith(rehearsalMailsMax - 3)).leftOut).toBe(0);
  const { mails, leftOut } = roomFor(mailsWith(rehearsalMailsMax));
  expect([mails.length, leftOut]).toEqual([rehearsalMailsMax, 3]);
  expect(mails.at(-1)?.step).toBe('contact_released');
  expect(mails.filter(({ step }) => step === 'letter').map(({ index }) => index)).toEqual(
    Array.from({ length: rehearsalMailsMax - 3 }, (_, index) => index + 2),
  );
});

test('a rehearsal without a letter too many is as long as it may be, whoever it is for', () => {
  const asked = Array.from({ length: rehearsalMailsMax + 5 }, () => ({ step: 'contact_asked' as const }));
  expect(roomFor(asked)).toMatchObject({ leftOut: 5 });
});
