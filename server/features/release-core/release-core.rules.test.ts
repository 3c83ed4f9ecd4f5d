import { describe, expect, test } from 'vitest';
import { dayMs } from '#shared/rules/inactivity.ts';
import { waitingReminderRecheckMs } from './draft.rules.ts';
import { canAskAgainMs } from './emergency.rules.ts';
import { mayLettersLeave } from './facts.rules.ts';
import { forecast, forecastOf } from './forecast.rules.ts';
import { contact, live, plainOwner, worldOf } from './release-core.test-world.ts';
import { visit } from './visit.rules.ts';

const steps =
  /reminder_written|request_|contact_asked|paused|asked_anew|wait_|released|silence_ended|needed_lowered|contacts_/;
const dayOf = (atMs: number | null) => (atMs === null ? null : Number((atMs / dayMs).toFixed(2)));

describe('silence', () => {
  test.each([
    [90, [45, 80, 90, 97]],
    [180, [90, 170, 180, 187]],
    [365, [183, 355, 365, 372]],
  ])('sends reminders, the question and the delivery of %i days on days %j', (inactivityDays, days) => {
    const life = live(worldOf({ owner: { ...plainOwner, inactivityDays } }));
    life.until(400);
    expect(life.lines(/reminder_written|contact_asked|released/)).toEqual([
      `${days[0]} first_reminder_written`,
      `${days[1]} last_reminder_written`,
      `${days[2]} contact_asked ada`,
      `${days[3]} released`,
    ]);
  });

  test('after weeks of downtime the next thing is a reminder, and each gap is whole', () => {
    const life = live(worldOf());
    life.outage(200);
    life.until(260);
    expect(life.lines(/reminder_written|contact_asked|^\S+ released/)).toEqual([
      '200 first_reminder_written',
      '207 last_reminder_written',
      '217 contact_asked ada',
      '224 released',
    ]);
  });

  test('an outage in the time to answer takes nothing from it', () => {
    const life = live(worldOf());
    life.until(92);
    life.outage(30);
    life.until(140);
    expect(life.lines(/^\S+ released/)).toEqual(['127 released']);
  });

  test('a journey that was announced is no silence', () => {
    const life = live(worldOf({ owner: { ...plainOwner, awayUntilMs: 100 * dayMs } }));
    life.until(210);
    expect(life.lines(/reminder_written|released/)).toEqual([
      '145 first_reminder_written',
      '180 last_reminder_written',
      '197 released',
    ]);
  });

  test('nothing counts from a mail that was not taken: an owner who was never told is asked about, and never released by silence', () => {
    const life = live(worldOf(), (to) => (to === 'owner' ? 'later' : 'accepted'));
    life.until(700);
    expect(life.lines(/reminder_written/)).toEqual(['45 first_reminder_written']);
    expect(life.lines(/contact_asked/)[0]).toBe('90 contact_asked ada');
    expect(life.lines(/released/)).toEqual([]);
    expect(life.does({ kind: 'answer', contactId: 'ada', says: 'yes' })).toBeNull();
    life.until(720);
    expect(life.lines(/wait_began|^\S+ released/)).toEqual(['700 wait_began', '714 released']);
  });

  test('a last reminder that has not left is looked at each hour, and withdrawn where time is taken back behind it', () => {
    const life = live(worldOf(), (_, day) => (day < 101 ? 'accepted' : 'later'));
    life.outage(100);
    life.until(107.4);
    expect(life.lines(/reminder_written/)).toEqual(['100 first_reminder_written', '107 last_reminder_written']);
    const { world, now } = life;
    expect(visit(world, now).lookAgainAtMs - now.atMs).toBe(waitingReminderRecheckMs);
    const withTimeTakenBack = { ...now, healthyMs: now.healthyMs - dayMs };
    const notice = world.silence?.lastNotice;
    expect(visit(world, withTimeTakenBack).events).toEqual([{ kind: 'notice_withdrawn', notice }]);
  });

  test("makes a yes wait at least the owner's own waiting days if no notice to the owner was accepted", () => {
    const owner = { ...plainOwner, waitingDays: 30 };
    const life = live(worldOf({ owner }), (to) => (to === 'owner' ? 'later' : 'accepted'));
    life.until(120);
    life.does({ kind: 'answer', contactId: 'ada', says: 'yes' });
    life.until(160);
    expect(life.lines(/wait_began|^\S+ released/)).toEqual(['120 wait_began', '150 released']);
  });

  test('a closed mailbox blocks nothing for ever: silence alone waits ninety days more', () => {
    const life = live(worldOf(), (to) => (to === 'owner' ? 'tried' : 'accepted'));
    life.until(250);
    expect(life.lines(/^\S+ released/)).toEqual(['187 released']);
  });

  test('a question that comes back is written again once: silence waits for that answer, and for no second one', () => {
    const life = live(worldOf({ contacts: [contact('ada'), contact('bo')] }));
    const bounceOfBo = () => {
      const question = life.world.notices.findLast(({ to, topic }) => to === 'bo' && topic === 'question');
      life.does({ kind: 'notice_bounced', notice: question?.id ?? 0, channel: 'email' });
    };
    life.until(96);
    bounceOfBo();
    life.until(100);
    bounceOfBo();
    life.until(130);
    expect(life.lines(/contact_asked|^\S+ released/)).toEqual([
      '90 contact_asked ada',
      '90 contact_asked bo',
      '96 contact_asked bo',
      '103 released',
    ]);
  });

  test('reminders that come back day after day are trouble as well: contacts are asked thirty days after the first', () => {
    const life = live(worldOf());
    for (let day = 80; day < 120; day += 1) {
      life.until(day);
      life.does({ kind: 'notice_bounced', notice: life.world.silence?.lastNotice ?? 0, channel: 'email' });
    }
    expect(life.lines(/last_reminder_written/).slice(0, 2)).toEqual([
      '80 last_reminder_written',
      '81 last_reminder_written',
    ]);
    expect(life.lines(/contact_asked/)[0]).toBe('110 contact_asked ada');
    expect(life.lines(/released/)).toEqual([]);
  });

  test('the owner who comes back ends it: the contact who was asked hears that nothing was sent', () => {
    const life = live(worldOf());
    life.until(93);
    life.does({ kind: 'life' });
    expect(life.story.slice(-4)).toEqual([
      '93 request_ended owner_back',
      '93 contact_told ada nothing_was_sent',
      '93 owner_told welcome_back',
      '93 silence_ended',
    ]);
    life.until(200);
    expect(life.lines(/reminder_written/).slice(-2)).toEqual([
      '138 first_reminder_written',
      '173 last_reminder_written',
    ]);
  });

  test('with nothing ready asks no contact, and reminders continue', () => {
    const life = live(worldOf({ readyLetters: [] }));
    life.until(200);
    expect(life.lines(steps)).toEqual(['45 first_reminder_written', '80 last_reminder_written']);
  });

  test('method trusted_contact never releases by silence, and asks again every thirty days', () => {
    const life = live(worldOf({ owner: { ...plainOwner, method: 'trusted_contact' } }));
    life.until(160);
    expect(life.lines(/contact_asked|released/)).toEqual([
      '90 contact_asked ada',
      '120 contact_asked ada',
      '150 contact_asked ada',
    ]);
  });
});

