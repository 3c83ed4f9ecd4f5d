import { describe, expect, it } from 'vitest';
import type { Answer, Ask, Mark, Request, World } from '#server/features/release-core/model.rules.ts';
import { contact, live, plainOwner, worldOf } from '#server/features/release-core/release-core.test-world.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { ifCancelled, ownersDays } from './portal.forecast.ts';
import {
  askedIds,
  canSayNotAsked,
  canTakeBack,
  documentsUntilMs,
  heldBy,
  type Link,
  namesDocuments,
  type Outlook,
  type RequestOutcome,
  shownBy,
} from './portal.rules.ts';

const now: Mark = { atMs: 100 * dayMs, healthyMs: 100 * dayMs };
const ask: Ask = { contactId: 'priya', notice: 1, isRepeat: false, isRevoked: false };
const answer = (says: 'yes' | 'no', more: Partial<Answer> = {}): Answer => ({
  contactId: 'priya',
  says,
  at: now,
  notice: 1,
  isVoid: false,
  ...more,
});
const request: Request = {
  cause: 'silence',
  terms: { inactivityDays: 90, needed: 1, answerDays: 7, waitingDays: 3 },
  opened: now,
  isSilenceOver: true,
  askedBy: null,
  silenceAsks: now,
  answerTime: null,
  toldUntilMs: null,
  asks: [ask],
  answers: [],
  ownerNotice: null,
  shrunk: null,
  phase: { name: 'asking', began: now },
};
const paused = { name: 'paused', by: 'tom', pause: { from: now, days: 30 } } as const;

/** Contents of Priya's link on a day, counted from now. */
function shown(of: Partial<Request>, more: Partial<Omit<Link, 'request'>> = {}, day = 0) {
  const link: Link = { contactId: 'priya', ask, request: { ...request, ...of }, release: null, ended: null, ...more };
  return shownBy(link, now.atMs + day * dayMs);
}
const ended = (outcome: RequestOutcome) => ({ ended: { outcome, atMs: now.atMs } });
const underWay = { release: { doneAtMs: null } };
const done = { release: { doneAtMs: now.atMs } };

describe('the contents of a portal link', () => {
  it('is the question until it was answered, and the release once it goes ahead', () => {
    expect(shown({})).toEqual({ state: 'open', stoppedBy: null });
    expect(shown({ phase: paused })?.state).toBe('open');
    expect(shown({}, underWay)?.state).toBe('released');
    expect(shown({}, done)?.state).toBe('released');
  });

  it('stays the contact’s own answer, which a later one of others does not change', () => {
    const cancelled = { answers: [answer('no')], phase: { ...paused, by: 'priya' } };
    expect(shown(cancelled)?.state).toBe('cancelled');
    expect(shown({ answers: [answer('yes')] })?.state).toBe('confirmed');
    expect(shown({ answers: [answer('yes')] }, done, 29)?.state).toBe('confirmed');
  });

  it('is a stop where another contact’s no holds it, and an answer that counts no more once that is over', () => {
    expect(shown({ answers: [answer('yes')], phase: paused })).toEqual({ state: 'stopped', stoppedBy: 'no' });
    const dead = { asks: [{ ...ask, isRevoked: true }], answers: [answer('yes', { isVoid: true })] };
    expect(shown(dead, { ask: { ...ask, isRevoked: true } })).toEqual({ state: 'stopped', stoppedBy: 'not_counted' });
  });

  it('says that a yes was taken back, which is no answer any more once letters have left', () => {
    const takenBack = { answers: [answer('yes', { isVoid: true })] };
    expect(shown(takenBack)).toEqual({ state: 'stopped', stoppedBy: 'taken_back' });
    expect(shown(takenBack, underWay)?.state).toBe('released');
  });

  it('never says “nothing is sent” about letters that were sent', () => {
    expect(shown({ answers: [answer('no')] }, underWay)?.state).toBe('released');
    expect(shown({ answers: [answer('no')] }, done)?.state).toBe('released');
  });

  it('is nothing where the link is dead unanswered, or a newer one has replaced it', () => {
    const dead = { ...ask, isRevoked: true };
    expect(shown({ asks: [dead] }, { ask: dead })).toBeNull();
    const newer = { asks: [ask, { ...ask, notice: 2, isRepeat: true }] };
    expect(shown(newer)).toBeNull();
    expect(shown(newer, underWay)).toBeNull();
  });

  it('is nothing after the owner came back, for any answer', () => {
    for (const outcome of ['owner_back', 'closed', 'taken_back'] as const) {
      expect(shown({}, ended(outcome)), outcome).toBeNull();
      expect(shown({ answers: [answer('yes')] }, { ...ended(outcome), ...done }), outcome).toBeNull();
    }
  });

  it('is the release for 30 days after its last delivery has ended, although the request waits for the owner', () => {
    expect(shown({}, done, 30 - 1e-6)?.state).toBe('released');
    expect(shown({}, done, 30)).toBeNull();
    expect(shown({ answers: [answer('yes')] }, done, 30)).toBeNull();
    const left = { ...done, ended: { outcome: 'left_as_it_is', atMs: now.atMs + 5 * dayMs } as const };
    expect(shown({}, left, 29)?.state).toBe('released');
    expect(shown({}, left, 30)).toBeNull();
  });
});

