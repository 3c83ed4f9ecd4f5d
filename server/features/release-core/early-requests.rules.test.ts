import { describe, expect, test } from 'vitest';
import { dayMs } from '#shared/rules/inactivity.ts';
import { needsEarlyReview } from './emergency.rules.ts';
import { contact, live, plainOwner, worldOf } from './release-core.test-world.ts';
import { visit } from './visit.rules.ts';

/* Requests that open before a silence has ended. */

const two = [contact('ada'), contact('bo')];
const byTwo = { ...plainOwner, quorum: 2 };
const emergency = { kind: 'emergency', contactId: 'ada' } as const;
const trustee = { kind: 'trustee', contactId: 'ada' } as const;
const frozen = { isFrozen: true, isSilenceStopped: false };
const running = { isFrozen: false, isSilenceStopped: false };

describe.each([emergency, trustee])('an early request ($kind)', (command) => {
  test.each([
    ['of an owner whose address is not verified', { owner: { ...plainOwner, isVerified: false } }, 'not_verified'],
    ['while all is frozen', { stops: frozen }, 'frozen'],
    ['of an account that is being deleted', { stops: { ...running, isClosing: true } }, 'frozen'],
    ['with nothing to send', { readyLetters: [] }, 'nothing_ready'],
    ['in the name of somebody who is no contact', { contacts: [contact('bo')] }, 'not_a_contact'],
    ['of a contact since yesterday', { contacts: [contact('ada', 9)] }, 'contact_too_new'],
  ] as const)('%s begins nothing', (_, changes, refused) => {
    const life = live(worldOf(changes));
    life.until(10);
    expect(life.does(command)).toBe(refused);
    expect(life.story).toEqual([]);
  });

  test('can be for a document alone', () => {
    const life = live(worldOf({ readyLetters: [], visibleDocuments: 1 }));
    life.until(10);
    expect(life.does(command)).toBeNull();
  });

  test('counts for a contact since yesterday if a silence already asks', () => {
    const life = live(worldOf({ contacts: [contact('bo')], owner: { ...plainOwner, method: 'trusted_contact' } }));
    life.until(91);
    life.change({ contacts: [contact('bo'), contact('ada', 91)] });
    life.until(92.5);
    expect(life.does(command)).toBeNull();
    if (command.kind === 'emergency') expect(life.does({ kind: 'answer', contactId: 'ada', says: 'yes' })).toBeNull();
    life.until(92.6);
    expect(life.lines(/^\S+ released/)).toEqual(['92.5 released']);
  });

  test('begins nothing in a pause, nor once letters are on their way', () => {
    const life = live(worldOf({ contacts: two }));
    life.until(91);
    life.does({ kind: 'answer', contactId: 'bo', says: 'no' });
    expect(life.does(command)).toBe('paused');
    life.until(130);
    expect(life.lines(/^\S+ released/)).toEqual(['128 released']);
    expect(life.does(command)).toBe('too_late');
  });

  test("counts against the owner's weekly limit, whichever contact asked", () => {
    const life = live(worldOf({ contacts: [...two, contact('cy')], owner: byTwo }));
    for (const [index, contactId] of ['bo', 'cy', 'ada'].entries()) {
      life.until(1 + index);
      expect(life.does({ kind: 'trustee', contactId })).toBeNull();
      life.does({ kind: 'answer', contactId: contactId === 'bo' ? 'cy' : 'bo', says: 'no' });
    }
    life.until(4.5);
    expect(life.does(command)).toBe('budget_spent');
    life.until(8.5);
    expect(life.does(command)).toBeNull();
  });

  test('that the owner stopped keeps no other contact from asking', () => {
    const life = live(worldOf({ contacts: two }));
    life.until(10);
    life.does({ kind: 'emergency', contactId: 'bo' });
    life.does({ kind: 'life', isStop: true });
    life.until(12);
    expect(life.does({ kind: 'emergency', contactId: 'bo' })).toBe('stopped_before');
    expect(life.does(command)).toBeNull();
  });

  test('notifies the owner immediately', () => {
    const life = live(worldOf({ contacts: two, owner: byTwo }));
    life.until(10);
    life.does(command);
    expect(life.lines(/owner_told/)).toEqual(['10 owner_told early_request']);
  });
});