describe('contacts', () => {
  test('a yes behind a silence that is over releases at once', () => {
    const life = live(worldOf());
    life.until(91);
    life.does({ kind: 'answer', contactId: 'ada', says: 'yes' });
    expect(life.lines(/^\S+ released/)).toEqual(['91 released']);
  });

  test('are all asked again thirty days after a first no', () => {
    const life = live(worldOf({ contacts: [contact('ada'), contact('bo')] }));
    life.until(91);
    life.does({ kind: 'answer', contactId: 'ada', says: 'no' });
    expect(life.does({ kind: 'answer', contactId: 'bo', says: 'yes' })).toBe('paused');
    life.until(135);
    expect(life.lines(/paused$|asked_anew|contact_asked|^\S+ released/).slice(2)).toEqual([
      '91 paused',
      '91 owner_told paused',
      '91 contact_told bo paused',
      '121 asked_anew',
      '121 contact_asked ada',
      '121 contact_asked bo',
      '128 released',
    ]);
  });

  test('a second no of the same person stops silence for thirty days, never what the others confirm', () => {
    const life = live(worldOf({ contacts: [contact('ada'), contact('bo')] }));
    life.until(91);
    life.does({ kind: 'answer', contactId: 'ada', says: 'no' });
    life.until(122);
    life.does({ kind: 'answer', contactId: 'ada', says: 'no' });
    life.until(140);
    expect(life.lines(/^\S+ released/)).toEqual([]);
    life.does({ kind: 'answer', contactId: 'bo', says: 'yes' });
    expect(life.lines(/^\S+ released/)).toEqual(['140 released']);
  });

  test('are asked again if they said yes, left the role and came back; their old yes does not count', () => {
    const owner = { ...plainOwner, method: 'trusted_contact' as const, quorum: 2 };
    const [ada, bo] = [contact('ada'), contact('bo')];
    const life = live(worldOf({ owner, contacts: [ada, bo] }));
    life.until(91);
    life.does({ kind: 'answer', contactId: 'ada', says: 'yes' });
    life.change({ contacts: [bo] });
    life.does({ kind: 'left', contactId: 'ada' });
    life.until(93);
    life.change({ contacts: [bo, ada] });
    life.until(94);
    life.does({ kind: 'answer', contactId: 'bo', says: 'yes' });
    expect(life.lines(/^\S+ released/)).toEqual([]);
    expect(life.lines(/contact_asked ada/)).toHaveLength(2);
    life.does({ kind: 'answer', contactId: 'ada', says: 'yes' });
    expect(life.lines(/^\S+ released/)).toEqual(['94 released']);
  });

  test('lower no quorum for thirty days by leaving; then those who are left are enough, once the owner was notified', () => {
    const owner = { ...plainOwner, method: 'trusted_contact' as const, quorum: 2 };
    const [ada, bo] = [contact('ada'), contact('bo')];
    const life = live(worldOf({ owner, contacts: [ada, bo] }));
    life.until(91);
    life.does({ kind: 'answer', contactId: 'ada', says: 'yes' });
    life.change({ contacts: [ada] });
    life.does({ kind: 'left', contactId: 'bo' });
    life.until(125);
    expect(life.lines(/contacts_fewer|needed_lowered|^\S+ released/)).toEqual([
      '91 contacts_fewer',
      '121 needed_lowered',
      '121 released',
    ]);
  });
});

