import { describe, expect, test } from 'vitest';
import { dayMs } from '#shared/rules/inactivity.ts';
import { decide } from './release.rules.ts';
import { newCycle, newInvitation } from './release-cycle.rules.ts';
import {
  accountCloses,
  contactCancels,
  contactConfirms,
  contactStepsDown,
  type EventResult,
  emergencyRequested,
  ownerReturns,
  trusteePressed,
} from './release-events.rules.ts';
import type { CycleFacts, InvitationFacts, ReleaseFacts } from './release-facts.rules.ts';
import { brokenInvariant } from './release-invariants.rules.ts';
import { ownerMailTries } from './release-keys.rules.ts';
import { askEnded, deliveriesEnded, noticeEnded, reminderEnded } from './release-outcomes.rules.ts';

const start = 1_000 * dayMs;
/** The owner has been silent for 60 days, or 100 where the state belongs to the end of silence. */
const now = start + 100 * dayMs;
const healthyMs = 500 * dayMs;
const mark = (day: number) => ({ atMs: start + day * dayMs, healthyMs: healthyMs - (100 - day) * dayMs });
const accepted = { outcome: 'accepted' as const, isMailHealthy: true, mark: mark(100) };
const refused = { ...accepted, outcome: 'failed' as const };
const [priya, tom] = ['priya', 'tom'];

const reached = (contactId: string, more: Partial<InvitationFacts> = {}): InvitationFacts => ({
  ...newInvitation(contactId, 1),
  asking: { outcome: 'reached', atMs: start + 90 * dayMs },
  ...more,
});

function factsWith(cycle: CycleFacts | null, owner: Partial<ReleaseFacts['owner']> = {}): ReleaseFacts {
  return {
    owner: {
      lastActivityMs: start,
      inactivityDays: 90,
      checkinIntervalDays: 30,
      releaseMethod: 'trusted_contact',
      quorum: 1,
      waitingDays: 5,
      answerDays: 7,
      isVerified: true,
      isFrozen: false,
      ...owner,
    },
    isInstallationFrozen: false,
    readyMessages: 1,
    contacts: [
      { id: priya, confirmedAtMs: start },
      { id: tom, confirmedAtMs: start },
    ],
    cycle,
  };
}

/** The same once somebody is no contact any more. */
const without = (contactId: string, facts: ReleaseFacts): ReleaseFacts => ({
  ...facts,
  contacts: facts.contacts.filter(({ id }) => id !== contactId),
});

const reminded: CycleFacts = {
  ...newCycle(start + 45 * dayMs, 'silence', 'reminded'),
  first: { sentAtMs: start + 45 * dayMs, ended: null, tries: 0 },
};
const firstAccepted: CycleFacts = { ...reminded, first: { ...reminded.first, ended: mark(45) } };
const warned: CycleFacts = {
  ...firstAccepted,
  state: 'warned',
  last: { sentAtMs: start + 80 * dayMs, ended: null, tries: 0 },
};
const lastAccepted: CycleFacts = { ...warned, last: { ...warned.last, ended: mark(80) } };
const asking: CycleFacts = {
  ...lastAccepted,
  state: 'asking',
  round: 1,
  asked: mark(90),
  invitations: [reached(priya), newInvitation(tom, 1)],
};
const emergency: CycleFacts = {
  ...newCycle(start + 20 * dayMs, 'emergency', 'asking'),
  round: 1,
  invitations: [reached(priya)],
};
const paused: CycleFacts = {
  ...asking,
  state: 'paused',
  paused: mark(95),
  asked: null,
  invitations: [reached(priya, { decision: 'cancelled' }), { ...newInvitation(tom, 1), isWithdrawn: true }],
};
const holding: CycleFacts = {
  ...emergency,
  state: 'holding',
  waitingDays: 5,
  invitations: [reached(priya, { decision: 'confirmed' }), reached(tom)],
};
const releasing: CycleFacts = {
  ...asking,
  state: 'releasing',
  invitations: [reached(priya, { decision: 'confirmed' }), reached(tom)],
};
const released: CycleFacts = { ...releasing, state: 'released' };

const states = {
  watching: null,
  reminded,
  'first accepted': firstAccepted,
  warned,
  'last accepted': lastAccepted,
  asking,
  emergency,
  paused,
  holding,
  releasing,
  released,
} satisfies Record<string, CycleFacts | null>;
type StateName = keyof typeof states;

const events = {
  activity: (facts) => ownerReturns(facts),
  'priya confirms': (facts) => contactConfirms(facts, priya),
  'priya cancels': (facts) => contactCancels(facts, priya, mark(100)),
  'tom confirms': (facts) => contactConfirms(facts, tom),
  'tom cancels': (facts) => contactCancels(facts, tom, mark(100)),
  'emergency for priya': (facts) => emergencyRequested(facts, priya, now),
  'emergency for tom': (facts) => emergencyRequested(facts, tom, now),
  'trustee tom presses': (facts) => trusteePressed(facts, tom, now),
  'tom leaves': (facts) => contactStepsDown(without(tom, facts), tom, accepted),
  'first accepted': (facts) => reminderEnded(facts, 'first', accepted),
  'first refused': (facts) => reminderEnded(facts, 'first', refused),
  'last accepted': (facts) => reminderEnded(facts, 'last', accepted),
  'last refused': (facts) => reminderEnded(facts, 'last', refused),
  'ask of tom accepted': (facts) => askEnded(facts, { contactId: tom, round: 1, tries: 0 }, accepted),
  'holding notice accepted': (facts) => noticeEnded(facts, 'holding', accepted),
  'deliveries ended': (facts) => deliveriesEnded(facts),
} satisfies Record<string, (facts: ReleaseFacts) => EventResult>;
type EventName = keyof typeof events;

/** A cell in words: what the state becomes and what is done, or why the event is ignored. */
function cell(facts: ReleaseFacts, result: EventResult): string {
  if (result.ignored) {
    expect(result).toMatchObject({ cycle: facts.cycle, closedAs: null, effects: [] });
    return `ignored: ${result.ignored}`;
  }
  const becomes = result.closedAs ? `closed as ${result.closedAs}` : (result.cycle?.state ?? 'nothing');
  const effects = result.effects.map((effect) => ('about' in effect ? `${effect.kind} ${effect.about}` : effect.kind));
  return [becomes, ...effects].join(', ');
}

const noCycle = 'ignored: nothing_open';
const outOfDate = 'ignored: out_of_date';
const linkDead = 'ignored: link_dead';
const undone = 'closed as watching, cancel_notifications, withdraw_links';
const undoneAndTold = `${undone}, tell_owner welcome_back, tell_contacts stopped`;
const halted =
  'closed as halted, halt_deliveries, cancel_notifications, withdraw_links, tell_owner halted, tell_contacts stopped';
const confirmed = (state: string) => `${state}, record_decision`;
const cancelled = (told: boolean) =>
  `paused, record_decision, withdraw_links, tell_owner paused${told ? ', tell_contacts paused' : ''}`;
const asksOne = 'asking, ask_contacts, tell_owner emergency';
const pressed = (state: string) => `${state}, record_decision, tell_owner trustee`;

const leaves = (state: string) => `${state}, withdraw_link`;

const noDecisions = {
  'priya confirms': linkDead,
  'priya cancels': linkDead,
  'tom confirms': linkDead,
  'tom cancels': linkDead,
  'tom leaves': linkDead,
};
const noOutcomes = {
  'first accepted': outOfDate,
  'first refused': outOfDate,
  'last accepted': outOfDate,
  'last refused': outOfDate,
  'ask of tom accepted': outOfDate,
  'holding notice accepted': outOfDate,
  'deliveries ended': outOfDate,
};
const asksAgain = (state: string) => `${state}, withdraw_link, ask_contacts, tell_owner emergency`;
const early = {
  'emergency for priya': asksOne,
  'emergency for tom': asksOne,
  'trustee tom presses': pressed('asking'),
};