describe('an emergency', () => {
  test('asks the one contact in whose name it is, and the others with the first yes', () => {
    const life = live(worldOf({ contacts: two, owner: byTwo }));
    life.until(10);
    life.does(emergency);
    life.until(12);
    expect(life.lines(/contact_asked/)).toEqual(['10 contact_asked ada']);
    life.does({ kind: 'answer', contactId: 'ada', says: 'yes' });
    expect(life.lines(/contact_asked/)).toEqual(['10 contact_asked ada', '12 contact_asked bo']);
  });

  test('that a contact did not ask for is ended by that contact alone', () => {
    const life = live(worldOf({ contacts: two, owner: byTwo }));
    life.until(10);
    life.does(emergency);
    expect(life.does({ kind: 'did_not_ask', contactId: 'bo' })).toBe('nothing_open');
    expect(life.does({ kind: 'did_not_ask', contactId: 'ada' })).toBeNull();
    expect(life.world.request).toBeNull();
  });

  test('that a silence has taken over does not end by “I did not ask” of a contact who was only asked', () => {
    const life = live(worldOf({ contacts: two, owner: byTwo }));
    life.until(85);
    life.does(emergency);
    life.until(91);
    expect(life.lines(/taken_over/)).toEqual(['90 request_taken_over']);
    expect(life.does({ kind: 'did_not_ask', contactId: 'ada' })).toBe('nothing_open');
  });

  test('in a silence sends the link again, and gives no contact more time', () => {
    const life = live(worldOf());
    life.until(94);
    expect(life.does(emergency)).toBeNull();
    life.until(110);
    expect(life.lines(/contact_asked|^\S+ released/)).toEqual([
      '90 contact_asked ada',
      '94 contact_asked ada',
      '97 released',
    ]);
  });
});

describe('an early yes during a freeze', () => {
  const yes = { kind: 'answer', contactId: 'ada', says: 'yes' } as const;

  test.each([
    ['asks no other contact', byTwo, /contact_asked bo/],
    ['begins no wait', plainOwner, /wait_began/],
  ])('%s before the freeze ends', (_, owner, step) => {
    const life = live(worldOf({ contacts: two, owner }));
    life.until(10);
    life.does(emergency);
    life.change({ stops: frozen });
    expect(life.does(yes)).toBeNull();
    life.until(12);
    expect(life.lines(step)).toEqual([]);
    life.change({ stops: running });
    life.until(12.5);
    expect(life.lines(step).map((line) => line.split(' ')[0])).toEqual(['12']);
  });
});

describe('a trustee', () => {
  test('counts once', () => {
    const life = live(worldOf({ contacts: two, owner: byTwo }));
    life.until(10);
    expect(life.does(trustee)).toBeNull();
    expect(life.does(trustee)).toBe('already_answered');
    expect(life.world.request?.answers).toHaveLength(1);
  });

  test('with a mailbox under review counts for no early request', () => {
    const life = live(worldOf({ contacts: [{ ...contact('ada'), isUnderReview: true }] }));
    life.until(10);
    life.does(trustee);
    life.until(20);
    expect(life.lines(/wait_began|^\S+ released/)).toEqual([]);
    life.change({ contacts: [contact('ada')] });
    life.until(30);
    expect(life.lines(/wait_began|^\S+ released/)).toEqual(['20 wait_began', '23 released']);
  });

  test('with a new role counts by healthy time: an outage adds nothing', () => {
    const life = live(worldOf({ contacts: two, owner: { ...byTwo, waitingDays: 0 } }));
    life.until(10);
    life.does(trustee);
    life.change({ contacts: [contact('ada'), contact('cy', 10)] });
    life.until(10.5);
    life.does({ kind: 'answer', contactId: 'cy', says: 'yes' });
    life.outage(4);
    life.until(30);
    expect(life.lines(/wait_began|^\S+ released/)).toEqual(['17 wait_began', '17 released']);
  });
});

