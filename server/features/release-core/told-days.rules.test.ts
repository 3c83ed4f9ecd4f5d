import { describe, expect, test } from 'vitest';
import { forecastOf } from './forecast.rules.ts';
import type { Notice } from './model.rules.ts';
import { channelsOf, hasBounced, triedAt } from './notice-facts.rules.ts';
import { contact, live, plainOwner, worldOf } from './release-core.test-world.ts';

/* Announced days and numbers, and the notices that count as accepted. */

const two = [contact('ada'), contact('bo')];
const released = /^\S+ released/;

describe('a change of settings after the first reminder', () => {
  const livedWith = (before: Partial<typeof plainOwner>, after: Partial<typeof plainOwner>) => {
    const life = live(worldOf({ owner: { ...plainOwner, ...before } }));
    life.until(91);
    life.change({ owner: { ...life.world.owner, ...after } });
    life.until(230);
    return life.lines(/contact_asked|^\S+ released/);
  };

  test('fewer days to answer apply to no one who was promised more', () => {
    expect(livedWith({ answerDays: 7 }, { answerDays: 1 })).toEqual(['90 contact_asked ada', '97 released']);
  });

  test('more days to answer count at once', () => {
    expect(livedWith({ answerDays: 7 }, { answerDays: 20 })).toEqual(['90 contact_asked ada', '110 released']);
  });

  test('a shorter silence begins with the next one', () => {
    expect(livedWith({ inactivityDays: 180 }, { inactivityDays: 90 })).toEqual([
      '180 contact_asked ada',
      '187 released',
    ]);
  });

  test('a bounced first reminder is written again with the same numbers, a day later', () => {
    const life = live(worldOf({ owner: { ...plainOwner, inactivityDays: 180 } }));
    life.until(90);
    life.does({ kind: 'notice_bounced', notice: life.world.silence?.firstNotice ?? 0, channel: 'email' });
    life.change({ owner: { ...life.world.owner, inactivityDays: 120 } });
    life.until(200);
    expect(life.lines(/reminder_written|^\S+ released/)).toEqual([
      '90 first_reminder_written',
      '91 first_reminder_written',
      '170 last_reminder_written',
      '187 released',
    ]);
  });

  test.each([
    ['less', { waitingDays: 10 }, { waitingDays: 0 }, '21 released'],
    ['more', { waitingDays: 3 }, { waitingDays: 10 }, '21 released'],
  ])('days to wait: %s of them shorten nothing that an early request has opened with', (_, before, after, end) => {
    const life = live(worldOf({ owner: { ...plainOwner, ...before } }));
    life.until(10);
    life.does({ kind: 'emergency', contactId: 'ada' });
    life.change({ owner: { ...life.world.owner, ...after } });
    life.until(11);
    life.does({ kind: 'answer', contactId: 'ada', says: 'yes' });
    life.until(40);
    expect(life.lines(released)).toEqual([end]);
  });

  test('a request that a silence takes over keeps the days to answer and to wait that it was opened with', () => {
    const life = live(worldOf({ contacts: two, owner: { ...plainOwner, quorum: 2 } }));
    life.until(50);
    life.change({ owner: { ...life.world.owner, answerDays: 20, waitingDays: 9 } });
    // Its terms are those of the silence, and later the owner's new choice.
    life.until(85);
    life.does({ kind: 'emergency', contactId: 'ada' });
    const { request } = life.world;
    life.change({ request: request && { ...request, terms: { ...request.terms, answerDays: 20, waitingDays: 9 } } });
    life.change({ owner: { ...life.world.owner, answerDays: 7, waitingDays: 3 } });
    life.until(91);
    expect(life.world.request).toMatchObject({ cause: 'silence', terms: { answerDays: 20, waitingDays: 9 } });
    life.until(130);
    expect(life.lines(released)).toEqual(['110 released']);
  });
});

