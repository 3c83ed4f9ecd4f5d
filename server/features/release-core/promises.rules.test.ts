import { describe, expect, test } from 'vitest';
import { dayMs } from '#shared/rules/inactivity.ts';
import type { Event } from './events.rules.ts';
import { evolve } from './evolve.rules.ts';
import type { Answer, Mark, Notice, Request, World } from './model.rules.ts';
import { brokenPromise } from './promises.rules.ts';
import { contact, live, plainOwner, worldOf } from './release-core.test-world.ts';

const released: Event = { kind: 'released', later: [], letters: ['nell'] };
const on = (day: number): Mark => ({ atMs: day * dayMs, healthyMs: day * dayMs });
const two = [contact('ada'), contact('bo')];

/** A world a moment before something would leave, and the day on which it may. */
type Moment = { world: World; day: number };
const brokenBy = ({ world, day }: Moment, change: (world: World) => World = (same) => same) =>
  brokenPromise(change(world), [released], on(day));

const ofOwner =
  (change: Partial<World['owner']>) =>
  (world: World): World => ({ ...world, owner: { ...world.owner, ...change } });
const ofRequest =
  (change: (request: Request) => Partial<Request>) =>
  (world: World): World => ({ ...world, request: world.request && { ...world.request, ...change(world.request) } });
const ofNotices =
  (topic: Notice['topic'], outcomes: Notice['outcomes']) =>
  (world: World): World => ({
    ...world,
    notices: world.notices.map((notice) => (notice.topic === topic ? { ...notice, outcomes } : notice)),
  });
const answered = (contactId: string, says: Answer['says'], day: number, isVoid = false): Answer => ({
  contactId,
  says,
  at: on(day),
  notice: 0,
  isVoid,
});

/** No contact has answered, and the answer time ends on this day. */
function silent(changes: Parameters<typeof worldOf>[0] = {}): Moment {
  const life = live(worldOf(changes));
  life.until(96.9);
  return { world: life.world, day: 97 };
}

/** Contacts were asked yesterday, and one of them says yes now. */
function confirmedBy(says: Answer[], changes: Parameters<typeof worldOf>[0] = {}): Moment {
  const life = live(worldOf({ contacts: two, ...changes }));
  life.until(91);
  return { world: ofRequest(() => ({ answers: says }))(life.world), day: 91 };
}

/** A trustee has pressed, and the owner's days are over on this day. */
function waited(): Moment {
  const life = live(worldOf({ contacts: two }));
  life.until(10);
  life.does({ kind: 'trustee', contactId: 'ada' });
  life.until(12.9);
  return { world: life.world, day: 13 };
}

/** Another contact, whose question was written on this day. */
const asksBo =
  (day: number, outcomes: Notice['outcomes']) =>
  (world: World): World => {
    const notice = { id: 77, to: 'bo', topic: 'question', channels: ['email'], written: on(day), outcomes } as const;
    const ask = { contactId: 'bo', notice: 77, isRepeat: false, isRevoked: false };
    const asked = ofRequest(({ asks }) => ({ asks: [...asks, ask] }))(world);
    return { ...asked, contacts: two, notices: [...asked.notices, notice] };
  };