describe('the contacts of an early request', () => {
  test('end it if there are fewer than it needs', () => {
    const life = live(worldOf({ contacts: two, owner: byTwo }));
    life.until(10);
    life.does(trustee);
    life.change({ contacts: [contact('ada')] });
    life.does({ kind: 'left', contactId: 'bo' });
    life.until(12);
    expect(life.lines(/request_ended/)[0]).toBe('10 request_ended too_few_contacts');
  });

  test('end it in the owner’s own days as well', () => {
    const life = live(worldOf());
    life.until(10);
    life.does(trustee);
    life.until(11);
    life.change({ contacts: [] });
    life.does({ kind: 'left', contactId: 'ada' });
    life.until(20);
    expect(life.lines(/wait_began|request_ended|^\S+ released/)).toEqual([
      '10 wait_began',
      '11 request_ended too_few_contacts',
      '11 owner_told request_ended',
    ]);
  });
});

describe('the owner’s own days', () => {
  test('restart when the notice of them bounced', () => {
    const life = live(worldOf());
    life.until(10);
    life.does(trustee);
    life.until(12);
    const { phase } = life.world.request ?? {};
    life.does({ kind: 'notice_bounced', notice: phase?.name === 'holding' ? phase.notice : 0, channel: 'email' });
    life.until(20);
    expect(life.lines(/wait_began|^\S+ released/)).toEqual(['10 wait_began', '12 wait_began', '15 released']);
  });

  test('ask no further contact while all is frozen, and every contact afterwards', () => {
    const life = live(worldOf({ owner: { ...plainOwner, waitingDays: 20 } }));
    life.until(10);
    life.does(trustee);
    life.change({ stops: frozen, contacts: two });
    life.until(12);
    expect(life.lines(/contact_asked/)).toEqual([]);
    life.change({ stops: running });
    life.until(12.5);
    expect(life.lines(/contact_asked/)).toEqual(['12 contact_asked bo']);
  });

  test('end in no release while all is frozen, nor with nothing left to send', () => {
    const life = live(worldOf());
    life.until(10);
    life.does(trustee);
    life.change({ stops: frozen });
    life.until(20);
    expect(life.lines(/^\S+ released/)).toEqual([]);
    life.change({ stops: running, readyLetters: [] });
    life.until(21);
    expect(life.lines(/^\S+ released/)).toEqual([]);
    life.change({ readyLetters: ['nell'] });
    life.until(22);
    expect(life.lines(/released|owner_told releasing/)).toEqual(['21 released', '21 owner_told releasing']);
  });
});

describe('a silence that takes a request over', () => {
  test('keeps the announced number of contacts who must confirm', () => {
    const life = live(worldOf({ contacts: two, owner: { ...plainOwner, method: 'trusted_contact' } }));
    life.until(50);
    // Since the first reminder the owner has chosen two. The new number applies to later requests.
    life.change({ owner: { ...life.world.owner, quorum: 2 } });
    life.until(85);
    life.does({ kind: 'emergency', contactId: 'ada' });
    life.change({ owner: { ...life.world.owner, quorum: 2 } });
    life.until(91);
    expect(life.lines(/taken_over/)).toEqual(['90 request_taken_over']);
  });

  test('gives contacts the whole answer time from then on', () => {
    const life = live(worldOf({ contacts: two, owner: byTwo }));
    life.until(80);
    life.does(emergency);
    life.does({ kind: 'answer', contactId: 'ada', says: 'yes' });
    life.until(110);
    expect(life.lines(/contact_asked|taken_over|^\S+ released/)).toEqual([
      '80 contact_asked ada',
      '80 contact_asked bo',
      '90 request_taken_over',
      '97 released',
    ]);
  });

  test('waits for no question that was withdrawn for the yes of a trustee', () => {
    const contacts = [...two, contact('cy')];
    const owner = { ...plainOwner, quorum: 3, answerDays: 1 };
    const life = live(worldOf({ contacts, owner }), (to) => (to === 'bo' ? 'later' : 'accepted'));
    life.until(88);
    life.does({ kind: 'trustee', contactId: 'ada' });
    life.does({ kind: 'trustee', contactId: 'bo' });
    life.until(100);
    expect(life.lines(/request_taken_over|^\S+ released/)).toEqual(['90 request_taken_over', '91 released']);
  });
});

