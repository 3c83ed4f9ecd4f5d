import { describe, expect, it } from 'vitest';
import { newCycle, newInvitation } from '#server/features/release/release-cycle.rules.ts';
import type { CycleFacts, InvitationFacts, ReleaseFacts } from '#server/features/release/release-facts.rules.ts';
import { releaseStates } from '#shared/contract/release.ts';
import {
  askedIds,
  documentsUntilMs,
  heldBy,
  ifCancelled,
  type Outlook,
  ownersDays,
  portalState,
  shownState,
} from './portal.rules.ts';

const day = 86_400_000;
const link = {
  decision: null,
  isWithdrawn: false,
  cycleState: 'asking',
  closedAtMs: null,
  releasedAtMs: null,
} as const;

describe('what a portal link shows', () => {
  it('is the question until it was answered, and the release once it goes ahead', () => {
    const shown = releaseStates.map((cycleState) => [cycleState, portalState({ ...link, cycleState }, 0)]);
    expect(Object.fromEntries(shown)).toEqual({
      watching: 'open',
      reminded: 'open',
      warned: 'open',
      asking: 'open',
      paused: 'open',
      holding: 'open',
      releasing: 'released',
      released: 'released',
      halted: null,
    });
  });

  it("stays the contact's own answer, also after a new round began", () => {
    expect(portalState({ ...link, decision: 'cancelled', cycleState: 'paused' }, 0)).toBe('cancelled');
    expect(portalState({ ...link, decision: 'cancelled', isWithdrawn: true }, 0)).toBe('cancelled');
    expect(portalState({ ...link, decision: 'confirmed', cycleState: 'released', closedAtMs: 0 }, day)).toBe(
      'confirmed',
    );
  });

  it('is nothing when the link was withdrawn unanswered, when the owner came back, or long after the release', () => {
    expect(portalState({ ...link, isWithdrawn: true }, 0)).toBeNull();
    expect(portalState({ ...link, decision: 'confirmed', closedAtMs: 0 }, 1)).toBeNull();
    expect(portalState({ ...link, decision: 'confirmed', cycleState: 'halted' }, 1)).toBeNull();
    expect(portalState({ ...link, cycleState: 'released', closedAtMs: 0 }, 30 * day)).toBeNull();
  });

  it('is the release for 30 days after its last delivery has ended, although the cycle waits for the owner', () => {
    const released = { ...link, cycleState: 'released', releasedAtMs: day } as const;
    expect(portalState(released, 31 * day - 1)).toBe('released');
    expect(portalState(released, 31 * day)).toBeNull();
    expect(portalState({ ...released, decision: 'confirmed' }, 31 * day)).toBeNull();
    expect(portalState({ ...released, closedAtMs: 40 * day }, 41 * day)).toBeNull();
  });
});

const now = 1_100 * day;
const mark = (ms: number) => ({ atMs: ms, healthyMs: ms });
const reached = (contactId: string, more: Partial<InvitationFacts> = {}): InvitationFacts => ({
  ...newInvitation(contactId, 1),
  asking: { outcome: 'reached', atMs: now - day },
  ...more,
});

/** An emergency of Priya's, whose owner has told us 3 days to wait and has been silent for 20 of 90 days. */
function outlook(
  cycle: Partial<CycleFacts> = {},
  facts: Partial<Omit<ReleaseFacts, 'owner' | 'cycle'>> = {},
  owner: Partial<ReleaseFacts['owner']> = {},
): Outlook {
  const settings = { inactivityDays: 90, checkinIntervalDays: 30, releaseMethod: 'inactivity' as const, answerDays: 7 };
  return {
    facts: {
      owner: {
        lastActivityMs: now - 20 * day,
        ...settings,
        quorum: 1,
        waitingDays: 3,
        isVerified: true,
        isFrozen: false,
        ...owner,
      },
      isInstallationFrozen: false,
      readyMessages: 4,
      contacts: ['priya', 'tom', 'ann'].map((id) => ({ id, confirmedAtMs: 0 })),
      ...facts,
      cycle: {
        ...newCycle(now - day, 'emergency', 'asking'),
        round: 1,
        invitations: [reached('priya')],
        ...cycle,
      },
    },
    contactId: 'priya',
    time: { now, healthyMs: now },
    health: { isClockBehind: false, isMailHealthy: true },
  };
}