const matrix: Record<StateName, Record<EventName, string>> = {
  watching: {
    activity: noCycle,
    'priya confirms': noCycle,
    'priya cancels': noCycle,
    'tom confirms': noCycle,
    'tom cancels': noCycle,
    ...early,
    'tom leaves': noCycle,
    'first accepted': noCycle,
    'first refused': noCycle,
    'last accepted': noCycle,
    'last refused': noCycle,
    'ask of tom accepted': noCycle,
    'holding notice accepted': noCycle,
    'deliveries ended': noCycle,
  },
  reminded: {
    activity: undone,
    ...noDecisions,
    ...early,
    ...noOutcomes,
    'first accepted': 'reminded',
    'first refused': 'reminded',
  },
  'first accepted': { activity: undone, ...noDecisions, ...early, ...noOutcomes },
  warned: {
    activity: undone,
    ...noDecisions,
    ...early,
    ...noOutcomes,
    'last accepted': 'warned',
    'last refused': 'warned',
  },
  'last accepted': { activity: undone, ...noDecisions, ...early, ...noOutcomes },
  asking: {
    activity: undoneAndTold,
    'priya confirms': confirmed('asking'),
    'priya cancels': cancelled(false),
    'tom confirms': confirmed('asking'),
    'tom cancels': cancelled(true),
    'emergency for priya': asksAgain('asking'),
    'emergency for tom': 'ignored: already_asked',
    'trustee tom presses': pressed('asking'),
    'tom leaves': leaves('asking'),
    ...noOutcomes,
    'ask of tom accepted': 'asking',
  },
  emergency: {
    activity: undoneAndTold,
    'priya confirms': confirmed('asking'),
    'priya cancels': cancelled(false),
    'tom confirms': linkDead,
    'tom cancels': linkDead,
    ...early,
    'emergency for priya': asksAgain('asking'),
    'tom leaves': linkDead,
    ...noOutcomes,
  },
  paused: {
    activity: undoneAndTold,
    'priya confirms': 'ignored: already_decided',
    'priya cancels': 'ignored: already_decided',
    'tom confirms': linkDead,
    'tom cancels': linkDead,
    'emergency for priya': 'ignored: paused',
    'emergency for tom': 'ignored: paused',
    'trustee tom presses': 'ignored: paused',
    'tom leaves': linkDead,
    ...noOutcomes,
    'ask of tom accepted': 'paused, tell_contacts paused',
  },
  holding: {
    activity: undoneAndTold,
    'priya confirms': 'ignored: already_decided',
    'priya cancels': 'ignored: already_decided',
    'tom confirms': confirmed('holding'),
    'tom cancels': cancelled(true).replace('links,', 'links, withdraw_holding_notice,'),
    'emergency for priya': 'ignored: already_decided',
    'emergency for tom': asksAgain('holding'),
    'trustee tom presses': pressed('holding'),
    'tom leaves': leaves('holding'),
    ...noOutcomes,
    'holding notice accepted': 'holding',
  },
  releasing: {
    activity: halted,
    'priya confirms': 'ignored: too_late',
    'priya cancels': 'ignored: too_late',
    'tom confirms': 'ignored: too_late',
    'tom cancels': 'ignored: too_late',
    'emergency for priya': 'ignored: too_late',
    'emergency for tom': 'ignored: too_late',
    'trustee tom presses': 'ignored: too_late',
    'tom leaves': 'ignored: too_late',
    ...noOutcomes,
    'deliveries ended': 'released, tell_contacts released',
  },
  released: {
    activity: halted,
    'priya confirms': 'ignored: too_late',
    'priya cancels': 'ignored: too_late',
    'tom confirms': 'ignored: too_late',
    'tom cancels': 'ignored: too_late',
    'emergency for priya': 'ignored: too_late',
    'emergency for tom': 'ignored: too_late',
    'trustee tom presses': 'ignored: too_late',
    'tom leaves': 'ignored: too_late',
    ...noOutcomes,
  },
};

describe('every state meets every event', () => {
  for (const state of Object.keys(states) as StateName[]) {
    for (const event of Object.keys(events) as EventName[]) {
      test(`${state} × ${event}: ${matrix[state][event]}`, () => {
        const facts = factsWith(states[state]);
        expect(cell(facts, events[event](facts))).toBe(matrix[state][event]);
      });
    }
  }
});

describe('what time brings in every state', () => {
  const due: Record<StateName, string> = {
    watching: 'first_reminder',
    reminded: 'nothing',
    'first accepted': 'last_reminder',
    warned: 'nothing',
    'last accepted': 'ask',
    asking: 'nothing',
    emergency: 'first_reminder',
    paused: 'nothing',
    holding: 'first_reminder',
    releasing: 'nothing',
    released: 'nothing',
  };
  for (const state of Object.keys(states) as StateName[]) {
    test(`${state}: ${due[state]}`, () => {
      expect(decide(factsWith(states[state]), now, healthyMs).step ?? 'nothing').toBe(due[state]);
    });

    test(`${state}: nothing while the owner is frozen or not verified, and only reminders while all are frozen`, () => {
      const facts = factsWith(states[state]);
      const { owner } = facts;
      for (const still of [{ isFrozen: true }, { isVerified: false }]) {
        expect(decide({ ...facts, owner: { ...owner, ...still } }, now, healthyMs).step).toBeNull();
      }
      const { step } = decide({ ...facts, isInstallationFrozen: true }, now, healthyMs);
      expect([null, 'first_reminder', 'last_reminder']).toContain(step);
    });

    test(`${state}: activity that came by SQL ends it, frozen or not`, () => {
      const facts = factsWith(states[state], { lastActivityMs: now - 1, isFrozen: true });
      expect(decide(facts, now, healthyMs).step).toBe(states[state] ? 'return' : null);
    });
  }
});