describe('the link of a request that came to nothing', () => {
  const early = { cause: 'emergency', askedBy: 'priya' } as const;

  it('shows the contact whose no ended it their answer, and other contacts that it was stopped, for 30 days', () => {
    expect(shown({ ...early, answers: [answer('no')] }, ended('no'))?.state).toBe('cancelled');
    expect(shown({ ...early, answers: [answer('yes')] }, ended('no'))).toEqual({ state: 'stopped', stoppedBy: 'no' });
    expect(shown(early, ended('no'), 29)).toEqual({ state: 'stopped', stoppedBy: 'no' });
    expect(shown(early, ended('no'), 30)).toBeNull();
  });

  it('says what else has ended it', () => {
    const by = (outcome: RequestOutcome) => shown(early, ended(outcome))?.stoppedBy;
    expect(by('did_not_ask')).toBe('not_asked');
    expect(by('nobody_answered')).toBe('nobody_answered');
    expect(by('too_few_contacts')).toBe('too_few_contacts');
    expect(by('begun_anew')).toBe('begun_anew');
    expect(shown({ answers: [answer('yes')] }, ended('begun_anew'))?.stoppedBy).toBe('begun_anew');
  });
});

type Life = ReturnType<typeof live>;
const healthy = { isClockBehind: false, isMailHealthy: true };

/** Data for Priya's page in this simulated run. */
function outlookOf(life: Life, more: Partial<Outlook> = {}): Outlook {
  const open = life.world.request ?? life.world.release?.request;
  if (!open) throw new Error('Nobody is asked.');
  const common = { contactId: 'priya', now: life.now, health: healthy, isBySilence: false };
  return { world: life.world, request: open, ...common, ...more };
}

const three = ['priya', 'tom', 'ann'].map((id) => contact(id));
const says = (contactId: string, word: 'yes' | 'no') => ({ kind: 'answer', contactId, says: word }) as const;

/** Sam's owner, after an emergency request in Priya's name. */
function emergency(changes: Partial<World> = {}): Life {
  const life = live(worldOf({ contacts: three, ...changes }));
  life.does({ kind: 'emergency', contactId: 'priya' });
  return life;
}

/** Sam's owner, whose contacts are all asked after 90 days. */
function silence(changes: Partial<World> = {}): Life {
  const life = live(worldOf({ contacts: three, ...changes }));
  life.until(91);
  return life;
}