describe('an answer that something has overtaken', () => {
  const answer = { contactId: 'priya', round: 1 };
  const { cycle } = outlook().facts;
  const shown = (state: 'confirmed' | 'cancelled', more: Partial<CycleFacts>, counted: string[] = []) =>
    shownState(state, answer, { cycle: { ...cycle, ...more }, counted });

  it('is shown as what happened', () => {
    const tomCancelled = [reached('priya', { decision: 'confirmed' }), reached('tom', { decision: 'cancelled' })];
    expect(shown('confirmed', { state: 'paused', invitations: tomCancelled })).toBe('stopped');
    expect(shown('confirmed', { round: 2 })).toBe('stopped');
    expect(shown('confirmed', { round: 2 }, ['priya'])).toBe('confirmed');
    expect(shown('confirmed', { state: 'releasing', round: 2 })).toBe('confirmed');
    expect(shown('cancelled', { state: 'paused' })).toBe('cancelled');
    expect(shown('cancelled', { state: 'releasing' }), 'nobody reads "nothing is sent" of what was').toBe('released');
    expect(shown('cancelled', { state: 'released' })).toBe('released');
  });
});

describe('what holds a release', () => {
  const stopped = { by: 'stopped', untilMs: null };
  const healthy = { isClockBehind: false, isMailHealthy: true };
  const held = (state: CycleFacts['state'], of: Outlook = outlook()) =>
    heldBy({ ...of, facts: { ...of.facts, cycle: { ...of.facts.cycle, state } } });

  it('is nothing where a confirmation is all that is waited for', () => {
    for (const state of ['asking', 'paused', 'holding', 'releasing', 'released'] as const) {
      expect(held(state, outlook({}, {}, { waitingDays: 0 })), state).toBeNull();
    }
  });

  it('is a stop, whoever it concerns and whatever the reason, and outweighs all else', () => {
    const nothingReady = { readyMessages: 0 };
    const stops: Outlook[] = [
      outlook({}, { ...nothingReady, isInstallationFrozen: true }),
      outlook({}, nothingReady, { isFrozen: true }),
      outlook({}, nothingReady, { isVerified: false }),
      { ...outlook({}, nothingReady), health: { ...healthy, isClockBehind: true } },
    ];
    for (const of of stops)
      for (const state of ['asking', 'holding'] as const) expect(held(state, of)).toEqual(stopped);
  });

  it('is a freeze or a mail server that takes nothing once letters are made out, and nothing else', () => {
    expect(held('releasing', outlook({}, { isInstallationFrozen: true }))).toEqual(stopped);
    expect(held('releasing', { ...outlook(), health: { ...healthy, isMailHealthy: false } })).toEqual(stopped);
    expect(held('releasing', { ...outlook(), health: { ...healthy, isClockBehind: true } })).toBeNull();
    expect(held('releasing', outlook({}, { readyMessages: 0 }))).toBeNull();
    expect(held('released', outlook({}, { isInstallationFrozen: true }))).toBeNull();
    expect(held('asking', { ...outlook(), health: { ...healthy, isMailHealthy: false } })).toBeNull();
  });

  it('is that no message is ready', () => {
    expect(held('asking', outlook({}, { readyMessages: 0 }))).toEqual({ by: 'no_message', untilMs: null });
  });

  it('is a role that is younger than three days, in an early release alone', () => {
    const contacts = [{ id: 'priya', confirmedAtMs: now - 3 * day + 1 }];
    expect(held('asking', outlook({}, { contacts }))).toEqual({ by: 'new_contact', untilMs: now + 1 });
    expect(held('asking', outlook({ cause: 'silence' }, { contacts }))).toBeNull();
    expect(held('asking', outlook({}, { contacts: [{ id: 'priya', confirmedAtMs: now - 3 * day }] }))).toBeNull();
  });

  it('is the owner’s own time, whose end is known once their notice was accepted, outages counted in', () => {
    expect(held('holding')).toEqual({ by: 'waiting_time', untilMs: null });
    const began = { ownerNotice: mark(now - 2 * day) };
    expect(held('holding', outlook(began))).toEqual({ by: 'waiting_time', untilMs: now + day });
    const afterAnOutage = { ...outlook(began), time: { now, healthyMs: now - 1.5 * day } };
    expect(held('holding', afterAnOutage)).toEqual({ by: 'waiting_time', untilMs: now + 2.5 * day });
    const unreachable = outlook({ ...began, ownerUnreachable: true });
    expect(held('holding', unreachable)).toEqual({ by: 'waiting_time', untilMs: now + 4 * day });
  });
});