describe('windows', () => {
  const confirmedBy = (cycle: CycleFacts, ...ids: string[]): CycleFacts => ({
    ...cycle,
    invitations: cycle.invitations.map((each) =>
      ids.includes(each.contactId) ? { ...each, decision: 'confirmed' } : each,
    ),
  });

  test('a reminder is not accepted because it was sent: without an outcome nothing follows, ever', () => {
    expect(decide(factsWith(reminded), now + 900 * dayMs, healthyMs + 900 * dayMs).step).toBeNull();
    expect(decide(factsWith(warned), now + 900 * dayMs, healthyMs + 900 * dayMs).step).toBeNull();
  });

  test('first to last takes 7 healthy days and last to asking 10, to the millisecond, whatever the wall clock says', () => {
    const late = now + 500 * dayMs;
    const sevenDays = mark(45).healthyMs + 7 * dayMs;
    expect(decide(factsWith(firstAccepted), late, sevenDays - 1)).toMatchObject({ step: null, nextStepAtMs: late + 1 });
    expect(decide(factsWith(firstAccepted), late, sevenDays).step).toBe('last_reminder');
    const tenDays = mark(80).healthyMs + 10 * dayMs;
    expect(decide(factsWith(lastAccepted), late, tenDays - 1).step).toBeNull();
    expect(decide(factsWith(lastAccepted), late, tenDays).step).toBe('ask');
  });

  test('for an owner whom no mail reaches they are 14 and 20 days, and the answer time doubles', () => {
    const unreachable = { ownerUnreachable: true };
    const late = now + 500 * dayMs;
    expect(
      decide(factsWith({ ...firstAccepted, ...unreachable }), late, mark(45).healthyMs + 14 * dayMs - 1).step,
    ).toBeNull();
    expect(
      decide(factsWith({ ...lastAccepted, ...unreachable }), late, mark(80).healthyMs + 20 * dayMs - 1).step,
    ).toBeNull();
    const facts = factsWith({ ...asking, ...unreachable }, { releaseMethod: 'inactivity' });
    expect(decide(facts, late, mark(90).healthyMs + 14 * dayMs - 1).step).toBeNull();
    expect(decide(facts, late, mark(90).healthyMs + 14 * dayMs).step).toBe('release');
  });

  test('the owner is never asked about before the whole period is over, however early the reminders were', () => {
    const facts = factsWith(lastAccepted, { lastActivityMs: now - 90 * dayMs + 1 });
    expect(decide(facts, now, healthyMs)).toMatchObject({ step: null, nextStepAtMs: now + 1 });
  });

  test('method inactivity releases when the answer time is over, trusted_contact does not, however long', () => {
    const over = mark(90).healthyMs + 7 * dayMs;
    expect(decide(factsWith(asking, { releaseMethod: 'inactivity' }), now, over - 1).step).toBeNull();
    expect(decide(factsWith(asking, { releaseMethod: 'inactivity' }), now, over).step).toBe('release');
    expect(decide(factsWith(asking), now, over).step).toBeNull();
    for (const days of [30, 90, 900]) {
      expect(decide(factsWith(asking), now + days * dayMs, over + days * dayMs).step).toBe('ask');
    }
  });

  test('after the whole silence a quorum releases at once; long before it, the waiting period comes first', () => {
    expect(decide(factsWith(confirmedBy(asking, priya)), now, healthyMs).step).toBe('release');
    const held = decide(factsWith(confirmedBy(emergency, priya), { inactivityDays: 365 }), now, healthyMs);
    expect(held).toMatchObject({ step: 'hold', effects: [{ kind: 'tell_owner', about: 'holding' }] });
    const notified = { ...holding, ownerNotice: mark(96) };
    const facts = factsWith(notified, { inactivityDays: 365 });
    expect(decide(facts, now, mark(96).healthyMs + 5 * dayMs - 1).step).toBeNull();
    expect(decide(facts, now, mark(96).healthyMs + 5 * dayMs).step).toBe('release');
    const untold = factsWith({ ...holding, waitingDays: 0 }, { inactivityDays: 365, waitingDays: 0 });
    expect(decide(untold, now, healthyMs).step).toBe('release');
  });

  test('the days to answer that people were told hold when somebody sets fewer, and more count at once', () => {
    const told = { ...asking, answerDays: 7 };
    const at = (answerDays: number, days: number) => {
      const facts = factsWith(told, { releaseMethod: 'inactivity', answerDays });
      return decide(facts, now, mark(90).healthyMs + days * dayMs).step;
    };
    expect([at(0, 7 - 1e-6), at(0, 7), at(30, 30 - 1e-6), at(30, 30)]).toEqual([null, 'release', null, 'release']);

    const release = { cycle: told, effects: [{ kind: 'create_deliveries' as const }] };
    const fewer = factsWith(told, { releaseMethod: 'inactivity', answerDays: 0 });
    const early = { now, healthyMs: mark(90).healthyMs + 7 * dayMs - 1 };
    expect(brokenInvariant(fewer, release, early)).toBe('the time to answer is not over');
    expect(brokenInvariant(fewer, release, { ...early, healthyMs: early.healthyMs + 1 })).toBeNull();
  });

  test('both reminders and every question keep the days to answer that they tell, and never fewer than before', () => {
    const kept = (cycle: CycleFacts | null, answerDays: number) => {
      const { step, cycle: next } = decide(factsWith(cycle, { answerDays }), now, healthyMs);
      return [step, next?.answerDays];
    };
    expect(kept(null, 7)).toEqual(['first_reminder', 7]);
    expect(kept({ ...firstAccepted, answerDays: 7 }, 3)).toEqual(['last_reminder', 7]);
    expect(kept({ ...lastAccepted, answerDays: 7 }, 10)).toEqual(['ask', 10]);
    const late = { ...asking, answerDays: 10, invitations: [reached(priya)] };
    expect(kept(late, 0)).toEqual(['ask_late', 10]);
    expect(kept(late, 14)).toEqual(['ask_late', 14]);
    const beside = { ...asking, invitations: [reached(priya)] };
    expect(emergencyRequested(factsWith(beside, { answerDays: 14 }), tom, now).cycle?.answerDays).toBe(14);
  });

  test("the owner's own days hold as they were told, from the request on, whatever is set later", () => {
    const notified = { ...holding, ownerNotice: mark(96) };
    const fewer = factsWith(notified, { inactivityDays: 365, waitingDays: 0 });
    const over = mark(96).healthyMs + 5 * dayMs;
    expect(decide(fewer, now, over - 1).step).toBeNull();
    expect(decide(fewer, now, over).step).toBe('release');
    const release = { cycle: notified, effects: [{ kind: 'create_deliveries' as const }] };
    expect(brokenInvariant(fewer, release, { now, healthyMs: over - 1 })).toBe(
      "the owner's waiting period is not over",
    );
    expect(brokenInvariant(fewer, release, { now, healthyMs: over })).toBeNull();

    const pressed = trusteePressed(factsWith(null, { inactivityDays: 365 }), tom, now);
    expect(pressed.cycle?.waitingDays).toBe(5);
    const held = decide(factsWith(pressed.cycle, { inactivityDays: 365, waitingDays: 0 }), now, healthyMs);
    expect(held).toMatchObject({ step: 'hold', cycle: { waitingDays: 5 }, effects: [{ about: 'holding' }] });
  });

  test('days that somebody sets while a release is held without any are told, and begin with that notice', () => {
    const without = { ...holding, waitingDays: 0, noticeTries: 1 };
    const raised = factsWith(without, { inactivityDays: 365, waitingDays: 3 });
    const told = decide(raised, now, healthyMs);
    expect(told).toMatchObject({
      step: 'hold',
      cycle: { state: 'holding', waitingDays: 3, noticeTries: 2 },
      effects: [{ kind: 'tell_owner', about: 'holding' }],
    });
    expect(decide({ ...raised, cycle: told.cycle }, now, healthyMs).step).not.toBe('hold');
    const beside = trusteePressed(raised, tom, now);
    expect(decide({ ...raised, cycle: beside.cycle }, now, healthyMs).step).toBe('hold');
  });

  test('a contact confirmed within the last 72 hours counts for silence and not for an early release', () => {
    const contacts = [{ id: priya, confirmedAtMs: now - 3 * dayMs + 1 }];
    const fresh = { ...factsWith(confirmedBy(emergency, priya), { inactivityDays: 365 }), contacts };
    expect(decide(fresh, now, healthyMs)).toMatchObject({ step: null, nextStepAtMs: now + 1 });
    expect(decide(fresh, now + 1, healthyMs).step).toBe('hold');
    expect(emergencyRequested({ ...factsWith(null), contacts }, priya, now).ignored).toBe('contact_too_new');
    expect(trusteePressed({ ...factsWith(null), contacts }, priya, now).ignored).toBe('contact_too_new');
    expect(decide({ ...factsWith(confirmedBy(asking, priya)), contacts }, now, healthyMs).step).toBe('release');
  });

  test('a pause lasts 30 healthy days and ends in a new round with new links', () => {
    const over = mark(95).healthyMs + 30 * dayMs;
    expect(decide(factsWith(paused), now + 500 * dayMs, over - 1).step).toBeNull();
    const again = decide(factsWith(paused), now, over);
    expect(again).toMatchObject({ step: 'ask', cycle: { state: 'asking', round: 2, asked: null } });
    expect(again.effects).toContainEqual({ kind: 'ask_contacts', contactIds: [priya, tom] });
  });

  test('a first cancel kills the links of the others, a repeated one leaves them, and only a first one starts the 30 days anew', () => {
    const both: CycleFacts = { ...asking, invitations: [reached(priya), reached(tom)] };
    const stopped = contactCancels(factsWith(both), priya, mark(95));
    expect(stopped.cycle?.invitations.find(({ contactId }) => contactId === tom)?.isWithdrawn).toBe(true);

    const secondRound: CycleFacts = {
      ...both,
      round: 2,
      invitations: [
        reached(priya, { decision: 'cancelled' }),
        reached(priya, { round: 2 }),
        reached(tom, { round: 2 }),
      ],
    };
    const repeated = contactCancels(factsWith(secondRound), priya, mark(96));
    expect(repeated.cycle).toMatchObject({ state: 'paused', paused: mark(96) });
    expect(contactConfirms(factsWith(repeated.cycle), tom).ignored).toBeNull();
    const anew = contactCancels(factsWith(repeated.cycle), tom, mark(99));
    expect(anew.cycle).toMatchObject({ state: 'paused', paused: mark(99) });
  });

  test('what was confirmed before a first cancel does not count after it', () => {
    const facts = factsWith(confirmedBy({ ...asking, invitations: [reached(priya), reached(tom)] }, tom), {
      quorum: 2,
    });
    const stopped = contactCancels(facts, priya, mark(70));
    const again = decide(factsWith(stopped.cycle, { quorum: 2 }), now, healthyMs);
    expect(again).toMatchObject({ step: 'ask', cycle: { round: 2 } });
    expect(again.effects).toContainEqual({ kind: 'ask_contacts', contactIds: [priya, tom] });
  });

  test('an emergency that was called off goes back to where silence stands', () => {
    const calledOff: CycleFacts = {
      ...emergency,
      state: 'paused',
      paused: mark(60),
      invitations: [reached(priya, { decision: 'cancelled' })],
    };
    const over = mark(60).healthyMs + 30 * dayMs;
    expect(decide(factsWith(calledOff, { inactivityDays: 365 }), now, over)).toMatchObject({
      step: 'resume',
      closedAs: 'watching',
      effects: [{ kind: 'cancel_notifications' }, { kind: 'withdraw_links' }],
    });
    const withReminder: CycleFacts = { ...calledOff, first: firstAccepted.first };
    expect(decide(factsWith(withReminder, { inactivityDays: 365 }), now, over)).toMatchObject({
      step: 'resume',
      cycle: { state: 'reminded' },
    });
  });

  describe('a no against an early request that is over', () => {
    const pair = { quorum: 1, waitingDays: 0 };
    const bothAsked = (cycle: CycleFacts | null) =>
      cycle && { ...cycle, invitations: cycle.invitations.map((each) => ({ ...each, asking: reached(priya).asking })) };
    /** Priya said no to what was asked for in her name on day 60; the pause and the silence are over. */
    const calledOff = (more: readonly InvitationFacts[] = [], owner = pair): CycleFacts => {
      const open = { ...emergency, first: lastAccepted.first, last: lastAccepted.last };
      const stopped = contactCancels(
        factsWith({ ...open, invitations: [...open.invitations, ...more] }, owner),
        priya,
        mark(60),
      );
      return stopped.cycle ?? open;
    };

    test('is not their only one: what they say at the end of the silence stops it, and the yes of another releases nothing', () => {
      const asked = decide(factsWith(calledOff(), pair), now, healthyMs);
      expect(asked).toMatchObject({ step: 'ask', cycle: { cause: 'silence', round: 2 } });
      const no = contactCancels(factsWith(bothAsked(asked.cycle), pair), priya, mark(100));
      expect(no.effects).toContainEqual({ kind: 'withdraw_links' });
      expect(contactConfirms(factsWith(no.cycle, pair), tom).ignored).toBe('link_dead');

      const yesFirst = contactConfirms(factsWith(bothAsked(asked.cycle), { ...pair, quorum: 2 }), tom);
      const then = contactCancels(factsWith(yesFirst.cycle, pair), priya, mark(100));
      expect(decide(factsWith(then.cycle, pair), now, healthyMs)).toMatchObject({
        step: null,
        cycle: { state: 'paused' },
      });
      const facts = factsWith(then.cycle, pair);
      const time = { now, healthyMs };
      expect(brokenInvariant(facts, { cycle: facts.cycle, effects: [{ kind: 'create_deliveries' }] }, time)).toContain(
        'a cancel',
      );
    });

    test('nor where the request led back to the reminders, and another one came', () => {
      const early = { ...pair, inactivityDays: 365 };
      const back = decide(factsWith(calledOff([], early), early), now, healthyMs);
      expect(back).toMatchObject({ step: 'resume', cycle: { state: 'warned', settledRound: 1 } });
      const again = emergencyRequested(factsWith(back.cycle, early), priya, now);
      const secondNo = contactCancels(factsWith(bothAsked(again.cycle), early), priya, mark(100));
      expect(secondNo.effects).toContainEqual({ kind: 'withdraw_links' });
      const over = decide(factsWith(secondNo.cycle, pair), now + 31 * dayMs, healthyMs + 31 * dayMs);
      expect(over).toMatchObject({ step: 'ask', cycle: { round: 3, settledRound: 2 } });
      const third = contactCancels(factsWith(bothAsked(over.cycle), pair), priya, mark(131));
      expect(third.effects).toContainEqual({ kind: 'withdraw_links' });
    });

    test('takes the yes of others with it; where nobody said no, a yes to an early request still counts', () => {
      const quorum2 = { ...pair, quorum: 2 };
      const yesOfTom = reached(tom, { decision: 'confirmed' });
      const afterNo = decide(factsWith(calledOff([yesOfTom], quorum2), quorum2), now, healthyMs);
      expect(afterNo.effects).toContainEqual({ kind: 'ask_contacts', contactIds: [priya, tom] });

      const kept: CycleFacts = {
        ...calledOff(),
        state: 'asking',
        paused: null,
        invitations: [reached(priya), yesOfTom],
      };
      const asked = decide(factsWith(kept, quorum2), now, healthyMs);
      expect(asked.effects).toContainEqual({ kind: 'ask_contacts', contactIds: [priya] });
      expect(asked.cycle?.settledRound).toBe(0);
      const both = contactConfirms(factsWith(bothAsked(asked.cycle), quorum2), priya);
      expect(decide(factsWith(both.cycle, quorum2), now, healthyMs).step).toBe('release');
    });

    test('and in the silence itself a second no is a repeated one, as ever', () => {
      const asked = decide(factsWith(calledOff(), pair), now, healthyMs);
      const no = contactCancels(factsWith(bothAsked(asked.cycle), pair), priya, mark(100));
      const again = decide(factsWith(no.cycle, pair), now + 31 * dayMs, healthyMs + 31 * dayMs);
      const second = contactCancels(factsWith(bothAsked(again.cycle), pair), priya, mark(131));
      expect(second.effects).not.toContainEqual({ kind: 'withdraw_links' });
      expect(contactConfirms(factsWith(second.cycle, pair), tom).ignored).toBeNull();
    });
  });

  test('a quorum of three needs three different people, and never more than there are', () => {
    const facts = factsWith(confirmedBy(asking, priya), { quorum: 3 });
    expect(decide(facts, now, healthyMs).step).toBeNull();
    expect(decide({ ...facts, cycle: confirmedBy(asking, priya, tom) }, now, healthyMs).step).toBe('release');
  });

  test('somebody who is no contact any more does not count', () => {
    const facts = { ...factsWith(confirmedBy(asking, priya)), contacts: [{ id: tom, confirmedAtMs: start }] };
    expect(decide(facts, now, healthyMs).step).toBeNull();
  });

  test('nobody is asked and nothing released without a ready message, and it is said why', () => {
    expect(decide({ ...factsWith(lastAccepted), readyMessages: 0 }, now, healthyMs)).toMatchObject({
      step: null,
      blockedBy: 'no_ready_message',
    });
    expect(decide({ ...factsWith(confirmedBy(asking, priya)), readyMessages: 0 }, now, healthyMs)).toMatchObject({
      step: null,
      blockedBy: 'no_ready_message',
    });
    expect(decide({ ...factsWith(lastAccepted), contacts: [] }, now, healthyMs)).toMatchObject({
      step: null,
      blockedBy: 'no_confirmed_contact',
    });
  });

  test('a refusal while no mail gets through says nothing of the owner: the reminder is written again', () => {
    const broken = reminderEnded(factsWith(reminded), 'first', { ...refused, isMailHealthy: false });
    expect(broken.cycle).toMatchObject({
      first: { sentAtMs: null, ended: null, tries: 1 },
      ownerUnreachable: false,
    });
    expect(decide(factsWith(broken.cycle), now, healthyMs).step).toBe('first_reminder');
    expect(reminderEnded(factsWith(reminded), 'first', refused).cycle).toMatchObject({
      ownerUnreachable: true,
      first: { ended: mark(100) },
    });
  });

  test('each mail to the owner is counted by itself, and a hold is a notice of its own', () => {
    const unwell = { ...refused, isMailHealthy: false };
    const both = factsWith({ ...holding, first: reminded.first, noticeTries: 1 });
    const whats = ['first_reminder', 'last_reminder', 'owner_holding', 'owner_asked'];
    const tries = ({ cycle }: EventResult) => whats.map((what) => cycle && ownerMailTries(cycle, what));
    expect(tries(reminderEnded(both, 'first', unwell))).toEqual([1, 0, 1, 1]);
    expect(tries(noticeEnded(both, 'holding', unwell))).toEqual([0, 0, 2, 2]);
    expect(tries(reminderEnded(factsWith(warned), 'last', unwell))).toEqual([0, 1, 0, 0]);

    const held = decide(factsWith(confirmedBy(emergency, priya), { inactivityDays: 365 }), now, healthyMs);
    const back = decide(without(priya, factsWith(held.cycle, { inactivityDays: 365 })), now, healthyMs);
    expect([held.step, back.step]).toEqual(['hold', 'unhold']);
    const pressed = trusteePressed(without(priya, factsWith(back.cycle, { inactivityDays: 365 })), tom, now);
    const again = decide(without(priya, factsWith(pressed.cycle, { inactivityDays: 365 })), now, healthyMs);
    expect(again).toMatchObject({ step: 'hold', effects: [{ kind: 'tell_owner', about: 'holding' }] });
    expect([held.cycle?.noticeTries, again.cycle?.noticeTries]).toEqual([1, 2]);
  });

  test('a cancel is told as that of whoever said it, so a second one in a round is news too', () => {
    const both = factsWith({ ...asking, invitations: [reached(priya), reached(tom)] });
    const { effects } = contactCancels(both, priya, mark(95));
    expect(effects).toContainEqual({ kind: 'tell_owner', about: 'paused', contactId: priya });
    expect(effects).toContainEqual({ kind: 'tell_contacts', about: 'paused', contactIds: [tom], by: priya });
    const late = factsWith(paused);
    expect(askEnded(late, { contactId: tom, round: 1, tries: 0 }, accepted).effects).toEqual([
      { kind: 'tell_contacts', about: 'paused', contactIds: [tom], by: priya },
    ]);
  });

  test('an asking mail that left while somebody cancelled is followed by the word that all is stopped', () => {
    const stopped = factsWith({ ...paused, invitations: [{ ...newInvitation(tom, 1), isWithdrawn: true }] });
    const told = { kind: 'tell_contacts', about: 'paused', contactIds: [tom] };
    expect(askEnded(stopped, { contactId: tom, round: 1, tries: 0 }, accepted).effects).toEqual([told]);
    expect(askEnded(stopped, { contactId: tom, round: 1, tries: 0 }, refused).effects).toEqual([]);
  });

  test('the answer time begins with the last asking mail of the round, and asks that all failed are repeated', () => {
    const fresh: CycleFacts = { ...asking, asked: null, invitations: [newInvitation(priya, 1), newInvitation(tom, 1)] };
    const one = askEnded(factsWith(fresh), { contactId: priya, round: 1, tries: 0 }, accepted);
    expect(one.cycle?.asked).toBeNull();
    const both = askEnded(factsWith(one.cycle), { contactId: tom, round: 1, tries: 0 }, refused);
    expect(both.cycle?.asked).toEqual(mark(100));

    const broken = { ...refused, isMailHealthy: false };
    const first = askEnded(factsWith(fresh), { contactId: priya, round: 1, tries: 0 }, broken);
    const none = askEnded(factsWith(first.cycle), { contactId: tom, round: 1, tries: 0 }, broken);
    expect(none.cycle?.asked).toBeNull();
    expect(decide(factsWith(none.cycle), now + dayMs - 1, healthyMs).step).toBeNull();
    expect(decide(factsWith(none.cycle), now + dayMs, healthyMs)).toMatchObject({ step: 'ask', cycle: { round: 2 } });
  });
});

