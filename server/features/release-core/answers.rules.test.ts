import { describe, expect, test } from 'vitest';
import { contact, live, plainOwner, worldOf } from './release-core.test-world.ts';

/* Answers of contacts, and what voids an answer. */

const two = [contact('ada'), contact('bo')];
const byPeople = { ...plainOwner, method: 'trusted_contact' as const };
const byTwo = { ...byPeople, quorum: 2 };
const yesOf = (contactId: string) => ({ kind: 'answer', contactId, says: 'yes' }) as const;
const noOf = (contactId: string) => ({ kind: 'answer', contactId, says: 'no' }) as const;

/** Contacts were asked on day 90; it is day 91. */
function asked(changes: Parameters<typeof worldOf>[0], post?: Parameters<typeof live>[1]) {
  const life = live(worldOf(changes), post);
  life.until(91);
  return life;
}

describe('a link', () => {
  test('answers once, whatever it says the second time', () => {
    const life = asked({ contacts: two, owner: byTwo });
    expect(life.does(yesOf('ada'))).toBeNull();
    expect(life.does(yesOf('ada'))).toBe('already_answered');
    expect(life.does(noOf('ada'))).toBe('already_answered');
    expect(life.world.request).toMatchObject({ phase: { name: 'asking' }, answers: [{ says: 'yes', isVoid: false }] });
  });

  test('opens nothing for a former contact', () => {
    const life = asked({ contacts: two, owner: byTwo });
    life.change({ contacts: [contact('bo')] });
    expect(life.does(yesOf('ada'))).toBe('not_a_contact');
  });

  test('opens nothing from before a pause', () => {
    const life = asked({ contacts: two, owner: byPeople });
    life.does(noOf('ada'));
    life.until(120);
    const [first] = life.world.request?.asks ?? [];
    life.until(122);
    expect(life.world.request?.asks.find(({ notice }) => notice === first?.notice)).toMatchObject({ isRevoked: true });
  });

  test('that was sent again gives no contact more time', () => {
    // The first answer time has waited for ninety days more, since no reminder was taken: she was asked again meanwhile.
    const life = live(worldOf(), (to) => (to === 'owner' ? 'tried' : 'accepted'));
    life.until(200);
    expect(life.lines(/contact_asked|^\S+ released/)).toEqual([
      '90 contact_asked ada',
      '120 contact_asked ada',
      '150 contact_asked ada',
      '180 contact_asked ada',
      '187 released',
    ]);
  });
});

test('a question that waits to leave is withdrawn before its contact is asked again', () => {
  const life = asked({ owner: byPeople }, (to) => (to === 'ada' ? 'later' : 'accepted'));
  life.until(121);
  expect(life.lines(/contact_asked|notice_withdrawn/)).toEqual([
    '90 contact_asked ada',
    '120 notice_withdrawn',
    '120 contact_asked ada',
  ]);
});