describe('nothing is done', () => {
  test('for an owner whose address is not verified', () => {
    const life = live(worldOf({ owner: { ...plainOwner, isVerified: false } }));
    life.until(200);
    expect(life.story).toEqual([]);
  });

  test('for an account that is being deleted, and its silence begins no request', () => {
    const life = live(worldOf({ stops: { isFrozen: false, isSilenceStopped: false, isClosing: true } }));
    life.until(120);
    expect(life.story).toEqual([]);
  });

  test('to ask contacts by silence while the breaker stops that', () => {
    const life = live(worldOf({ stops: { isFrozen: false, isSilenceStopped: true } }));
    life.until(120);
    expect(life.lines(/request_opened|contact_asked/)).toEqual([]);
    life.change({ stops: { isFrozen: false, isSilenceStopped: false } });
    life.until(140);
    expect(life.lines(/contact_asked|^\S+ released/)).toEqual(['120 contact_asked ada', '127 released']);
  });
});

describe('the answer time', () => {
  const asked = (changes: Parameters<typeof worldOf>[0], post?: Parameters<typeof live>[1]) => {
    const life = live(worldOf(changes), post);
    life.until(91);
    return life;
  };
  const slowBo = (to: string, day: number) => (to === 'bo' && day < 120 ? ('later' as const) : ('accepted' as const));

  test('does not wait for the question of a former contact', () => {
    const life = asked({ contacts: two }, slowBo);
    life.change({ contacts: [contact('ada')] });
    life.does({ kind: 'left', contactId: 'bo' });
    life.until(120);
    expect(life.lines(released)).toEqual(['97 released']);
  });

  test('begins with the questions from behind a pause, not with those from before it', () => {
    const life = live(worldOf({ contacts: two }), (to, day) =>
      to === 'ada' && day > 120 && day < 126 ? 'later' : 'accepted',
    );
    life.until(91);
    life.does({ kind: 'answer', contactId: 'bo', says: 'no' });
    life.until(150);
    expect(life.lines(/asked_anew|^\S+ released/)).toEqual(['121 asked_anew', '133 released']);
  });

  test('does not end while a contact is asked again: the owner is notified each time', () => {
    const life = asked({ owner: { ...plainOwner, method: 'trusted_contact' } });
    life.until(121);
    expect(life.lines(/contact_asked|owner_told asked/)).toEqual([
      '90 contact_asked ada',
      '120 contact_asked ada',
      '120 owner_told asked',
    ]);
  });
});

describe('a reminder that is taken back before it left', () => {
  test('is written again when its gap is complete', () => {
    const life = live(worldOf(), (_, day) => (day < 101 ? 'accepted' : day < 110 ? 'later' : 'accepted'));
    life.outage(100);
    life.until(107.4);
    const notice = life.world.silence?.lastNotice ?? 0;
    // A day of those since the first reminder was none: the site had not answered.
    const first = life.world.silence?.firstNotice;
    life.change({
      notices: life.world.notices.map((each) =>
        each.id === first
          ? {
              ...each,
              outcomes: { email: { kind: 'accepted', at: { atMs: life.now.atMs, healthyMs: life.now.healthyMs } } },
            }
          : each,
      ),
    });
    life.until(116);
    expect(life.world.notices.find(({ id }) => id === notice)?.outcomes.email?.kind).toBe('withdrawn');
    expect(life.lines(/reminder_written/).slice(1)).toEqual([
      '107 last_reminder_written',
      '114.4 last_reminder_written',
    ]);
  });
});