describe('a stop of a release', () => {
  const stopped = { by: 'stopped', untilMs: null };
  const of = (life: Life, changes: Partial<World> = {}, more: Partial<Outlook> = {}) => {
    life.change(changes);
    return heldBy(outlookOf(life, more));
  };
  const frozen = { stops: { isFrozen: true, isSilenceStopped: false } };

  it('is nothing where a confirmation is all that is waited for', () => {
    expect(of(emergency())).toBeNull();
    expect(of(silence())).toBeNull();
  });

  it('is a freeze, for one owner or all and for any reason, and outweighs every other reason', () => {
    const nothingReady = { readyLetters: [] };
    for (const begin of [emergency, silence]) {
      expect(of(begin(), { ...nothingReady, ...frozen })).toEqual(stopped);
      expect(of(begin(), { ...nothingReady, owner: { ...plainOwner, isVerified: false } })).toEqual(stopped);
      expect(of(begin(), nothingReady, { health: { ...healthy, isClockBehind: true } })).toEqual(stopped);
    }
  });

  it('is the mailbox that is held for the operator, in an early request alone', () => {
    const held = { contacts: [{ ...contact('priya'), isUnderReview: true }] };
    expect(of(emergency(), held)).toEqual(stopped);
    expect(of(silence(), held)).toBeNull();
  });

  it('is a freeze or a mail server that takes nothing once letters are made out, and nothing else', () => {
    const releasing = () => {
      const life = silence();
      life.does(says('tom', 'yes'));
      return life;
    };
    expect(of(releasing(), { readyLetters: [] })).toBeNull();
    expect(of(releasing(), frozen)).toEqual(stopped);
    expect(of(releasing(), {}, { health: { ...healthy, isMailHealthy: false } })).toEqual(stopped);
    expect(of(releasing(), {}, { health: { ...healthy, isClockBehind: true } })).toBeNull();
    const breaker = { stops: { isFrozen: false, isSilenceStopped: true } };
    expect(of(releasing(), breaker)).toBeNull();
    expect(of(releasing(), breaker, { isBySilence: true })).toEqual(stopped);
    expect(of(emergency(), {}, { health: { ...healthy, isMailHealthy: false } })).toBeNull();
  });

  it('is an unexplained sign-in', () => {
    const life = silence({ readyLetters: ['nell', 'joe'] });
    life.does(says('tom', 'yes'));
    life.does({ kind: 'letter_ended', letterId: 'nell', outcome: 'accepted' });
    expect(heldBy(outlookOf(life))).toBeNull();
    life.does({ kind: 'signed_in' });
    expect(heldBy(outlookOf(life))).toEqual(stopped);
  });

  it('is that no message is ready', () => {
    expect(of(emergency(), { readyLetters: [], visibleDocuments: 1 })).toEqual({ by: 'no_message', untilMs: null });
  });

  it('is a role that is younger than three days, in an early release alone', () => {
    const life = emergency();
    const contacts = [contact('priya', -1), contact('tom')];
    expect(of(life, { contacts })).toEqual({ by: 'new_contact', untilMs: 2 * dayMs });
    expect(of(silence(), { contacts: [contact('priya', 90)] })).toBeNull();
  });

  it('is the owner’s own time, whose end is known once their notice was accepted, outages counted in', () => {
    const life = emergency();
    life.does(says('priya', 'yes'));
    expect(of(life, {}, { contactId: 'tom' })).toEqual({ by: 'waiting_time', untilMs: 3 * dayMs });
    life.outage(1.5);
    expect(of(life, {}, { contactId: 'tom' })).toEqual({ by: 'waiting_time', untilMs: 4.5 * dayMs });

    const unread = live(worldOf({ contacts: three }), (to) => (to === 'owner' ? 'later' : 'accepted'));
    unread.does({ kind: 'emergency', contactId: 'priya' });
    unread.does(says('priya', 'yes'));
    expect(of(unread)).toEqual({ by: 'waiting_time', untilMs: null });
  });
});

describe('the owner’s own days', () => {
  it('are the announced or chosen days, more while the owner is away, and none if the whole silence had ended', () => {
    expect(ownersDays(outlookOf(emergency()))).toBe(3);
    const more = emergency();
    more.change({ owner: { ...plainOwner, waitingDays: 5 } });
    expect(ownersDays(outlookOf(more))).toBe(5);
    more.change({ owner: { ...plainOwner, waitingDays: 0 } });
    expect(ownersDays(outlookOf(more)), 'what people were told holds').toBe(3);
    expect(ownersDays(outlookOf(emergency({ owner: { ...plainOwner, awayUntilMs: 60 * dayMs } })))).toBe(14);
    expect(ownersDays(outlookOf(silence()))).toBe(0);
  });

  it('are fourteen if no notice of the silence was accepted', () => {
    const life = live(worldOf({ contacts: three }), (to) => (to === 'owner' ? 'later' : 'accepted'));
    life.until(95);
    expect(life.world.request?.isSilenceOver).toBe(false);
    expect(ownersDays(outlookOf(life))).toBe(14);
    life.does(says('priya', 'yes'));
    expect(life.world.request?.phase).toMatchObject({ name: 'holding', days: 14 });
  });
});

describe('contacts who take part in a request', () => {
  it('are those who were asked in it, and not who left the role since', () => {
    expect(askedIds(outlookOf(emergency()))).toEqual(['priya']);
    const life = silence();
    expect(askedIds(outlookOf(life))).toEqual(['priya', 'tom', 'ann']);
    life.change({ contacts: three.filter(({ id }) => id !== 'tom') });
    life.does({ kind: 'left', contactId: 'tom' });
    expect(askedIds(outlookOf(life))).toEqual(['priya', 'ann']);
  });
});