describe('a first no', () => {
  test('voids the yeses from before it: afterwards every contact confirms again', () => {
    const contacts = [...two, contact('cy')];
    const life = asked({ contacts, owner: byTwo });
    life.does(yesOf('ada'));
    life.does(noOf('bo'));
    life.until(122);
    life.does(yesOf('cy'));
    expect(life.lines(/^\S+ released/)).toEqual([]);
    life.does(yesOf('ada'));
    expect(life.lines(/^\S+ released/)).toEqual(['122 released']);
  });

  test('undoes what others have confirmed, as long as no letter has left', () => {
    const life = asked({ contacts: two });
    life.does(yesOf('ada'));
    expect(life.lines(/^\S+ released/)).toEqual(['91 released']);
    expect(life.does(noOf('bo'))).toBeNull();
    expect(life.world).toMatchObject({ release: null, request: { phase: { name: 'paused' } }, readyLetters: ['nell'] });
  });

  test.each(['accepted', 'opened'] as const)('comes too late for a letter that was %s', (outcome) => {
    const life = asked({ contacts: two, readyLetters: ['nell', 'kit'] });
    life.does(yesOf('ada'));
    life.does({ kind: 'letter_ended', letterId: 'nell', outcome });
    expect(life.does(noOf('bo'))).toBe('too_late');
    expect(life.does({ kind: 'take_back', contactId: 'ada' })).toBe('too_late');
    expect(life.world.release).not.toBeNull();
  });

  test('stays when its contact leaves the role', () => {
    const life = asked({ contacts: two });
    life.does(noOf('ada'));
    life.change({ contacts: [contact('bo')] });
    life.does({ kind: 'left', contactId: 'ada' });
    expect(life.world.request?.answers).toMatchObject([{ contactId: 'ada', says: 'no', isVoid: false }]);
    life.until(140);
    expect(life.lines(/asked_anew|^\S+ released/)).toEqual(['121 asked_anew', '128 released']);
  });

  test('takes the news of the release back that has not left', () => {
    const life = asked({ contacts: two }, (to, day) => (to === 'owner' && day > 90 ? 'later' : 'accepted'));
    life.does(yesOf('ada'));
    life.does(noOf('bo'));
    const releasing = life.world.notices.find(({ topic }) => topic === 'releasing');
    expect(releasing?.outcomes).toMatchObject({ email: { kind: 'withdrawn' } });
  });

  test('begins a pause that ends when a contact can be asked, not during a freeze', () => {
    const life = asked({ contacts: two });
    life.does(noOf('ada'));
    life.change({ stops: { isFrozen: true, isSilenceStopped: false } });
    life.until(130);
    expect(life.world.request?.phase.name).toBe('paused');
    life.change({ stops: { isFrozen: false, isSilenceStopped: false } });
    life.until(132);
    expect(life.lines(/asked_anew/)).toEqual(['130 asked_anew']);
  });
});

describe('during a freeze', () => {
  const frozen = { isFrozen: true, isSilenceStopped: false };

  test('a first no is accepted and pauses the request', () => {
    const life = asked({ contacts: two, stops: frozen });
    expect(life.world.request, 'no contact is asked during a freeze').toBeNull();
    const begun = asked({ contacts: two });
    begun.change({ stops: frozen });
    expect(begun.does(noOf('ada'))).toBeNull();
    expect(begun.world.request?.phase.name).toBe('paused');
  });

  test('a yes is accepted, and the letters leave when the freeze ends', () => {
    const life = asked({ contacts: two });
    life.change({ stops: frozen });
    expect(life.does(yesOf('ada'))).toBeNull();
    life.until(100);
    expect(life.lines(/^\S+ released/)).toEqual([]);
    life.change({ stops: { isFrozen: false, isSilenceStopped: false } });
    life.until(100.5);
    expect(life.lines(/^\S+ released/)).toEqual(['100 released']);
  });
});

describe('a yes', () => {
  test('that is taken back before a letter has left undoes the release', () => {
    const life = asked({});
    life.does(yesOf('ada'));
    expect(life.does({ kind: 'take_back', contactId: 'ada' })).toBeNull();
    expect(life.world).toMatchObject({ release: null, request: { phase: { name: 'asking' } }, readyLetters: ['nell'] });
    life.until(94);
    expect(life.lines(/^\S+ released/)).toEqual(['91 released']);
  });

  test('that is withdrawn also voids the yes and the link of a contact who has left the role meanwhile', () => {
    const three = [...two, contact('cy')];
    const life = asked({ contacts: three, owner: byTwo });
    life.does(yesOf('ada'));
    life.does(yesOf('bo'));
    life.change({ contacts: [contact('ada')] });
    expect(life.does({ kind: 'left', contactId: 'bo' })).toBe('nothing_open');
    life.does({ kind: 'left', contactId: 'cy' });
    expect(life.does({ kind: 'take_back', contactId: 'ada' })).toBeNull();
    const { asks = [], answers = [] } = life.world.request ?? {};
    expect(asks.map(({ contactId, isRevoked }) => [contactId, isRevoked])).toEqual([
      ['ada', false],
      ['bo', true],
      ['cy', true],
    ]);
    expect(answers.every(({ isVoid }) => isVoid)).toBe(true);
    // Back in the role, they are asked again, and no earlier answer counts.
    life.change({ contacts: three });
    life.until(93);
    expect(life.world.release).toBeNull();
    expect(life.lines(/contact_asked/).slice(3)).toEqual(['91 contact_asked bo', '91 contact_asked cy']);
  });

  test('that is taken back in the owner’s own days ends them', () => {
    const life = live(worldOf({ contacts: two }));
    life.until(10);
    life.does({ kind: 'trustee', contactId: 'ada' });
    life.until(11);
    life.does({ kind: 'take_back', contactId: 'ada' });
    life.until(20);
    expect(life.lines(/wait_(began|left)|^\S+ released/)).toEqual(['10 wait_began', '11 wait_left']);
  });

  test('releases immediately only if the silence that the owner was notified of has lasted until then', () => {
    const life = asked({});
    life.does({ kind: 'notice_bounced', notice: life.world.silence?.lastNotice ?? 0, channel: 'email' });
    life.does(yesOf('ada'));
    expect(life.lines(/^\S+ released/)).toEqual([]);
    life.until(110);
    expect(life.lines(/wait_began|^\S+ released/)).toEqual(['91 wait_began', '105 released']);
  });

  test('waits fourteen days if the request opened before the owner was notified, even if a notice was accepted since', () => {
    const life = live(worldOf({ owner: byPeople }), (to, day) => (to === 'owner' && day < 95 ? 'later' : 'accepted'));
    life.until(125);
    expect(life.lines(/contact_asked/)[0]).toBe('90 contact_asked ada');
    life.does(yesOf('ada'));
    life.until(150);
    expect(life.lines(/wait_began|^\S+ released/)).toEqual(['125 wait_began', '139 released']);
  });
});