describe('a last reminder that turns out to have come too soon', () => {
  const early = { ...mark(80), healthyMs: mark(45).healthyMs + 6.4 * dayMs };
  const tooSoon = <Cycle extends CycleFacts>(cycle: Cycle) => ({ ...cycle, last: { ...cycle.last, ended: early } });
  const whole = mark(45).healthyMs + 7 * dayMs;
  const bySilence = { releaseMethod: 'inactivity' as const };
  const saidYes = [reached(priya, { decision: 'confirmed' }), reached(tom)];

  test('is written again once the gap behind the first is whole, to the millisecond, with a key of its own', () => {
    for (const state of [tooSoon(lastAccepted), { ...tooSoon(lastAccepted), ownerUnreachable: true }]) {
      expect(decide(factsWith(state), now, whole - 1)).toMatchObject({ step: null, nextStepAtMs: now + 1 });
      expect(decide(factsWith(state), now, whole)).toMatchObject({
        step: 'last_reminder',
        cycle: { state: 'warned', last: { sentAtMs: now, ended: null, tries: 1 } },
        effects: [{ kind: 'remind_owner', which: 'last' }],
      });
    }
  });

  test('and the gap before asking runs from the new one', () => {
    const { cycle } = decide(factsWith(tooSoon(lastAccepted)), now, healthyMs);
    const ended = reminderEnded(factsWith(cycle), 'last', accepted);
    expect(decide(factsWith(ended.cycle), now + 10 * dayMs, healthyMs + 10 * dayMs - 1).step).toBeNull();
    expect(decide(factsWith(ended.cycle), now + 10 * dayMs, healthyMs + 10 * dayMs).step).toBe('ask');
  });

  test('one that kept its gap is never written again', () => {
    const kept = { ...lastAccepted, last: { ...lastAccepted.last, ended: { ...early, healthyMs: whole } } };
    expect(decide(factsWith(kept), now, healthyMs).step).toBe('ask');
  });

  const wereAsked = {
    asking: tooSoon(asking),
    paused: tooSoon(paused),
    'pause that is over': { ...tooSoon(paused), paused: mark(60) },
    holding: tooSoon({ ...holding, ...asking, state: 'holding', invitations: saidYes, ownerNotice: mark(99) }),
  };
  for (const [name, cycle] of Object.entries(wereAsked)) {
    test(`contacts were asked behind it (${name}): the owner gets another one first, and nothing else moves`, () => {
      for (const owner of [{}, bySilence]) {
        const decision = decide(factsWith(cycle, owner), now, healthyMs);
        const { last: _, answerDays: __, ...rest } = cycle;
        expect(decision).toMatchObject({ step: 'last_reminder', cycle: { ...rest, last: { tries: 1, ended: null } } });
        expect(decide(factsWith(decision.cycle, owner), now, healthyMs).step ?? 'nothing').toMatch(/nothing|ask/);
      }
    });
  }

  test('with the answer time over, silence delivers 10 healthy days after the new one, and no promise is broken', () => {
    const long = { ...tooSoon(asking), asked: mark(91) };
    const { cycle } = decide(factsWith(long, bySilence), now, healthyMs);
    const { cycle: warnedAgain } = reminderEnded(factsWith(cycle, bySilence), 'last', accepted);
    const facts = factsWith(warnedAgain, bySilence);
    const [atMs, tenDays] = [now + 10 * dayMs, healthyMs + 10 * dayMs];
    expect(decide(facts, atMs, tenDays - 1)).toMatchObject({ step: null, nextStepAtMs: atMs + 1 });
    const decision = decide(facts, atMs, tenDays);
    expect(decision.step).toBe('release');
    expect(brokenInvariant(facts, decision, { now: atMs, healthyMs: tenDays })).toBeNull();
  });

  test("a contact's yes is taken: the owner's own days come first, as in every release whose silence is not complete", () => {
    const yes = contactConfirms(factsWith(tooSoon(asking)), priya);
    const facts = factsWith(yes.cycle);
    expect(decide(facts, now, healthyMs)).toMatchObject({ step: 'hold', effects: [{ about: 'holding' }] });
    const swift = factsWith(yes.cycle, { waitingDays: 0 });
    const held = factsWith(decide(swift, now, healthyMs).cycle, { waitingDays: 0 });
    const release = decide(held, now, healthyMs);
    expect(release.step).toBe('release');
    expect(brokenInvariant(held, release, { now, healthyMs })).toBeNull();
  });
});

