import { describe, expect, test } from 'vitest';
import { dayMs } from '#shared/rules/inactivity.ts';
import { mayLettersLeave } from './facts.rules.ts';
import { contact, live, plainOwner, worldOf } from './release-core.test-world.ts';

/* The owner who is back, before a letter has left and afterwards; sign-ins, freezes and restores. */

const two = [contact('ada'), contact('bo')];
type Post = Parameters<typeof live>[1];

/** One of two letters has left; it is day 98. */
function delivering(post?: Post) {
  const life = live(worldOf({ contacts: two, readyLetters: ['nell', 'kit'] }), post);
  life.until(97);
  life.does({ kind: 'letter_ended', letterId: 'nell', outcome: 'accepted' });
  life.until(98);
  return life;
}

/** Activity that was written by SQL, without an event: only the row shows it. */
function seenInTheRow(life: ReturnType<typeof live>) {
  life.change({ owner: { ...life.world.owner, lastActivityMs: life.now.atMs } });
  life.until(life.now.atMs / 86_400_000 + 1);
}

describe('activity without an event', () => {
  test('ends a silence', () => {
    const life = live(worldOf());
    life.until(60);
    seenInTheRow(life);
    expect(life.lines(/silence_ended/)).toEqual(['60 silence_ended']);
  });

  test('ends a request, and who was asked hears that nothing was sent', () => {
    const life = live(worldOf({ contacts: two }));
    life.until(91);
    seenInTheRow(life);
    expect(life.lines(/request_ended|nothing_was_sent/)).toEqual([
      '91 request_ended owner_back',
      '91 contact_told ada nothing_was_sent',
      '91 contact_told bo nothing_was_sent',
    ]);
  });

  test('ends an early request, before there is any silence', () => {
    const life = live(worldOf({ contacts: two, owner: { ...plainOwner, quorum: 2 } }));
    life.until(10);
    life.does({ kind: 'trustee', contactId: 'ada' });
    life.until(11);
    seenInTheRow(life);
    expect(life.lines(/request_ended/)).toEqual(['11 request_ended owner_back']);
  });
});

describe('mails that have not left when something ends', () => {
  const slow = (_: string, day: number) => (day > 91 ? ('later' as const) : ('accepted' as const));
  const outcomesOf = (life: ReturnType<typeof live>, topic: string) =>
    life.world.notices.filter((notice) => notice.topic === topic).map(({ outcomes }) => outcomes.email?.kind ?? null);

  test('are taken back when the owner returns', () => {
    const life = live(worldOf({ contacts: two }), slow);
    life.until(92);
    life.does({ kind: 'answer', contactId: 'ada', says: 'no' });
    life.does({ kind: 'life' });
    expect(outcomesOf(life, 'paused')).toEqual(['withdrawn', 'withdrawn']);
  });

  test('are taken back when an early request ends', () => {
    const owner = { ...plainOwner, quorum: 2 };
    const life = live(worldOf({ contacts: two, owner }), (to, day) =>
      day > 10.5 && to !== 'bo' ? 'later' : 'accepted',
    );
    life.until(10);
    life.does({ kind: 'emergency', contactId: 'ada' });
    life.until(11);
    life.does({ kind: 'answer', contactId: 'ada', says: 'yes' });
    life.until(11.5);
    life.does({ kind: 'answer', contactId: 'bo', says: 'yes' });
    life.does({ kind: 'did_not_ask', contactId: 'ada' });
    expect(outcomesOf(life, 'wait')).toEqual(['withdrawn']);
  });

  test('are not followed by a welcome where the account goes', () => {
    const life = live(worldOf());
    life.until(91);
    life.does({ kind: 'close' });
    expect(life.lines(/request_ended|contact_told|welcome_back/)).toEqual([
      '91 request_ended closed',
      '91 contact_told ada nothing_was_sent',
    ]);
  });
});

describe('letters', () => {
  test('leave only without a freeze and without an unanswered sign-in', () => {
    const life = delivering();
    expect(mayLettersLeave(life.world)).toBe(true);
    life.does({ kind: 'signed_in' });
    expect(mayLettersLeave(life.world)).toBe(false);
    life.does({ kind: 'is_not_owner' });
    expect(mayLettersLeave(life.world)).toBe(true);
    life.change({ stops: { isFrozen: true, isSilenceStopped: false } });
    expect(mayLettersLeave(life.world)).toBe(false);
  });

  test('that have all ended: every contact is notified', () => {
    const life = delivering();
    expect(life.lines(/release_done/)).toEqual([]);
    life.does({ kind: 'letter_ended', letterId: 'kit', outcome: 'failed' });
    expect(life.story.slice(-3)).toEqual(['98 release_done', '98 contact_told ada done', '98 contact_told bo done']);
  });

  test("that may have left before a restore wait for days that begin when the owner's notice is accepted", () => {
    const life = delivering((to, day) => (to === 'owner' && day >= 98 && day < 105 ? 'later' : 'accepted'));
    life.does({ kind: 'begin_anew' });
    life.until(107.9);
    expect(mayLettersLeave(life.world)).toBe(false);
    life.until(108);
    expect(mayLettersLeave(life.world)).toBe(true);
  });

  test('wait again if that notice bounced', () => {
    const life = delivering();
    life.does({ kind: 'begin_anew' });
    life.until(100);
    life.does({ kind: 'notice_bounced', notice: life.world.restart ?? 0, channel: 'email' });
    life.until(110);
    expect(life.lines(/letters_/)).toEqual(['98 letters_held', '100 letters_held', '103 letters_let_go']);
  });
});