describe('contacts who are fewer than must confirm', () => {
  const askedTwo = (post?: Parameters<typeof live>[1]) => {
    const life = asked({ contacts: two, owner: byTwo }, post);
    life.change({ contacts: [contact('ada')] });
    life.does({ kind: 'left', contactId: 'bo' });
    return life;
  };

  test('are enough only once the owner’s notice of it was taken', () => {
    const life = askedTwo((to, day) => (to === 'owner' && day > 90.5 && day < 140 ? 'later' : 'accepted'));
    life.does(yesOf('ada'));
    life.until(139.5);
    expect(life.lines(/needed_lowered/)).toEqual([]);
    life.until(141);
    expect(life.lines(/needed_lowered|^\S+ released/)).toEqual(['140 needed_lowered', '140 released']);
  });

  test('are enough after thirty healthy days: an outage takes nothing from them', () => {
    const life = askedTwo();
    life.until(100);
    life.outage(20);
    life.until(140.5);
    expect(life.lines(/needed_lowered/)).toEqual([]);
    life.until(142);
    expect(life.lines(/needed_lowered/)).toEqual(['141 needed_lowered']);
  });

  test('are counted again when there are enough', () => {
    const life = askedTwo();
    life.until(100);
    life.change({ contacts: two });
    life.until(105);
    life.change({ contacts: [contact('ada')] });
    life.does({ kind: 'left', contactId: 'bo' });
    life.until(140);
    expect(life.lines(/contacts_|needed_lowered/)).toEqual([
      '91 contacts_fewer',
      '100 contacts_enough',
      '105 contacts_fewer',
      '135 needed_lowered',
    ]);
  });

  test('count their days from the first notice of it, also where it came back', () => {
    const life = askedTwo();
    life.until(95);
    const notice = life.world.request?.shrunk?.notice ?? 0;
    life.does({ kind: 'notice_bounced', notice, channel: 'email' });
    life.until(125);
    expect(life.lines(/contacts_fewer|needed_lowered/)).toEqual([
      '91 contacts_fewer',
      '95 contacts_fewer',
      '121 needed_lowered',
    ]);
  });

  test('can be none: then silence alone continues with the owner, whose time begins with the accepted notice', () => {
    const life = asked({});
    life.until(93);
    life.change({ contacts: [] });
    life.does({ kind: 'left', contactId: 'ada' });
    life.until(110);
    expect(life.lines(/asking_told|^\S+ released/)).toEqual(['90 asking_told', '93 asking_told', '100 released']);
  });

  test('asks no contact and sends no letter if none is left, with method trusted_contact', () => {
    const life = live(worldOf({ contacts: [], owner: byPeople }));
    life.until(200);
    expect(life.lines(/request_opened|released/)).toEqual([]);
  });

  test('were one when they were asked: more than there are must never confirm', () => {
    const life = asked({ owner: byTwo });
    life.does(yesOf('ada'));
    expect(life.lines(/^\S+ released/)).toEqual(['91 released']);
  });
});