describe('while people alone decide and have not', () => {
  const began = mark(90);
  const over = began.healthyMs + 30 * dayMs;
  const late = now + 500 * dayMs;
  const failed = (contactId: string): InvitationFacts => ({
    ...newInvitation(contactId, 1),
    asking: { outcome: 'failed', atMs: began.atMs },
  });
  const silent: CycleFacts = { ...asking, roundBegan: began };

  test('whoever has not answered is asked again after 30 healthy days, and the owner is told each time', () => {
    expect(decide(factsWith(silent), late, over - 1)).toMatchObject({ step: null, nextStepAtMs: late + 1 });
    const again = decide(factsWith(silent), late, over);
    expect(again).toMatchObject({
      step: 'ask',
      cycle: { state: 'asking', round: 2, asked: null, roundBegan: { atMs: late, healthyMs: over } },
    });
    expect(again.effects).toEqual([
      { kind: 'withdraw_links' },
      { kind: 'ask_contacts', contactIds: [priya, tom] },
      { kind: 'tell_owner', about: 'asked' },
    ]);
    expect(decide(factsWith(again.cycle), late, over + 30 * dayMs - 1).step).toBeNull();
    expect(decide(factsWith(again.cycle), late, over + 30 * dayMs)).toMatchObject({ step: 'ask', cycle: { round: 3 } });
  });

  test('also where the only question bounced, and where another mail is still on its way', () => {
    const bounced = { ...silent, invitations: [failed(priya)] };
    const facts = without(tom, factsWith(bounced));
    expect(decide(facts, late, over - 1).step).toBeNull();
    expect(decide(facts, late, over).effects).toContainEqual({ kind: 'ask_contacts', contactIds: [priya] });
    const waiting = { ...bounced, asked: null, invitations: [failed(priya), newInvitation(tom, 1)] };
    expect(decide(factsWith(waiting), late, over).step).toBe('ask');
  });

  test('nobody whose yes counts is asked a second time, and their yes stays', () => {
    const half = { ...silent, invitations: [reached(priya, { decision: 'confirmed' }), reached(tom)] };
    const again = decide(factsWith(half, { quorum: 2 }), late, over);
    expect(again.effects).toContainEqual({ kind: 'ask_contacts', contactIds: [tom] });
    const yes = contactConfirms(factsWith(again.cycle, { quorum: 2 }), tom);
    expect(decide(factsWith(yes.cycle, { quorum: 2 }), late, over).step).toBe('release');
  });

  test('nobody is asked while all is stopped, and a round of before this was counted begins with the end of its mails', () => {
    expect(decide({ ...factsWith(silent), isInstallationFrozen: true }, late, over)).toMatchObject({
      step: null,
      blockedBy: 'frozen',
    });
    expect(decide(factsWith({ ...silent, roundBegan: null, asked: mark(91) }), late, over).step).toBeNull();
    expect(decide(factsWith({ ...silent, roundBegan: null, asked: mark(91) }), late, over + dayMs).step).toBe('ask');
    expect(decide(factsWith({ ...silent, roundBegan: null, asked: null }), late, over + 90 * dayMs).step).toBeNull();
  });
});

