import { describe, expect, test } from 'vitest';
import type { World } from '#server/features/release-core/model.rules.ts';
import { contact, live, plainOwner, worldOf } from '#server/features/release-core/release-core.test-world.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { type RehearsalStep, rehearsalMailsMax, rehearse, roomFor } from './rehearsal.rules.ts';

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

test('a rehearsal without the letters above the maximum has the maximum length for any reader', () => {
  const asked = Array.from({ length: rehearsalMailsMax + 5 }, () => ({ step: 'contact_asked' as const }));
  expect(roomFor(asked)).toMatchObject({ leftOut: 5 });
});

describe('a release that is rehearsed', () => {
  const linesOn = (day: number, world: World) =>
    rehearse(world, { atMs: day * dayMs, healthyMs: day * dayMs }).map(
      ({ step, to, now, isDated }) => `${isDated ? now.atMs / dayMs : 'no day'} ${step} ${to ?? 'recipients'}`,
    );
  const whole = [
    '45 first_reminder owner',
    '80 last_reminder owner',
    '90 contact_asked ada',
    '90 owner_asked owner',
    '97 owner_releasing owner',
    '97 letter recipients',
    '97 contact_released ada',
  ];

  test('has every step of a silence, and none of another request', () => {
    expect(linesOn(0, worldOf())).toEqual(whole);
    const { does, world } = live(worldOf());
    does({ kind: 'trustee', contactId: 'ada' });
    expect(linesOn(0, world)).toEqual(whole);
  });

  test('is what it would be if the address were verified and nothing were stopped', () => {
    const owner = { ...plainOwner, isVerified: false };
    expect(linesOn(0, worldOf({ owner, stops: { isFrozen: true, isSilenceStopped: true } }))).toEqual(whole);
  });

  test('begins with the reminders that were written already, on their days', () => {
    const silent = live(worldOf());
    silent.until(81);
    expect(linesOn(81, silent.world)).toEqual(whole);
  });

  test('has no reader if nothing is ready, or if no contact could be asked', () => {
    const reminders = whole.slice(0, 2);
    expect(linesOn(0, worldOf({ readyLetters: [] }))).toEqual(reminders);
    const owner = { ...plainOwner, method: 'trusted_contact' as const };
    expect(linesOn(0, worldOf({ owner, contacts: [] }))).toEqual(reminders);
  });

  test('has no day for what people decide', () => {
    const owner = { ...plainOwner, method: 'trusted_contact' as const, quorum: 2 };
    const contacts = [contact('ada'), contact('ben'), contact('cai')];
    expect(linesOn(0, worldOf({ owner, contacts })).slice(5)).toEqual([
      '90 owner_asked owner',
      'no day owner_releasing owner',
      'no day letter recipients',
      'no day contact_released ada',
      'no day contact_released ben',
      'no day contact_released cai',
    ]);
  });
});
