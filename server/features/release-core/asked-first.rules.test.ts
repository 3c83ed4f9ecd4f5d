import { describe, expect, test } from 'vitest';
import { dayMs } from '#shared/rules/inactivity.ts';
import { evolve } from './evolve.rules.ts';
import { brokenPromise } from './promises.rules.ts';
import { contact, live, plainOwner, worldOf } from './release-core.test-world.ts';

const two = [contact('ada'), contact('ben')];
const outcome = /contact_asked|released/;

describe('silence alone', () => {
  test('with an answer time of 0 waits for the contact who may not be asked before tomorrow', () => {
    const life = live(worldOf({ owner: { ...plainOwner, answerDays: 0 }, contacts: two }));
    life.until(89.5);
    life.does({ kind: 'emergency', contactId: 'ben' });
    life.does({ kind: 'answer', contactId: 'ben', says: 'no' });
    life.until(92);
    expect(life.lines(outcome)).toEqual([
      '89.5 contact_asked ben',
      '90 contact_asked ada',
      '90.5 contact_asked ben',
      '90.5 released',
    ]);
  });

  test('gives the contact who was asked a day later the whole answer time', () => {
    const life = live(worldOf({ contacts: two }));
    life.until(89.5);
    life.does({ kind: 'emergency', contactId: 'ben' });
    life.does({ kind: 'did_not_ask', contactId: 'ben' });
    life.until(100);
    expect(life.lines(/released/)).toEqual(['97.5 released']);
  });

  test('asks the contact who leaves the role and comes back on the same day before it releases', () => {
    const life = live(worldOf({ owner: { ...plainOwner, answerDays: 1 }, contacts: two }));
    life.until(90.75);
    life.change({ contacts: [contact('ada')] });
    life.does({ kind: 'left', contactId: 'ben' });
    life.change({ contacts: [contact('ada'), contact('ben', 90.75)] });
    life.until(93);
    expect(life.lines(outcome)).toEqual([
      '90 contact_asked ada',
      '90 contact_asked ben',
      '91 contact_asked ben',
      '92 released',
    ]);
  });

  test('asks a trustee again who withdraws the yes for which their question was withdrawn', () => {
    const owner = { ...plainOwner, quorum: 2 };
    const life = live(worldOf({ owner, contacts: two }), (to) => (to === 'ben' ? 'later' : 'accepted'));
    life.until(92);
    expect(life.does({ kind: 'trustee', contactId: 'ben' })).toBeNull();
    life.does({ kind: 'take_back', contactId: 'ben' });
    expect(life.lines(/contact_asked ben/)).toEqual(['90 contact_asked ben', '92 contact_asked ben']);
  });
});

test('the guard forbids a release by silence before every contact was asked', () => {
  const life = live(worldOf({ owner: { ...plainOwner, answerDays: 0, method: 'trusted_contact' } }));
  life.until(95);
  const at = { atMs: 96 * dayMs, healthyMs: 96 * dayMs };
  const bySilence = { ...life.world, owner: { ...life.world.owner, method: 'inactivity' as const } };
  const release = [{ kind: 'released' as const, letters: ['nell'], later: [] }];
  expect(brokenPromise(bySilence, release, at)).toBeNull();
  const unasked = { ...bySilence, contacts: two };
  expect(brokenPromise(unasked, release, at)).toBe('silence alone releases only after every contact was asked');
  const asked = evolve(unasked, [{ kind: 'contact_asked', notice: 99, contactId: 'ben', isRepeat: false }], at);
  expect(brokenPromise(asked, release, at)).toBe('the time to answer is not over');
});