describe('a contact who needs another link', () => {
  const bounced: InvitationFacts = { ...newInvitation(priya, 1), asking: { outcome: 'failed', atMs: now - dayMs } };
  const fresh = (each: InvitationFacts): InvitationFacts => ({
    ...each,
    asking: { outcome: 'failed', atMs: now - dayMs + 1 },
  });
  const request = (cycle: CycleFacts, owner: Partial<ReleaseFacts['owner']> = {}) =>
    emergencyRequested(factsWith(cycle, owner), priya, now);

  test.each([
    ['whose mail bounced a day ago', bounced],
    ['who was reached and has not answered', reached(priya)],
  ])('%s gets one, and the old one is dead', (_, invitation) => {
    const given = request({ ...asking, invitations: [invitation] });
    expect(given.effects).toEqual([
      { kind: 'withdraw_link', contactId: priya, round: 1, tries: 0 },
      { kind: 'ask_contacts', contactIds: [priya], isInTheirName: true },
      { kind: 'tell_owner', about: 'emergency', contactId: priya },
    ]);
    expect(given.cycle?.invitations).toEqual([{ ...newInvitation(priya, 1), tries: 1 }]);
  });

  test('gets none twice within a day, nor while a mail is on its way, nor after an answer', () => {
    expect(request({ ...asking, invitations: [fresh(bounced)] }).ignored).toBe('already_asked');
    expect(request({ ...asking, invitations: [newInvitation(priya, 1)] }).ignored).toBe('already_asked');
    const no = reached(priya, { decision: 'cancelled' as const });
    expect(request({ ...asking, invitations: [no, reached(tom)] }).ignored).toBe('already_asked');
  });

  test('takes no time from anybody: the time to answer goes on, and does not wait for a mailbox twice', () => {
    const inactivity = { releaseMethod: 'inactivity' as const };
    const given = request({ ...asking, invitations: [reached(priya), reached(tom)] }, inactivity);
    expect(given.cycle?.asked).toEqual(asking.asked);
    expect(decide(factsWith(given.cycle, inactivity), now, mark(90).healthyMs + 7 * dayMs).step).toBe('release');
    const waits = { ...asking, asked: null, invitations: [bounced, newInvitation(tom, 1)] };
    expect(request(waits, inactivity).ignored).toBe('already_asked');
    expect(request(waits).ignored).toBeNull();
  });
});