describe('an early release under review', () => {
  const underReview = { ...running, isEarlyStopped: true };

  test('waits for the operator although its wait has ended, and goes once the review has ended', () => {
    const life = live(worldOf({ contacts: two, stops: underReview }));
    life.until(10);
    life.does(trustee);
    life.until(20);
    expect(life.lines(/wait_began|^\S+ released/)).toEqual(['10 wait_began']);
    expect(visit(life.world, life.now).blockedBy).toBe('early_review');
    life.change({ stops: running });
    life.until(22);
    expect(life.lines(/^\S+ released/)).toHaveLength(1);
  });

  test('is taken over by silence on the days that silence has', () => {
    const life = live(worldOf({ contacts: two, stops: underReview }));
    life.until(85);
    life.does(trustee);
    life.until(89);
    expect(life.lines(/^\S+ released/)).toEqual([]);
    life.until(98);
    expect(life.lines(/^\S+ released/)).toHaveLength(1);
  });

  test('leaves a release by silence as it is', () => {
    const life = live(worldOf({ contacts: two, stops: underReview }));
    life.until(110);
    expect(life.lines(/^\S+ released/)).toEqual(['97 released']);
  });
});

describe('a review of an early release', () => {
  const old = { isFree: false, createdMs: 0 };
  test.each([
    ['needed for the eleventh mailbox of a free account', { ...old, isFree: true }, { known: 0, fresh: 11 }, true],
    ['not needed for ten', { ...old, isFree: true }, { known: 0, fresh: 10 }, false],
    ['needed if ten were written to before', { ...old, isFree: true }, { known: 10, fresh: 1 }, true],
    ['not needed if all were written to before', { ...old, isFree: true }, { known: 40, fresh: 0 }, false],
    ['not needed for an old account with a plan', old, { known: 0, fresh: 500 }, false],
    ['needed in the first 30 days', { ...old, createdMs: 71 * dayMs }, { known: 0, fresh: 11 }, true],
    ['not needed from day 30 on', { ...old, createdMs: 70 * dayMs }, { known: 0, fresh: 11 }, false],
  ] as const)('is %s', (_, account, counts, isNeeded) => {
    expect(needsEarlyReview(account, counts, 100 * dayMs)).toBe(isNeeded);
  });
});

describe('a wait whose notice failed by every channel', () => {
  test('is announced to the owner again each day, and begins when a notice is accepted', () => {
    const life = live(worldOf(), (to, day) => (to === 'owner' && day < 22.5 ? 'tried' : 'accepted'));
    life.until(20);
    life.does(emergency);
    life.does({ kind: 'answer', contactId: 'ada', says: 'yes' });
    life.until(30);
    expect(life.lines(/wait_began|^\S+ released/)).toEqual([
      '20 wait_began',
      '21 wait_began',
      '22 wait_began',
      '23 wait_began',
      '26 released',
    ]);
  });
});

describe('a contact whose yes begins a wait', () => {
  const kept = /yes_kept/;

  test('is notified of it, and so is every other contact whose yes counts', () => {
    const owner = { ...plainOwner, quorum: 2 };
    const life = live(worldOf({ owner, contacts: [contact('ada'), contact('ben')] }));
    life.until(20);
    life.does({ kind: 'emergency', contactId: 'ada' });
    life.does({ kind: 'answer', contactId: 'ada', says: 'yes' });
    expect(life.lines(kept)).toEqual([]);
    life.does({ kind: 'answer', contactId: 'ben', says: 'yes' });
    expect(life.lines(kept)).toEqual(['20 contact_told ada yes_kept', '20 contact_told ben yes_kept']);
  });

  test('is notified again if another contact withdraws a yes', () => {
    const owner = { ...plainOwner, quorum: 2 };
    const life = live(worldOf({ owner, contacts: [contact('ada'), contact('ben')] }));
    life.until(20);
    life.does({ kind: 'emergency', contactId: 'ada' });
    life.does({ kind: 'answer', contactId: 'ada', says: 'yes' });
    life.does({ kind: 'answer', contactId: 'ben', says: 'yes' });
    life.does({ kind: 'take_back', contactId: 'ben' });
    expect(life.lines(kept).slice(2)).toEqual(['20 contact_told ada yes_kept']);
  });
});