describe('early requests', () => {
  test('wait three days behind the owner’s notice, who is written to daily', () => {
    const life = live(worldOf());
    life.until(10);
    expect(life.does({ kind: 'emergency', contactId: 'ada' })).toBeNull();
    life.until(11);
    life.does({ kind: 'answer', contactId: 'ada', says: 'yes' });
    life.until(20);
    expect(life.lines(/early_request|wait|^\S+ released/)).toEqual([
      '10 owner_told early_request',
      '11 wait_began',
      '12 owner_told wait_goes_on',
      '13 owner_told wait_goes_on',
      '14 released',
    ]);
  });

  test('count a new contact by healthy time: an outage adds nothing', () => {
    const life = live(worldOf({ contacts: [contact('ada', 0)] }));
    life.outage(4);
    expect(life.does({ kind: 'emergency', contactId: 'ada' })).toBe('contact_too_new');
  });

  test('end with any no, and leave silence as it was', () => {
    const life = live(worldOf({ contacts: [contact('ada'), contact('bo')], owner: { ...plainOwner, quorum: 2 } }));
    life.until(10);
    life.does({ kind: 'trustee', contactId: 'ada' });
    expect(life.lines(/contact_asked/)).toEqual(['10 contact_asked bo']);
    life.does({ kind: 'answer', contactId: 'bo', says: 'no' });
    expect(life.world.request).toBeNull();
    life.until(100);
    expect(life.lines(/reminder_written|released/)).toEqual([
      '45 first_reminder_written',
      '80 last_reminder_written',
      '97 released',
    ]);
  });

  test('end after fourteen days without enough answers', () => {
    const life = live(worldOf());
    life.until(10);
    life.does({ kind: 'emergency', contactId: 'ada' });
    life.until(30);
    expect(life.lines(/request_ended/)).toEqual([
      '24 request_ended nobody_answered',
      '24 contact_told ada request_ended',
      '24 owner_told request_ended',
    ]);
  });

  test('are three a week, and one that ended with “I did not ask” does not count', () => {
    const life = live(worldOf());
    for (let day = 1; day <= 6; day += 1) {
      life.until(day);
      expect(life.does({ kind: 'emergency', contactId: 'ada' })).toBeNull();
      life.does(
        day <= 3 ? { kind: 'did_not_ask', contactId: 'ada' } : { kind: 'answer', contactId: 'ada', says: 'no' },
      );
    }
    life.until(7);
    expect(life.does({ kind: 'emergency', contactId: 'ada' })).toBe('budget_spent');
    // The first that counts was opened on day 4, and leaves the limit a week later.
    const again = canAskAgainMs(life.world, { contactId: 'ada', refused: 'budget_spent' }, life.now);
    expect(dayOf(again)).toBe(11);
    life.until(10);
    expect(life.does({ kind: 'emergency', contactId: 'ada' })).toBe('budget_spent');
    life.until(11);
    expect(life.does({ kind: 'emergency', contactId: 'ada' })).toBeNull();
  });

  test('are taken over by a silence that is over, with the yeses they have', () => {
    const contacts = [contact('ada'), contact('bo')];
    const life = live(worldOf({ contacts, owner: { ...plainOwner, quorum: 2, method: 'trusted_contact' } }));
    life.until(85);
    life.does({ kind: 'trustee', contactId: 'ada' });
    life.until(91);
    expect(life.lines(/taken_over/)).toEqual(['90 request_taken_over']);
    life.does({ kind: 'answer', contactId: 'bo', says: 'yes' });
    expect(life.lines(/^\S+ released/)).toEqual(['91 released']);
  });

  test('keep an announced wait, also when the silence ends meanwhile', () => {
    const life = live(worldOf({ owner: { ...plainOwner, waitingDays: 20 } }));
    life.until(80);
    life.does({ kind: 'trustee', contactId: 'ada' });
    life.until(120);
    expect(life.lines(/^\S+ released/)).toEqual(['100 released']);
  });

  test('keep a wait that was announced to the owner alone', () => {
    const life = live(worldOf({ owner: { ...plainOwner, waitingDays: 20 } }), (to) =>
      to === 'owner' ? 'accepted' : 'later',
    );
    life.until(80);
    life.does({ kind: 'trustee', contactId: 'ada' });
    life.until(120);
    expect(life.lines(/^\S+ released/)).toEqual(['100 released']);
  });

  test('wait at least fourteen days while the owner is away', () => {
    const life = live(worldOf({ owner: { ...plainOwner, awayUntilMs: 60 * dayMs } }));
    life.until(10);
    life.does({ kind: 'trustee', contactId: 'ada' });
    life.until(40);
    expect(life.lines(/^\S+ released/)).toEqual(['24 released']);
  });

  test('that the owner stopped keep that contact from asking for thirty days', () => {
    const life = live(worldOf());
    life.until(10);
    life.does({ kind: 'emergency', contactId: 'ada' });
    life.does({ kind: 'life', isStop: true });
    life.until(35);
    expect(life.does({ kind: 'emergency', contactId: 'ada' })).toBe('stopped_before');
    life.until(41);
    expect(life.does({ kind: 'emergency', contactId: 'ada' })).toBeNull();
  });

  test('count against the week and keep a stopped contact from asking also where letters were about to leave', () => {
    const life = live(worldOf({ owner: { ...plainOwner, waitingDays: 0 } }));
    life.until(10);
    life.does({ kind: 'trustee', contactId: 'ada' });
    expect(life.lines(/released/)).toEqual(['10 released']);
    life.does({ kind: 'life', isStop: true });
    expect(life.world.past).toMatchObject([{ contactId: 'ada', wasForeign: false }]);
    life.change({ readyLetters: ['nell'] });
    life.until(35);
    expect(life.does({ kind: 'trustee', contactId: 'ada' })).toBe('stopped_before');
  });
});