describe('a contact who leaves', () => {
  const fresh: CycleFacts = { ...asking, asked: null, invitations: [reached(priya), newInvitation(tom, 1)] };
  const leave = (facts: ReleaseFacts, contactId: string) =>
    factsWith(contactStepsDown(without(contactId, facts), contactId, accepted).cycle, facts.owner);

  test('keeps nobody waiting: the answer time of the others begins with the last mail that is still awaited', () => {
    expect(leave(factsWith(fresh), tom).cycle?.asked).toEqual(mark(100));
    const bothWait = { ...fresh, invitations: [newInvitation(priya, 1), newInvitation(tom, 1)] };
    expect(leave(factsWith(bothWait), tom).cycle?.asked).toBeNull();
    const runs = leave(factsWith({ ...fresh, asked: mark(95) }), tom);
    expect(runs.cycle?.asked).toEqual(mark(95));
  });

  test('and was the last one has everybody who is left asked again: the owner alone is told, and waits for that mail', () => {
    const inactivity = { releaseMethod: 'inactivity' as const };
    const alone = { ...fresh, invitations: [newInvitation(tom, 1)] };
    const left = without(priya, without(tom, leave(factsWith(alone, inactivity), tom)));
    const again = decide(left, now, healthyMs);
    expect(again).toMatchObject({ step: 'ask', cycle: { round: 2, asked: null } });
    expect(again.effects.map(({ kind }) => kind)).toEqual(['withdraw_links', 'ask_contacts', 'tell_owner']);
    expect(noticeEnded({ ...left, cycle: again.cycle }, 'asked', accepted).cycle?.asked).toEqual(mark(100));
    const people = { ...left, owner: { ...left.owner, releaseMethod: 'trusted_contact' as const } };
    expect(decide(people, now, healthyMs)).toMatchObject({ step: null, blockedBy: 'no_confirmed_contact' });
  });

  test('and comes back is asked anew, with the whole time to answer; the mail of before says nothing of it', () => {
    const left = leave(factsWith({ ...fresh, asked: mark(99) }), tom);
    const again = decide({ ...left, contacts: factsWith(null).contacts }, now, healthyMs);
    expect(again).toMatchObject({
      step: 'ask_late',
      effects: [{ contactIds: [tom] }],
      cycle: { round: 1, asked: null },
    });
    expect(again.cycle?.invitations.filter(({ contactId }) => contactId === tom)).toEqual([
      { ...newInvitation(tom, 1), tries: 1 },
    ]);
    const facts = factsWith(again.cycle);
    expect(askEnded(facts, { contactId: tom, round: 1, tries: 0 }, accepted).ignored).toBe('out_of_date');
    expect(askEnded(facts, { contactId: tom, round: 1, tries: 1 }, accepted).cycle?.asked).toEqual(mark(100));
    expect(contactConfirms(facts, tom).ignored).toBeNull();
  });

  test('while all that was asked has been answered for keeps the answer time from waiting for ever', () => {
    const held = { ...holding, cause: 'silence' as const, asked: null };
    const back = decide(without(priya, factsWith(held)), now, healthyMs);
    expect(back).toMatchObject({ step: 'unhold', cycle: { state: 'asking', asked: { atMs: now, healthyMs } } });
    expect(back.effects).toEqual([{ kind: 'withdraw_holding_notice' }]);
    const noOther = { ...held, invitations: [reached(priya, { decision: 'confirmed' as const })] };
    expect(decide(without(priya, factsWith(noOther)), now, healthyMs).cycle?.asked).toBeNull();
    const stopped = contactCancels(factsWith(held), tom, mark(100));
    expect(stopped.effects).toContainEqual({ kind: 'withdraw_holding_notice' });
  });

  test('takes the yes along, and has to say it anew after coming back: until then one of two is not enough', () => {
    const people = { quorum: 2, releaseMethod: 'trusted_contact' as const };
    const saidYes = { ...asking, invitations: [reached(priya, { decision: 'confirmed' as const }), reached(tom)] };
    const left = leave(factsWith(saidYes, people), priya);
    const back = { ...left, contacts: factsWith(null).contacts };
    const one = { ...back, cycle: contactConfirms(back, tom).cycle };
    expect(one.cycle?.invitations.find(({ contactId }) => contactId === tom)?.decision).toBe('confirmed');
    expect(['ask_late', null]).toContain(decide(one, now, healthyMs).step);
    const stayed = factsWith(saidYes, people);
    expect(decide({ ...stayed, cycle: contactConfirms(stayed, tom).cycle }, now, healthyMs).step).toBe('release');
  });

  test('after they confirmed does not count any more', () => {
    const facts = without(priya, factsWith({ ...holding, invitations: [reached(priya, { decision: 'confirmed' })] }));
    expect(decide(facts, now, healthyMs).step).toBe('unhold');
  });
});

describe('an owner who comes back to letters that have gone', () => {
  const noneAsked = { ...released, invitations: [reached(tom, { decision: 'confirmed' })] };
  const tells = (about: 'stopped' | 'closed') => ({
    kind: 'tell_contacts',
    about,
    contactIds: [tom],
    andWhoHeard: true,
  });

  test.each([releasing, released])('has everybody told who heard of them, not only who was asked: $state', (cycle) => {
    const given = { ...cycle, invitations: noneAsked.invitations };
    expect(ownerReturns({ cycle: given }).effects).toContainEqual(tells('stopped'));
    expect(accountCloses({ cycle: given }).effects).toContainEqual(tells('closed'));
    const nobody = { ...cycle, invitations: [] };
    expect(ownerReturns({ cycle: nobody }).effects).toContainEqual({ ...tells('stopped'), contactIds: [] });
  });

  test('and before they went, those who were asked alone', () => {
    const effects = ownerReturns({ cycle: asking }).effects;
    expect(effects).toContainEqual({ kind: 'tell_contacts', about: 'stopped', contactIds: [priya] });
  });
});

describe('where one word is not enough in an early release', () => {
  const early = { quorum: 2, waitingDays: 0, inactivityDays: 365 };
  const fresh = { ...emergency, openedAtMs: start };
  const confirmed = contactConfirms(factsWith(fresh, early), priya).cycle;

  test('the others are asked once the contact of an emergency has confirmed, and not by the request itself', () => {
    expect(decide(factsWith(fresh, early), now, healthyMs).step).toBeNull();
    const asked = decide(factsWith(confirmed, early), now, healthyMs);
    expect(asked).toMatchObject({ step: 'ask_late', cycle: { state: 'asking', round: 1, neededConfirmations: 2 } });
    expect(asked.effects).toEqual([{ kind: 'ask_contacts', contactIds: [tom] }]);
    expect(decide(factsWith(asked.cycle, early), now, healthyMs).step).toBeNull();
    const both = contactConfirms(factsWith(asked.cycle, early), tom).cycle;
    expect(decide(factsWith(both, early), now, healthyMs).step).toBe('hold');
    expect(decide(factsWith(confirmed, { ...early, quorum: 1 }), now, healthyMs).step).toBe('hold');
  });

  test('nor while all are stopped: then reminders go on, and they are asked when it is over', () => {
    const frozen = { ...factsWith(confirmed, early), isInstallationFrozen: true };
    expect(decide(frozen, now, healthyMs)).toMatchObject({ step: null, blockedBy: 'frozen' });
    const due = { ...frozen, owner: { ...frozen.owner, inactivityDays: 180 } };
    expect(decide(due, now, healthyMs).step).toBe('first_reminder');
  });

  test('the end of the silence asks them once, in a round of its own', () => {
    const silent = confirmed && { ...confirmed, first: lastAccepted.first, last: lastAccepted.last };
    expect(decide(factsWith(silent, { ...early, inactivityDays: 90 }), now, healthyMs)).toMatchObject({
      step: 'ask',
      cycle: { round: 2 },
      effects: [{}, { contactIds: [tom] }, {}],
    });
  });

  test('who becomes a contact during the pause of a repeated no is asked too, where somebody has confirmed', () => {
    const second: CycleFacts = {
      ...paused,
      round: 2,
      invitations: [reached(priya, { decision: 'cancelled' }), reached(priya, { round: 2, decision: 'cancelled' })],
    };
    const jo = {
      ...factsWith(second, early),
      contacts: [...factsWith(null).contacts, { id: 'jo', confirmedAtMs: start }],
    };
    expect(decide(jo, now, mark(95).healthyMs).step).toBeNull();
    const pressed = trusteePressed(jo, tom, now);
    expect(decide({ ...jo, cycle: pressed.cycle }, now, mark(95).healthyMs)).toMatchObject({
      step: 'ask_late',
      cycle: { state: 'paused' },
      effects: [{ kind: 'ask_contacts', contactIds: ['jo'] }],
    });
  });
});