describe('the owner’s own days', () => {
  it('are those that were told or set, doubled where no mail reaches the owner', () => {
    const days = ({ facts, time }: Outlook) => ownersDays(facts, time);
    expect(days(outlook())).toBe(3);
    expect(days(outlook({ waitingDays: 5 }))).toBe(5);
    expect(days(outlook({ ownerUnreachable: true }))).toBe(6);
    const ended = { sentAtMs: 0, ended: mark(now - 50 * day), tries: 0 };
    const last = { sentAtMs: 0, ended: mark(now - 11 * day), tries: 0 };
    const silent = (cause: CycleFacts['cause'], state: CycleFacts['state'] = 'asking') =>
      days(outlook({ first: ended, last, cause, state }, {}, { lastActivityMs: now - 91 * day }));
    expect(silent('silence'), 'where the whole silence was over before').toBe(0);
    expect(silent('emergency'), 'where it was asked for early').toBe(3);
    expect(silent('silence', 'holding'), 'where the wait has begun').toBe(3);
  });
});

describe('who has a part in a round', () => {
  it('are those who were asked in it, and not whose link died or who left the role', () => {
    const invitations = [
      reached('priya'),
      reached('tom', { isWithdrawn: true }),
      reached('ann', { decision: 'confirmed' }),
      reached('joe'),
    ];
    expect(askedIds(outlook({ invitations }).facts)).toEqual(['priya', 'ann']);
    expect(askedIds(outlook({ invitations, round: 2 }).facts)).toEqual([]);
  });
});

describe('what a cancel would lead to', () => {
  const cancel = (of: Outlook) => ifCancelled(of, mark(now));

  it('names those whom a mail has reached alone', () => {
    const nobody = { toldIds: [], askAgainDays: null, canOthersConfirm: false };
    expect(cancel(outlook())).toEqual(nobody);
    const invitations = [reached('priya'), reached('tom'), newInvitation('ann', 1)];
    expect(cancel(outlook({ invitations }))).toEqual({ ...nobody, toldIds: ['tom'] });
  });

  it('says when contacts are asked again, which an early request is not before its last reminder', () => {
    expect(cancel(outlook({ cause: 'silence' }))?.askAgainDays).toBe(30);
    const last = { sentAtMs: 0, ended: mark(now - day), tries: 0 };
    expect(cancel(outlook({ last }))?.askAgainDays).toBe(30);
  });

  it('says where others can still confirm, and nothing where there is no question left', () => {
    const before = reached('priya', { round: 1, decision: 'cancelled' });
    const again = [before, reached('priya', { round: 2 }), reached('tom', { round: 2 })];
    expect(cancel(outlook({ cause: 'silence', round: 2, invitations: again }))?.canOthersConfirm).toBe(true);
    expect(cancel(outlook({ invitations: [reached('priya', { decision: 'confirmed' })] }))).toBeNull();
    expect(cancel(outlook({ state: 'releasing' }))).toBeNull();
  });
});

describe('documents', () => {
  it('can be downloaded from the beginning of the release until 30 days after its end', () => {
    expect(documentsUntilMs({ state: 'holding', releasedAtMs: null }, now)).toBeNull();
    expect(documentsUntilMs({ state: 'releasing', releasedAtMs: null }, now)).toBe(now + 30 * day);
    expect(documentsUntilMs({ state: 'released', releasedAtMs: now - day }, now)).toBe(now + 29 * day);
    expect(documentsUntilMs({ state: 'released', releasedAtMs: now - 30 * day }, now)).toBeNull();
  });
});