describe('findings of an outside review', () => {
  const two = [contact('ada'), contact('bo')];

  test('the yes of a contact of an hour counts after three days in the role', () => {
    const life = live(worldOf({ contacts: two, owner: { ...plainOwner, quorum: 2, waitingDays: 0 } }));
    life.until(10);
    life.does({ kind: 'trustee', contactId: 'ada' });
    life.change({ contacts: [contact('ada'), contact('cy', 10)], owner: { ...life.world.owner } });
    life.until(10.5);
    life.does({ kind: 'answer', contactId: 'cy', says: 'yes' });
    expect(life.lines(/wait_began|^\S+ released/)).toEqual([]);
    life.until(20);
    expect(life.lines(/wait_began|^\S+ released/)).toEqual(['13 wait_began', '13 released']);
  });

  test.each([
    ['frozen', { isFrozen: true, isSilenceStopped: false }],
    ['the breaker holds', { isFrozen: false, isSilenceStopped: true }],
  ])('a silence takes no request over while %s', (_, stops) => {
    const life = live(worldOf({ contacts: two, owner: { ...plainOwner, quorum: 2 } }));
    life.until(85);
    life.does({ kind: 'trustee', contactId: 'ada' });
    life.change({ stops });
    life.until(95);
    expect(life.lines(/taken_over/)).toEqual([]);
  });

  test('a silence never asks for less than the announced terms', () => {
    const contacts = [contact('ada')];
    const life = live(worldOf({ contacts, owner: { ...plainOwner, quorum: 2, method: 'trusted_contact' } }));
    life.until(50);
    life.change({ contacts: two, owner: { ...life.world.owner, lastActivityMs: 0 } });
    life.until(85);
    life.does({ kind: 'trustee', contactId: 'ada' });
    life.until(95);
    expect(life.lines(/taken_over/)).toEqual(['90 request_taken_over']);
    expect(life.lines(/^\S+ released/)).toEqual([]);
  });

  test('the notice that contacts were asked is written again where it came back', () => {
    const life = live(worldOf({ contacts: [] }));
    life.until(90.5);
    const asked = life.world.request?.ownerNotice ?? 0;
    life.does({ kind: 'notice_bounced', notice: asked, channel: 'email' });
    life.until(100);
    expect(life.lines(/asking_told|^\S+ released/)).toEqual(['90 asking_told', '91 asking_told', '98 released']);
  });

  test('a contact whose question arrives in a pause, or after the end, hears how it stands', () => {
    const life = live(worldOf({ contacts: two }), (to, day) => (to === 'bo' && day < 92 ? 'later' : 'accepted'));
    life.until(90.5);
    life.does({ kind: 'answer', contactId: 'ada', says: 'no' });
    life.until(91);
    const question = life.world.notices.find(({ to, topic }) => to === 'bo' && topic === 'question');
    expect(question?.outcomes, 'it was taken back').toMatchObject({ email: { kind: 'withdrawn' } });
    // The mail was being sent at that moment, and arrives anyway.
    life.does({ kind: 'notice_ended', notice: question?.id ?? 0, channel: 'email', outcome: 'accepted' });
    expect(life.lines(/contact_told bo/)).toEqual(['91 contact_told bo paused']);
    life.does({ kind: 'life' });
    expect(life.lines(/contact_told bo nothing_was_sent/)).toHaveLength(1);
  });

  test.each([
    ['the owner is well, where they have shown it', { kind: 'life' }, 'nothing_was_sent'],
    [
      'the request has ended, where a no has ended it',
      { kind: 'answer', contactId: 'cy', says: 'no' },
      'request_ended',
    ],
    ['the request has ended, where the account is being deleted', { kind: 'close' }, 'request_ended'],
  ] as const)('a contact whose question arrives after the end hears that %s', (_, command, topic) => {
    const contacts = [...two, contact('cy')];
    const life = live(worldOf({ contacts }), (to, day) => (to === 'bo' && day < 20 ? 'later' : 'accepted'));
    life.until(10);
    life.does({ kind: 'trustee', contactId: 'ada' });
    life.until(10.5);
    const question = life.world.notices.find((each) => each.to === 'bo' && each.topic === 'question')?.id ?? 0;
    life.does(command);
    expect(life.lines(/contact_told bo/)).toEqual([]);
    // The mail was being sent at that moment, and arrives anyway.
    life.does({ kind: 'notice_ended', notice: question, channel: 'email', outcome: 'accepted' });
    expect(life.lines(/contact_told bo/)).toEqual([`10.5 contact_told bo ${topic}`]);
  });

  test('an owner with a closed mailbox has no announced wait: an early yes waits until the silence has ended', () => {
    const life = live(worldOf(), (to) => (to === 'owner' ? 'tried' : 'accepted'));
    life.until(10);
    life.does({ kind: 'trustee', contactId: 'ada' });
    life.until(89);
    expect(life.lines(/^\S+ released/)).toEqual([]);
    life.until(91);
    expect(life.lines(/taken_over|^\S+ released/)).toEqual(['90 request_taken_over', '90 released']);
  });

  test('letters that failed have not left: until the first has, a no still stops the others', () => {
    const life = live(worldOf({ contacts: two, readyLetters: ['nell', 'kit'] }));
    life.until(91);
    life.does({ kind: 'answer', contactId: 'ada', says: 'yes' });
    life.does({ kind: 'letter_ended', letterId: 'nell', outcome: 'failed' });
    expect(life.does({ kind: 'answer', contactId: 'bo', says: 'no' })).toBeNull();
    expect(life.world).toMatchObject({ release: null, request: { phase: { name: 'paused' } } });
    expect(life.world.readyLetters.toSorted()).toEqual(['kit', 'nell']);
  });

  test('a release of documents alone is done at once, and is not undone', () => {
    const life = live(worldOf({ contacts: two, readyLetters: [], visibleDocuments: 1 }));
    life.until(91);
    life.does({ kind: 'answer', contactId: 'ada', says: 'yes' });
    expect(life.world.release?.isDone).toBe(true);
    expect(life.does({ kind: 'take_back', contactId: 'ada' })).toBe('too_late');
    expect(life.does({ kind: 'answer', contactId: 'bo', says: 'no' })).toBe('too_late');
  });

  test('after a restore in the middle of a release the rest waits three days behind a notice', () => {
    const life = live(worldOf({ readyLetters: ['nell', 'kit'] }));
    life.until(97);
    life.does({ kind: 'letter_ended', letterId: 'nell', outcome: 'accepted' });
    expect(mayLettersLeave(life.world)).toBe(true);
    life.does({ kind: 'begin_anew' });
    life.until(99.9);
    expect(mayLettersLeave(life.world)).toBe(false);
    life.until(100);
    expect(mayLettersLeave(life.world)).toBe(true);
    expect(life.lines(/letters_wait|letters_held/)).toEqual(['97 letters_held']);
  });

  test('a contact is asked at most once a day, over all requests', () => {
    const life = live(worldOf());
    life.until(10);
    life.does({ kind: 'emergency', contactId: 'ada' });
    life.does({ kind: 'answer', contactId: 'ada', says: 'no' });
    expect(life.does({ kind: 'emergency', contactId: 'ada' })).toBe('already_asked');
    life.until(11);
    expect(life.does({ kind: 'emergency', contactId: 'ada' })).toBeNull();
  });

  test('the outcome of a mail is ignored if its contact was deleted', () => {
    const life = live(worldOf({ contacts: [contact('ada'), contact('ben')] }));
    life.until(91);
    const question = life.world.notices.find(({ to, topic }) => to === 'ada' && topic === 'question')?.id ?? 0;
    const { request } = life.world;
    const asks = request?.asks.filter(({ contactId }) => contactId !== 'ada') ?? [];
    const notices = life.world.notices.filter(({ to }) => to !== 'ada');
    life.change({ contacts: [contact('ben')], request: request && { ...request, asks }, notices });
    const before = life.world;
    const channel = 'email';
    for (const outcome of ['accepted', 'tried'] as const) {
      expect(life.does({ kind: 'notice_ended', notice: question, channel, outcome })).toBe('nothing_open');
    }
    expect(life.does({ kind: 'notice_bounced', notice: question, channel })).toBe('nothing_open');
    expect(life.world).toEqual(before);
  });

  test('a contact who withdrew a yes is asked again after thirty days', () => {
    const life = live(worldOf({ contacts: two, owner: { ...plainOwner, method: 'trusted_contact', quorum: 2 } }));
    life.until(91);
    life.does({ kind: 'answer', contactId: 'ada', says: 'yes' });
    life.does({ kind: 'take_back', contactId: 'ada' });
    life.until(121);
    expect(life.lines(/contact_asked ada/)).toEqual(['90 contact_asked ada', '120 contact_asked ada']);
    expect(life.does({ kind: 'answer', contactId: 'ada', says: 'yes' })).toBeNull();
  });
});

