import { describe, expect, test } from 'vitest';
import { AppError, type ErrorType } from '#shared/contract/errors.ts';
import { contactsMax } from '#shared/rules/contacts.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import {
  answerToldAtMs,
  invitationLeavesAtMs,
  invitationState,
  isInvitationLive,
  needsInvitation,
  requireInvitable,
  requireNewAddress,
  requireRoomForContact,
  type Standing,
  startsOver,
} from './contacts.rules.ts';

const fresh: Standing = { isActive: true, isConfirmed: false, hasDeclined: false, wasInvited: false };
const asked: Standing = { ...fresh, wasInvited: true };
const accepted: Standing = { ...asked, isConfirmed: true };
const declined: Standing = { ...asked, hasDeclined: true };
const off = (standing: Standing): Standing => ({ ...standing, isActive: false });

function refusedAs(act: () => void): ErrorType | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error.type;
    throw error;
  }
}

test('an address may be neither the owner’s own nor that of another contact', () => {
  const known = { ownEmail: 'sam@example.org', others: [{ id: '1', email: 'priya@example.org' }] };
  expect(refusedAs(() => requireNewAddress('tom@example.org', known))).toBeUndefined();
  expect(refusedAs(() => requireNewAddress('sam@example.org', known))).toBe('VALIDATION');
  expect(refusedAs(() => requireNewAddress('priya@example.org', known))).toBe('CONFLICT');
  expect(refusedAs(() => requireNewAddress('sam+me@example.org', known))).toBe('VALIDATION');
  expect(refusedAs(() => requireNewAddress('priya+2@example.org', known))).toBe('CONFLICT');
});

test('an unverified owner names one person, a verified one as many as there may be', () => {
  const refusal = (current: number, emailVerified: boolean) =>
    refusedAs(() => requireRoomForContact(current, { emailVerified }));
  expect(refusal(0, false)).toBeUndefined();
  expect(refusal(1, false)).toBe('EMAIL_VERIFICATION_REQUIRED');
  expect(refusal(contactsMax - 1, true)).toBeUndefined();
  expect(refusal(contactsMax, true)).toBe('CONFLICT');
});

test('an invitation is owed only to somebody who is wanted, and neither asked nor heard', () => {
  expect([fresh, asked, accepted, declined].map(needsInvitation)).toEqual([true, false, false, false]);
  expect([fresh, asked, accepted, declined].map(off).map(needsInvitation)).toEqual([false, false, false, false]);
  expect(needsInvitation({ ...declined, wasInvited: false })).toBe(false);
});

describe('a change makes answers and links void', () => {
  test('when the address is another one, whatever was answered', () => {
    for (const standing of [fresh, asked, accepted, declined]) {
      expect(startsOver(standing, { isMoved: true, isActive: true })).toBe(true);
    }
  });

  test('when somebody who has not answered is switched off, and not when they have', () => {
    const switchedOff = { isMoved: false, isActive: false };
    expect([fresh, asked, accepted, declined].map((standing) => startsOver(standing, switchedOff))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  test('and not when nothing of this changed', () => {
    for (const standing of [fresh, asked, accepted, declined]) {
      expect(startsOver(standing, { isMoved: false, isActive: true })).toBe(false);
    }
  });
});

test('asking again makes sense after silence and after a no, not after a yes or for somebody switched off', () => {
  const refusals = [asked, declined, accepted, off(asked)].map((standing) =>
    refusedAs(() => requireInvitable(standing)),
  );
  expect(refusals).toEqual([undefined, undefined, 'CONFLICT', 'CONFLICT']);
});

test('a link lives until its time is over, and for somebody who accepted it does not end', () => {
  const link = { isConfirmed: false, expiresAtMs: 1_000 };
  expect(isInvitationLive(link, 999)).toBe(true);
  expect(isInvitationLive(link, 1_000)).toBe(false);
  expect(isInvitationLive({ ...link, expiresAtMs: null }, 0)).toBe(false);
  expect(isInvitationLive({ ...link, isConfirmed: true }, 1_000)).toBe(true);
});

test('an invitation is open, accepted or declined', () => {
  expect([fresh, asked, accepted, declined].map(invitationState)).toEqual(['open', 'open', 'accepted', 'declined']);
});

describe('an invitation leaves', () => {
  const day = (days: number) => days * dayMs;
  const leaveDays = (wishes: number) => {
    const leftMs: number[] = [];
    for (let each = 0; each < wishes; each += 1) leftMs.push(invitationLeavesAtMs(leftMs, day(100)));
    return leftMs.map((ms) => ms / dayMs - 100);
  };

  test('at once for three of an owner’s first day, and the others a day after the first', () => {
    expect(leaveDays(5)).toEqual([0, 0, 0, 1, 1]);
  });

  test('for twenty in thirty days, and the others when there is room again', () => {
    expect(leaveDays(25).slice(19)).toEqual([1, 30, 30, 30, 31, 31]);
  });

  test('not before one that was asked for earlier', () => {
    expect(invitationLeavesAtMs([day(1), day(105)], day(100))).toBe(day(105));
  });
});

describe('an answer is told', () => {
  const told = (...answers: [kind: string, atMs: number][]) => answers.map(([kind, atMs]) => ({ kind, atMs }));

  test('at once where it is the first, or another than the last', () => {
    expect(answerToldAtMs([], 'yes', 50)).toBe(50);
    expect(answerToldAtMs(told(['yes', 10]), 'no', 50)).toBe(50);
  });

  test('a day after the last of its kind, and never twice in a row', () => {
    expect(answerToldAtMs(told(['yes', 10], ['no', 20]), 'yes', 50)).toBe(10 + dayMs);
    expect(answerToldAtMs(told(['no', 20], ['yes', 30]), 'yes', 50)).toBeNull();
  });
});