describe('how many must confirm when a contact leaves', () => {
  const two = { quorum: 2, waitingDays: 0 };
  const yes = (facts: ReleaseFacts, contactId: string) => ({
    ...facts,
    cycle: contactConfirms(facts, contactId).cycle,
  });
  const leave = (facts: ReleaseFacts, contactId: string) => {
    const left = without(contactId, facts);
    return { ...left, cycle: contactStepsDown(left, contactId, accepted).cycle ?? facts.cycle };
  };
  const isReleasable = (facts: ReleaseFacts) =>
    brokenInvariant(facts, { cycle: facts.cycle, effects: [{ kind: 'create_deliveries' }] }, { now, healthyMs }) ===
    null;

  test.each([
    ['trustee', () => trusteePressed(factsWith(null, { ...two, inactivityDays: 365 }), priya, now).cycle],
    [
      'emergency',
      () => {
        const asked = emergencyRequested(factsWith(null, { ...two, inactivityDays: 365 }), priya, now).cycle;
        return contactConfirms(factsWith(asked, two), priya).cycle;
      },
    ],
  ] as const)('%s: the word of the one is not enough because the other has gone', (_, begin) => {
    const open = factsWith(begin(), { ...two, inactivityDays: 365 });
    const left = leave(open, tom);
    expect(left.cycle?.neededConfirmations).toBe(2);
    expect(decide(left, now, healthyMs).step).not.toBe('hold');
    expect(isReleasable(left)).toBe(false);
    const more = { ...left, owner: { ...left.owner, quorum: 1 } };
    expect(decide(more, now, healthyMs).step).not.toBe('hold');
  });

  test('the end of the silence reckons with those who are left, and what they have said', () => {
    const pressed = trusteePressed(factsWith({ ...lastAccepted }, two), priya, now).cycle;
    const left = leave(factsWith(pressed, two), tom);
    const asked = decide(left, now, healthyMs);
    expect(asked).toMatchObject({ step: 'ask', cycle: { cause: 'silence', neededConfirmations: 1 } });
    expect(asked.effects).toEqual([{ kind: 'withdraw_links' }, { kind: 'ask_contacts', contactIds: [] }]);
    expect(decide({ ...left, cycle: asked.cycle }, now, healthyMs).step).toBe('release');
  });

  test('nor in a silence, until another round asks those who are left; the answer time ends it as ever', () => {
    const round = decide(factsWith(lastAccepted, two), now, healthyMs).cycle;
    expect(round?.neededConfirmations).toBe(2);
    const left = leave(yes(factsWith(round, two), priya), tom);
    expect(decide(left, now, healthyMs).step).toBeNull();
    expect(isReleasable(left)).toBe(false);
    const again = decide(left, now + 30 * dayMs, healthyMs + 30 * dayMs);
    expect(again).toMatchObject({ step: 'ask', cycle: { round: 2, neededConfirmations: 1 } });
    const ends = { ...left, owner: { ...left.owner, releaseMethod: 'inactivity' as const } };
    const asked = { ...ends, cycle: ends.cycle && { ...ends.cycle, asked: mark(93) } };
    expect(decide(asked, now, healthyMs).step).toBe('release');
  });

  test('somebody who is asked later makes it more, and stays counted; where all who were asked have gone, it begins anew', () => {
    const only = without(tom, factsWith(lastAccepted, two));
    const round = decide(only, now, healthyMs).cycle;
    expect(round?.neededConfirmations).toBe(1);
    const joined = decide(factsWith(round, two), now, healthyMs);
    expect(joined).toMatchObject({ step: 'ask_late', cycle: { neededConfirmations: 2 } });
    expect(decide(leave(yes(factsWith(joined.cycle, two), priya), tom), now, healthyMs).step).toBeNull();

    const gone = leave(leave(factsWith(decide(factsWith(lastAccepted, two), now, healthyMs).cycle, two), tom), priya);
    const newcomer = { ...gone, contacts: [{ id: 'jo', confirmedAtMs: now }] };
    expect(decide(newcomer, now, healthyMs)).toMatchObject({ step: 'ask', cycle: { neededConfirmations: 1 } });
  });
});

describe('whom an early request asks while a round goes on', () => {
  test('nobody whose confirmation counts already', () => {
    const before = [reached(priya), reached(tom, { decision: 'confirmed' as const })];
    const second = { ...asking, round: 2, invitations: [...before, { ...reached(priya), round: 2 }] };
    const facts = factsWith(second, { quorum: 2 });
    expect(emergencyRequested(facts, tom, now).ignored).toBe('already_decided');
    const pressed = trusteePressed(facts, priya, now);
    expect(pressed.effects.map(({ kind }) => kind)).not.toContain('ask_contacts');
  });

  test('everybody else with the whole time to answer, which begins again behind their mail', () => {
    const asked = emergencyRequested(factsWith({ ...asking, invitations: [reached(priya)] }), tom, now);
    expect(asked.cycle?.asked).toBeNull();
    const ended = askEnded(factsWith(asked.cycle), { contactId: tom, round: 1, tries: 0 }, accepted);
    expect(ended.cycle?.asked).toEqual(mark(100));
  });
});

describe('nudges', () => {
  const at = (day: number, days = 365) =>
    decide(factsWith(null, { inactivityDays: days }), start + day * dayMs, healthyMs);

  test('come every 30 days until the first reminder, and a late one is left out', () => {
    expect(at(29.9)).toMatchObject({ step: null, nextStepAtMs: start + 30 * dayMs });
    expect(at(30)).toMatchObject({ step: 'nudge', effects: [{ sequence: 1 }], nextStepAtMs: start + 60 * dayMs });
    expect(at(60)).toMatchObject({ step: 'nudge', effects: [{ sequence: 2 }] });
    expect(at(75)).toMatchObject({ step: null, nextStepAtMs: start + 90 * dayMs });
    expect(at(180)).toMatchObject({ step: 'nudge', nextStepAtMs: start + 183 * dayMs });
    expect(at(183).step).toBe('first_reminder');
  });

  test('never come within a day of the first reminder', () => {
    const facts = factsWith(null, { inactivityDays: 120, checkinIntervalDays: 59 });
    expect(decide(facts, start + 59 * dayMs + 1, healthyMs).step).toBeNull();
  });
});