test('activity without an event withdraws every unopened link, as any activity does', () => {
  const life = delivering();
  life.change({ owner: { ...life.world.owner, lastActivityMs: 98.5 * dayMs } });
  life.until(99);
  expect(life.world.release).toBeNull();
  expect(life.lines(/release_closed|silence_ended|taken_back/)).toEqual([
    '98 release_closed',
    '98 silence_ended',
    '98 contact_told ada taken_back',
    '98 contact_told bo taken_back',
  ]);
});

describe('a sign-in after a letter has left', () => {
  test('sends one notice, and each further sign-in stops the letters for thirty days more', () => {
    const life = delivering();
    life.does({ kind: 'signed_in' });
    life.until(108);
    life.does({ kind: 'signed_in' });
    life.until(140);
    expect(life.lines(/sign_in|question_/)).toEqual([
      '98 question_opened',
      '98 owner_told sign_in',
      '98 contact_told ada sign_in',
      '98 contact_told bo sign_in',
      '108 question_opened',
      '138 question_ended',
    ]);
  });

  test('that a restore falls into holds them for thirty days from then on', () => {
    const life = delivering();
    life.does({ kind: 'signed_in' });
    life.until(108);
    life.does({ kind: 'begin_anew' });
    life.until(140);
    expect(life.lines(/question_ended/)).toEqual(['138 question_ended']);
  });
});

describe('the owner after a letter has left', () => {
  test.each([true, false])('closes the release and the silence (takes back: %s)', (takesBack) => {
    const life = delivering();
    life.does({ kind: 'signed_in' });
    expect(life.does({ kind: 'is_owner', takesBack })).toBeNull();
    expect(life.world).toMatchObject({ release: null, request: null, silence: null });
    expect(life.lines(/silence_ended/)).toEqual(['98 silence_ended']);
  });

  test('notifies every contact who was asked, has answered or was notified of a letter', () => {
    const contacts = [...two, contact('cy'), contact('dee')];
    const life = live(worldOf({ contacts, readyLetters: ['nell', 'kit'] }), (to) =>
      ['cy', 'dee'].includes(to) ? 'later' : 'accepted',
    );
    life.until(91);
    life.does({ kind: 'answer', contactId: 'ada', says: 'yes' });
    life.does({ kind: 'letter_ended', letterId: 'nell', outcome: 'failed' });
    const { release } = life.world;
    life.change({ release: release && { ...release, heard: ['cy'] } });
    life.does({ kind: 'life' });
    expect(life.lines(/taken_back/)).toEqual(
      ['ada', 'bo', 'cy'].map((contactId) => `91 contact_told ${contactId} taken_back`),
    );
  });

  test('also notifies a contact who was never asked and knows only of the sign-in', () => {
    const life = delivering((to, day) => (to === 'bo' && day < 98 ? 'later' : 'accepted'));
    life.change({ contacts: [...two, contact('cy')] });
    life.does({ kind: 'signed_in' });
    life.does({ kind: 'is_owner', takesBack: true });
    expect(life.lines(/contact_told cy/)).toEqual(['98 contact_told cy sign_in', '98 contact_told cy taken_back']);
  });
});

describe('a restore', () => {
  test('restarts a pause instead of ending it', () => {
    const life = live(worldOf({ contacts: two }));
    life.until(91);
    life.does({ kind: 'answer', contactId: 'ada', says: 'no' });
    life.until(110);
    life.does({ kind: 'begin_anew' });
    life.until(160);
    expect(life.lines(/request_ended|asked_anew/)).toEqual(['140 asked_anew']);
  });

  test('restarts the thirty days of a no', () => {
    const life = live(worldOf({ contacts: two }));
    life.until(91);
    life.does({ kind: 'answer', contactId: 'ada', says: 'no' });
    life.until(100);
    life.does({ kind: 'begin_anew' });
    expect(life.world.request?.answers).toMatchObject([{ says: 'no', at: { atMs: life.now.atMs } }]);
  });
});