describe('stops', () => {
  test('frozen means no forward step, and reminders all the same', () => {
    const life = live(worldOf({ stops: { isFrozen: true, isSilenceStopped: false } }));
    life.until(120);
    expect(life.lines(steps)).toEqual(['45 first_reminder_written', '80 last_reminder_written']);
    life.change({ stops: { isFrozen: false, isSilenceStopped: false } });
    life.until(130);
    expect(life.lines(/^\S+ released/)).toEqual(['127 released']);
  });

  test.each([
    ['a freeze', { isFrozen: true, isSilenceStopped: false }],
    ['the breaker', { isFrozen: false, isSilenceStopped: true }],
  ])('a question that %s stopped was not refused: the whole answer time begins when it arrives', (_, held) => {
    const life = live(worldOf(), (to, day) => (to === 'ada' && day < 112 ? 'later' : 'accepted'));
    life.until(91);
    life.change({ stops: held });
    life.until(110);
    life.change({ stops: { isFrozen: false, isSilenceStopped: false, resumed: life.now } });
    life.until(130);
    expect(life.lines(/contact_asked|^\S+ released/)).toEqual(['90 contact_asked ada', '119 released']);
  });

  test('the breaker stops what silence would do, and nothing that people confirmed', () => {
    const life = live(worldOf());
    life.until(91);
    life.change({ stops: { isFrozen: false, isSilenceStopped: true } });
    life.until(110);
    expect(life.lines(/^\S+ released/)).toEqual([]);
    life.does({ kind: 'answer', contactId: 'ada', says: 'yes' });
    expect(life.lines(/^\S+ released/)).toEqual(['110 released']);
  });

  test('after a restore every question and the last reminder are sent again', () => {
    const life = live(worldOf());
    life.until(92);
    life.does({ kind: 'begin_anew' });
    life.until(130);
    expect(life.lines(/request_ended|last_reminder_written|contact_asked|^\S+ released/)).toEqual([
      '80 last_reminder_written',
      '90 contact_asked ada',
      '92 request_ended begun_anew',
      '92 contact_told ada request_ended',
      '92 owner_told request_ended',
      '99 last_reminder_written',
      '109 contact_asked ada',
      '116 released',
    ]);
  });
});