describe('told by mail and text', () => {
  const at = { atMs: 5, healthyMs: 5 };
  const later = { atMs: 9, healthyMs: 9 };
  const notice = (outcomes: Notice['outcomes']): Notice => ({
    id: 1,
    to: 'owner',
    topic: 'first_reminder',
    channels: ['email', 'text'],
    written: { atMs: 0, healthyMs: 0 },
    outcomes,
  });

  test('the notice counts as failed when the last of both was tried, and not before', () => {
    expect(triedAt(notice({ email: { kind: 'tried', at } }))).toBeNull();
    expect(triedAt(notice({ email: { kind: 'tried', at: later }, text: { kind: 'tried', at } }))).toEqual(later);
    expect(triedAt(notice({ email: { kind: 'tried', at }, text: { kind: 'accepted', at } }))).toBeNull();
  });

  test('a withdrawn notice does not count as tried', () => {
    expect(triedAt(notice({ email: { kind: 'tried', at }, text: { kind: 'withdrawn', at } }))).toBeNull();
  });

  test('a mail that came back takes nothing from a text that arrived', () => {
    const isBounced = true as const;
    expect(hasBounced(notice({ email: { kind: 'accepted', at, isBounced } }))).toBe(true);
    expect(hasBounced(notice({ email: { kind: 'accepted', at, isBounced }, text: { kind: 'accepted', at } }))).toBe(
      false,
    );
  });

  test('owners with a number are texted, except about a step that a person with their password has just taken', () => {
    const withPhone = { hasPhone: true };
    expect(channelsOf(withPhone, { to: 'owner', topic: 'wait' })).toEqual(['email', 'text']);
    expect(channelsOf(withPhone, { to: 'owner', topic: 'sign_in' })).toEqual(['email']);
    expect(channelsOf(withPhone, { to: 'ada', topic: 'question' })).toEqual(['email']);
    expect(channelsOf({ hasPhone: false }, { to: 'owner', topic: 'wait' })).toEqual(['email']);
  });

  test.each([
    'first_reminder',
    'last_reminder',
    'asked',
    'early_request',
    'fewer_contacts',
    'delayed',
    'paused',
    'wait',
    'wait_goes_on',
    'request_ended',
    'releasing',
    'letters_wait',
  ] as const)('an owner with a number is notified of %s by every channel', (topic) => {
    expect(channelsOf({ hasPhone: true }, { to: 'owner', topic })).toEqual(['email', 'text']);
  });
});

test('a forecast says the days as if nothing stood still', () => {
  const stops = { isFrozen: true, isSilenceStopped: true };
  const foreseen = forecastOf(worldOf({ stops }), { atMs: 0, healthyMs: 0 });
  expect(foreseen('released')).toBe(97 * 86_400_000);
});

describe('a day that only contacts know', () => {
  const confirmedOnDay85 = (post: Parameters<typeof live>[1]) => {
    const life = live(worldOf({ owner: { ...plainOwner, waitingDays: 20 } }), post);
    life.until(85);
    life.does({ kind: 'emergency', contactId: 'ada' });
    life.does({ kind: 'answer', contactId: 'ada', says: 'yes' });
    return life;
  };
  const closedOwner = (to: string) => (to === 'owner' ? ('tried' as const) : ('accepted' as const));

  test('stays, although no notice to the owner was accepted and the silence takes the request over', () => {
    const life = confirmedOnDay85(closedOwner);
    life.until(120);
    expect(life.lines(/taken_over|^\S+ released/)).toEqual(['90 request_taken_over', '105 released']);
  });

  test('ends with the yes of the contact who knows it', () => {
    const life = confirmedOnDay85(closedOwner);
    life.until(87);
    life.does({ kind: 'take_back', contactId: 'ada' });
    life.until(91);
    life.does({ kind: 'emergency', contactId: 'ada' });
    life.does({ kind: 'answer', contactId: 'ada', says: 'yes' });
    expect(life.lines(/^\S+ released/)).toEqual(['91 released']);
  });

  test('is none if no mail that names it was accepted', () => {
    const slow = (to: string, day: number) => (to === 'owner' ? ('tried' as const) : day < 85 ? 'accepted' : 'later');
    const life = live(worldOf({ owner: { ...plainOwner, waitingDays: 20 } }), slow);
    life.until(85);
    life.does({ kind: 'trustee', contactId: 'ada' });
    life.until(91);
    expect(life.lines(/taken_over|^\S+ released/)).toEqual(['90 request_taken_over', '90 released']);
  });
});