describe('a release by silence', () => {
  test('is lawful when everything has passed that must', () => {
    expect(brokenBy(silent())).toBeNull();
  });

  test('is not affected by a review of early releases', () => {
    const underReview = (world: World) => ({ ...world, stops: { ...world.stops, isEarlyStopped: true } });
    expect(brokenBy(silent(), underReview)).toBeNull();
  });

  const notSilent = 'no release by inactivity without both reminders and their gaps';
  const taken = (day: number): Notice['outcomes'] => ({ email: { kind: 'accepted', at: on(day) } });
  test.each<[string, (world: World) => World, string]>([
    [
      'an owner whose address is not verified',
      ofOwner({ isVerified: false }),
      'nothing is sent for an owner whose address is not verified',
    ],
    [
      'a freeze',
      (world) => ({ ...world, stops: { isFrozen: true, isSilenceStopped: false } }),
      'frozen means no forward step',
    ],
    [
      'the breaker',
      (world) => ({ ...world, stops: { isFrozen: false, isSilenceStopped: true } }),
      'a step that the breaker has stopped does not continue',
    ],
    [
      'a sign of life since it was asked',
      ofOwner({ lastActivityMs: 95 * dayMs }),
      'nothing is delivered after activity since it opened',
    ],
    ['a journey that is not over', ofOwner({ awayUntilMs: 20 * dayMs }), notSilent],
    ['a silence that is a day short', ofOwner({ inactivityDays: 98 }), notSilent],
    ['a request that nobody opened', (world) => ({ ...world, request: null }), 'nothing is released without a request'],
    ['nothing to send', (world) => ({ ...world, readyLetters: [] }), 'there is nothing to release'],
    [
      'method trusted_contact',
      ofOwner({ method: 'trusted_contact' }),
      'method trusted_contact never releases without its people',
    ],
    [
      'a request that somebody else opened',
      ofRequest(() => ({ cause: 'emergency' })),
      'silence alone releases only what silence asks',
    ],
    [
      'a no of the last thirty days',
      ofRequest(() => ({ answers: [answered('ada', 'no', 68)] })),
      'a no holds for 30 days',
    ],
    [
      'a pause',
      ofRequest(() => ({ phase: { name: 'paused', by: 'ada', pause: { from: on(91), days: 30 } } })),
      'a first no before dispatch wins every race',
    ],
    ['reminders six days apart', ofNotices('first_reminder', taken(74)), notSilent],
    ['a last reminder nine days before', ofNotices('last_reminder', taken(88)), notSilent],
    ['a first reminder that nobody took', ofNotices('first_reminder', {}), notSilent],
    [
      'a last reminder that came back',
      ofNotices('last_reminder', { email: { kind: 'accepted', at: on(80), isBounced: true } }),
      notSilent,
    ],
    ['a question of six days ago', ofNotices('question', taken(91)), 'the time to answer is not over'],
    ['an answer time that was lengthened', ofOwner({ answerDays: 8 }), 'the time to answer is not over'],
    ['a question that is still on its way', asksBo(92, {}), 'the time to answer is not over'],
    [
      'a silence that has taken the request over since',
      ofRequest(() => ({ silenceAsks: on(91) })),
      'the time to answer is not over',
    ],
    [
      'an answer time that people were told of',
      ofRequest(({ terms }) => ({ terms: { ...terms, answerDays: 8 } })),
      'the time to answer is not over',
    ],
  ])('is forbidden by %s', (_, change, forbidden) => {
    expect(brokenBy(silent(), change)).toBe(forbidden);
  });

  test('is not forbidden by a question that was refused for a week, or by the question of a former contact', () => {
    expect(brokenBy(silent(), asksBo(89, {}))).toBeNull();
    const left = (world: World) => ({ ...asksBo(92, {})(world), contacts: [contact('ada')] });
    expect(brokenBy(silent(), left)).toBeNull();
  });

  test('is not forbidden by a no of thirty days ago', () => {
    expect(
      brokenBy(
        silent(),
        ofRequest(() => ({ answers: [answered('ada', 'no', 66)] })),
      ),
    ).toBeNull();
  });

  test('counts a reminder that was tried by every channel, and none that one channel may still take', () => {
    const { world, day } = silent({ owner: { ...plainOwner, hasPhone: true } });
    const tried = { kind: 'tried', at: on(80) } as const;
    expect(brokenBy({ world, day }, ofNotices('last_reminder', { email: tried, text: tried }))).toBeNull();
    expect(brokenBy({ world, day }, ofNotices('last_reminder', { email: tried }))).toBe(notSilent);
  });

  test('begins no second one', () => {
    const { world, day } = silent();
    const once = evolve(world, [released], on(day));
    const release = once.release;
    expect(brokenPromise({ ...world, release }, [released], on(day))).toBe('a request releases once');
  });
});

describe('the choice of letters', () => {
  const chosen = (ownDays: World['ownDays'], released: Partial<Extract<Event, { kind: 'released' }>>, day = 97) => {
    const { world } = silent({ readyLetters: ['nell', 'tom'] });
    const event: Event = { kind: 'released', letters: ['nell', 'tom'], later: [], ...released };
    return brokenPromise({ ...world, ...(ownDays ? { ownDays } : {}) }, [event], on(day));
  };
  // Day 97 is the eighth of April 1970; London had summer time all that year, so that eight o'clock is seven in UTC.
  const may = Date.parse('1970-05-08T07:00:00Z');
  const later = (dueAtMs: number) => ({ letters: ['nell'], later: [{ id: 'tom', state: 'later', dueAtMs } as const] });
  const onDay = (deliverOn: string | { months: number }) => new Map([['tom', deliverOn]]);

  test('all that are ready, at once or each on its day', () => {
    expect(chosen(undefined, {})).toBeNull();
    expect(chosen(onDay('1970-05-08'), later(may))).toBeNull();
    expect(chosen(onDay({ months: 1 }), later(may))).toBeNull();
    expect(chosen(onDay('1970-04-08'), {}), 'whose hour has come today').toBe(
      'a letter with a day of its own waits for it',
    );
    expect(chosen(onDay('1970-04-07'), {}), 'a day that is past').toBeNull();
  });

  test('in a month that has no such date, on the last one of it', () => {
    // Day 119 is the thirtieth of April, and day 120 the first of May.
    const february = Date.parse('1971-02-28T07:00:00Z');
    expect(chosen(onDay({ months: 10 }), later(february), 119)).toBeNull();
    expect(chosen(onDay({ months: 10 }), later(february), 120)).toBe(
      'a letter waits for the day that was chosen for it',
    );
  });

  test.each<[string, World['ownDays'], Partial<Extract<Event, { kind: 'released' }>>, string]>([
    ['leaving one out', undefined, { letters: ['nell'] }, 'every letter that is ready goes, or waits for its day'],
    ['one twice', undefined, { letters: ['nell', 'nell'] }, 'every letter that is ready goes, or waits for its day'],
    [
      'one that is not ready',
      undefined,
      { letters: ['nell', 'zoe'] },
      'every letter that is ready goes, or waits for its day',
    ],
    ['one before its day', onDay('1970-05-08'), {}, 'a letter with a day of its own waits for it'],
    ['one whose months have not passed', onDay({ months: 1 }), {}, 'a letter with a day of its own waits for it'],
    ['one that waits without a day', undefined, later(may), 'a letter waits for the day that was chosen for it'],
    ['another day', onDay('1970-05-09'), later(may), 'a letter waits for the day that was chosen for it'],
    ['another hour', onDay('1970-05-08'), later(may + 3_600_000), 'a letter waits for the day that was chosen for it'],
    ['another month', onDay({ months: 2 }), later(may), 'a letter waits for the day that was chosen for it'],
  ])('is forbidden: %s', (_, ownDays, event, forbidden) => {
    expect(chosen(ownDays, event)).toBe(forbidden);
  });
});