describe('after delivery', () => {
  test('a sign-in asks, holds for thirty days, and takes nothing back', () => {
    const life = live(worldOf());
    life.until(98);
    life.does({ kind: 'signed_in' });
    expect(life.world.release?.question).not.toBeNull();
    life.until(129);
    expect(life.lines(/question_|owner_told sign_in/)).toEqual([
      '98 question_opened',
      '98 owner_told sign_in',
      '128 question_ended',
    ]);
  });

  test("a contact who knows that an earlier sign-in was not the owner's is not notified so of a sign-in they never knew of", () => {
    let isSlow = false;
    const life = live(worldOf(), (to) => (to === 'ada' && isSlow ? 'later' : 'accepted'));
    life.until(98);
    const letterId = life.world.release?.letters[0]?.id ?? '';
    life.does({ kind: 'letter_ended', letterId, outcome: 'accepted' });
    life.does({ kind: 'signed_in' });
    expect(life.does({ kind: 'is_not_owner' })).toBeNull();
    isSlow = true;
    life.does({ kind: 'signed_in' });
    expect(life.does({ kind: 'is_not_owner' })).toBeNull();
    expect(life.lines(/contact_told ada (sign_in|not_owner)|notice_withdrawn/).map((line) => line.slice(3))).toEqual([
      'contact_told ada sign_in',
      'contact_told ada not_owner',
      'contact_told ada sign_in',
      'notice_withdrawn',
    ]);
  });

  test('the owner who takes back closes it, and a new silence begins from nothing', () => {
    const life = live(worldOf());
    life.until(98);
    life.does({ kind: 'life' });
    expect(life.world).toMatchObject({ release: null, silence: null, request: null });
  });
});

describe('the forecast', () => {
  test('says what a quiet life will be', () => {
    const now = { atMs: 0, healthyMs: 0 };
    const told = forecast(worldOf(), now).map(({ kind, atMs }) => `${dayOf(atMs)} ${kind}`);
    expect(told).toContain('45 first_reminder_written');
    expect(dayOf(forecastOf(worldOf(), now)('contact_asked'))).toBe(90);
    expect(dayOf(forecastOf(worldOf(), now)('released'))).toBe(97);
  });
});