describe('the effects of a cancel', () => {
  const cancel = (life: Life) => ifCancelled(outlookOf(life));

  it('are the end of an early request, and notices only to contacts whom a mail has reached', () => {
    const life = emergency();
    const over = { askAgainDays: null, canOthersConfirm: false, isOwnerTold: true, isRequestOver: true };
    expect(cancel(life)).toEqual({ ...over, toldIds: ['priya'] });
    const asked = emergency({ owner: { ...plainOwner, quorum: 2 } });
    asked.does({ kind: 'trustee', contactId: 'tom' });
    expect(cancel(asked)?.toldIds.sort()).toEqual(['ann', 'priya', 'tom']);
  });

  it('is a pause of thirty days by a first no against silence', () => {
    expect(cancel(silence())).toEqual({
      toldIds: ['tom', 'ann'],
      askAgainDays: 30,
      canOthersConfirm: false,
      isOwnerTold: true,
      isRequestOver: false,
    });
  });

  it('do not include a stop of others’ confirmations or a notice if the cancel is a repeated one', () => {
    const life = silence();
    life.does(says('priya', 'no'));
    life.until(123);
    expect(cancel(life)).toEqual({
      toldIds: [],
      askAgainDays: null,
      canOthersConfirm: true,
      isOwnerTold: false,
      isRequestOver: false,
    });
  });

  it('is nothing where there is no question left', () => {
    const life = silence();
    life.does(says('priya', 'no'));
    expect(cancel(life)).toBeNull();
  });

  it('is what a cancel then does', () => {
    const life = silence();
    const foretold = cancel(life);
    life.does(says('priya', 'no'));
    expect(life.lines(/contact_told/)).toHaveLength(foretold?.toldIds.length ?? -1);
    expect(life.world.request?.phase).toMatchObject({ name: 'paused', by: 'priya' });
  });
});

describe('a yes', () => {
  const own = (life: Life) => canTakeBack(outlookOf(life), outlookOf(life).request.asks[0] ?? ask);

  it('can be taken back until the first letter has left', () => {
    const life = silence();
    expect(own(life), 'there is none yet').toBe(false);
    life.does(says('priya', 'yes'));
    expect(life.world.release).not.toBeNull();
    expect(own(life)).toBe(true);
    life.does({ kind: 'letter_ended', letterId: 'nell', outcome: 'accepted' });
    expect(own(life)).toBe(false);
  });

  it('can be taken back while the owner’s own days last, once', () => {
    const life = emergency();
    life.does(says('priya', 'yes'));
    expect(own(life)).toBe(true);
    life.does({ kind: 'take_back', contactId: 'priya' });
    expect(own(life)).toBe(false);
  });
});

describe('"I did not ask"', () => {
  it('is an answer of the contact alone in whose name the form was filled in', () => {
    const life = emergency({ owner: { ...plainOwner, quorum: 2 } });
    expect(canSayNotAsked(outlookOf(life))).toBe(true);
    life.does(says('priya', 'yes'));
    expect(canSayNotAsked(outlookOf(life, { contactId: 'tom' }))).toBe(false);
    expect(canSayNotAsked(outlookOf(silence()))).toBe(false);
    const pressed = live(worldOf({ contacts: three, owner: { ...plainOwner, quorum: 2 } }));
    pressed.does({ kind: 'trustee', contactId: 'priya' });
    expect(canSayNotAsked(outlookOf(pressed))).toBe(false);
  });
});

describe('documents', () => {
  it('can be downloaded from the beginning of the release until 30 days after its end', () => {
    const until = (of: Partial<Link>) => documentsUntilMs({ release: null, ended: null, ...of }, now.atMs);
    expect(until({})).toBeNull();
    expect(until(ended('no'))).toBeNull();
    expect(until(underWay)).toBe(now.atMs + 30 * dayMs);
    expect(until({ release: { doneAtMs: now.atMs - dayMs } })).toBe(now.atMs + 29 * dayMs);
    expect(until({ release: { doneAtMs: now.atMs - 30 * dayMs } })).toBeNull();
  });

  it('are named while the question is open, and after a release only as long as they can be downloaded', () => {
    const areNamed = (of: Partial<Link>, isOpen: boolean) =>
      namesDocuments({ release: null, ended: null, ...of }, isOpen, now.atMs);
    const over = { release: { doneAtMs: now.atMs - 30 * dayMs } };
    expect([areNamed({}, true), areNamed(ended('no'), false)]).toEqual([true, false]);
    expect([areNamed(underWay, true), areNamed(done, true), areNamed(over, true)]).toEqual([true, true, false]);
    expect(areNamed({ ...over, ...ended('left_as_it_is') }, false)).toBe(false);
  });
});
