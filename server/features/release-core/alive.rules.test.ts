import { describe, expect, it } from 'vitest';
import { dayMs } from '#shared/rules/inactivity.ts';
import { brokenPromise } from './promises.rules.ts';
import { contact, live, plainOwner, worldOf } from './release-core.test-world.ts';

const alive = (contactId: string) => ({ kind: 'answer', contactId, says: 'alive' }) as const;
const no = (contactId: string) => ({ kind: 'answer', contactId, says: 'no' }) as const;
const yes = (contactId: string) => ({ kind: 'answer', contactId, says: 'yes' }) as const;
const [ada, ben] = [contact('ada'), contact('ben')];

/** A silence of ninety days, in which both contacts are asked on day 90. */
function asked(owner = {}) {
  const life = live(worldOf({ owner: { ...plainOwner, ...owner }, contacts: [ada, ben] }));
  life.until(91);
  return life;
}

describe('“alive, but can’t answer”', () => {
  it('pauses a request by silence as a first no does, and contacts are asked again after 30 days', () => {
    const life = asked();
    expect(life.does(alive('ada'))).toBeNull();
    expect(life.lines(/ (paused|owner_told paused|contact_told ben paused)$/)).toEqual([
      '91 paused',
      '91 owner_told paused',
      '91 contact_told ben paused',
    ]);
    expect(life.world.request?.phase.name).toBe('paused');
    life.until(120);
    expect(life.lines(/asked_anew|released/)).toEqual([]);
    life.until(121.5);
    expect(life.lines(/asked_anew/)).toHaveLength(1);
  });

  it('ends an early request, with its own words', () => {
    const life = live(worldOf({ contacts: [ada, ben] }));
    life.does({ kind: 'emergency', contactId: 'ada' });
    life.does(alive('ada'));
    expect(life.lines(/request_ended/)[0]).toBe('0 request_ended alive');
    expect(life.world.request).toBeNull();
  });

  it('counts as the first no, so a no after it does not pause again', () => {
    const life = asked();
    life.does(alive('ada'));
    life.until(122);
    life.does(no('ada'));
    expect(life.world.request?.phase.name).toBe('asking');
  });

  it('is asked about again as often as it is needed, and silence alone waits for the answer each time', () => {
    const life = asked();
    life.does(alive('ada'));
    life.until(122);
    life.does(alive('ada'));
    life.until(151.5);
    expect(life.lines(/released/)).toEqual([]);
    const questions = () => life.lines(/^\d+(\.\d+)? contact_asked ada/).length;
    const before = questions();
    life.until(153);
    expect(questions()).toBe(before + 1);
    life.does(alive('ada'));
    life.until(184);
    expect(questions()).toBe(before + 2);
    expect(life.lines(/released/)).toEqual([]);
    // Nobody answers any more: the answer time of seven days runs from the last question.
    life.until(192);
    expect(life.lines(/ released/)).toHaveLength(1);
    const releasedDay = Number(life.lines(/ released/)[0]?.split(' ')[0]);
    expect(releasedDay).toBeGreaterThanOrEqual(189);
  });

  it('is reported to the owner and the other contacts from the second time on', () => {
    const life = asked();
    life.does(alive('ada'));
    expect(life.lines(/alive_again/)).toEqual([]);
    life.until(122);
    life.does(alive('ada'));
    expect(life.lines(/alive_again/)).toEqual(['122 owner_told alive_again', '122 contact_told ben alive_again']);
  });

  it('does not stop what others confirm, if it is said again', () => {
    const life = asked();
    life.does(alive('ada'));
    life.until(122);
    life.does(alive('ada'));
    life.does(yes('ben'));
    expect(life.lines(/ released/)).toHaveLength(1);
  });

  it('undoes a release from which no letter has left', () => {
    const life = asked();
    life.does(yes('ben'));
    expect(life.world.release).not.toBeNull();
    expect(life.does(alive('ada'))).toBeNull();
    expect(life.world.release).toBeNull();
    expect(life.world.request?.phase.name).toBe('paused');
  });

  it('opens nothing with the link that was answered, once there is news to give', () => {
    const life = asked({ method: 'trusted_contact' });
    life.does(alive('ada'));
    life.until(122);
    expect(life.does(alive('ada'))).toBeNull();
    expect(life.does(alive('ada'))).toBe('already_answered');
    life.until(153);
    expect(life.does(yes('ada'))).toBeNull();
    expect(life.lines(/ released/)).toHaveLength(1);
  });

  it('can be said by a trustee without a link, and once', () => {
    const life = live(worldOf({ contacts: [ada, ben] }));
    const byAccount = { ...alive('ben'), isByAccount: true } as const;
    expect(life.does(byAccount)).toBe('nothing_open');
    life.does({ kind: 'emergency', contactId: 'ada' });
    expect(life.does(byAccount)).toBeNull();
    expect(life.world.request).toBeNull();
  });

  it('holds silence back by a promise of its own, even if the core forgot to ask for news', () => {
    const life = asked();
    life.does(alive('ada'));
    life.until(122);
    life.does(alive('ada'));
    life.until(151.5);
    const later = { atMs: life.now.atMs + 60 * dayMs, healthyMs: life.now.healthyMs + 60 * dayMs };
    const released = { kind: 'released', letters: ['nell'], later: [] } as const;
    expect(brokenPromise(life.world, [released], later)).toBe(
      'silence alone releases only after a contact who said “alive” was asked again',
    );
  });
});