describe('a release by people', () => {
  const yes = answered('ada', 'yes', 91);

  test('is lawful with as many as must, where the silence was over and the owner told', () => {
    expect(brokenBy(confirmedBy([yes], { owner: { ...plainOwner, method: 'trusted_contact' } }))).toBeNull();
  });

  test.each<[string, Answer[], Parameters<typeof worldOf>[0]]>([
    ['one of two', [yes], { owner: { ...plainOwner, method: 'trusted_contact', quorum: 2 } }],
    [
      'a yes that was taken back',
      [answered('ada', 'yes', 91, true)],
      { owner: { ...plainOwner, method: 'trusted_contact' } },
    ],
    [
      'the yes of somebody who is no contact any more',
      [answered('zoe', 'yes', 91)],
      { owner: { ...plainOwner, method: 'trusted_contact' } },
    ],
    ['one who has said it twice', [yes, yes], { owner: { ...plainOwner, method: 'trusted_contact', quorum: 2 } }],
  ])('is forbidden with %s', (_, says, changes) => {
    expect(brokenBy(confirmedBy(says, changes))).toBe('method trusted_contact never releases without its people');
  });

  test('waits where the silence is not over any more, and where it never was', () => {
    const moment = confirmedBy([yes]);
    expect(brokenBy(moment, ofNotices('last_reminder', {}))).toBe(
      'the silence was not over, so the owner is told first',
    );
    expect(
      brokenBy(
        moment,
        ofRequest(() => ({ isSilenceOver: false })),
      ),
    ).toBe('an early release waits first');
  });
});

describe('an early release', () => {
  test('is lawful when the owner’s days are over', () => {
    expect(brokenBy(waited())).toBeNull();
    expect(brokenBy({ ...waited(), day: 12.9 })).toBe("the owner's waiting period is not over");
  });

  test.each<[string, (world: World) => World, string]>([
    ['a notice that nobody took', ofNotices('wait', {}), "the owner's waiting period is not over"],
    [
      'a notice that was only tried',
      ofNotices('wait', { email: { kind: 'tried', at: on(10) } }),
      "the owner's waiting period is not over",
    ],
    [
      'any no',
      ofRequest(({ answers }) => ({ answers: [...answers, answered('bo', 'no', 11)] })),
      'any no ends an early request',
    ],
    [
      'a review by the operator',
      (world) => ({ ...world, stops: { ...world.stops, isEarlyStopped: true } }),
      'an early release under review does not go',
    ],
    ['no wait at all', ofRequest(() => ({ phase: { name: 'asking', began: on(10) } })), 'an early release waits first'],
    [
      'the yes of a mailbox that is held for the operator',
      (world) => ({ ...world, contacts: [{ ...contact('ada'), isUnderReview: true }, contact('bo')] }),
      'silence alone releases only what silence asks',
    ],
  ])('is forbidden by %s', (_, change, forbidden) => {
    expect(brokenBy(waited(), change)).toBe(forbidden);
  });
});

test('a question to a contact is forbidden while all is frozen, as a release is', () => {
  const world = worldOf({ stops: { isFrozen: true, isSilenceStopped: false } });
  const asked: Event = { kind: 'contact_asked', notice: 1, contactId: 'ada', isRepeat: false };
  expect(brokenPromise(world, [asked], on(90))).toBe('frozen means no forward step');
  expect(brokenPromise(world, [{ kind: 'owner_told', notice: 1, topic: 'asked' }], on(90))).toBeNull();
});
