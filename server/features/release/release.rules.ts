import {
  countedConfirmations,
  isQuorumMet,
  isRoundStopped,
  quorumOf,
  requiredConfirmations,
} from './release-answers.rules.ts';
import {
  everyAskFailedAtMs,
  hasEverybodyLeft,
  invited,
  maturesAtMs,
  newCycle,
  newInvitation,
  openCycle,
  takenOverBySilence,
  uninvited,
  withdrawn,
  withRoundEnded,
} from './release-cycle.rules.ts';
import { atLatest, blocked, type Decision, recheckMs, taken, wait, withdrawLast } from './release-decision.rules.ts';
import { type Effect, ownerReturns } from './release-events.rules.ts';
import {
  answerDaysOf,
  askAgainDays,
  isStoppedFor,
  pauseDays,
  type ReleaseFacts,
  remainingMs,
  silenceMoments,
  silenceProgress,
  waitingDaysOf,
  waitsForOwner,
} from './release-facts.rules.ts';
import { nudge } from './release-nudge.rules.ts';
import { afterDelivery } from './release-question.rules.ts';

/**
 * What happens next to one owner. Pure: the same facts, time and healthy time give the same answer, however often
 * and by however many workers it is asked.
 */
export function decide(facts: ReleaseFacts, now: number, healthyMs: number): Decision {
  const { owner, cycle } = facts;
  // A sign of life that came by SQL met no listener. Coming back is never blocked by anything.
  if (cycle && owner.lastActivityMs > cycle.openedAtMs) {
    const { effects, closedAs } = ownerReturns(facts);
    return { step: 'return', cycle: null, closedAs, effects, nextStepAtMs: now, blockedBy: null };
  }
  if (!owner.isVerified) return blocked(facts, now, 'email_not_verified');
  if (owner.isFrozen) return blocked(facts, now, 'frozen');

  switch (cycle?.state) {
    case undefined:
      return silenceMoments(owner).firstReminderMs <= now ? followSilence(facts, now, healthyMs) : nudge(facts, now);
    case 'reminded':
    case 'warned':
      return followSilence(facts, now, healthyMs);
    case 'asking':
      return asking(facts, now, healthyMs);
    case 'paused':
      return paused(facts, now, healthyMs);
    case 'holding':
      return holding(facts, now, healthyMs);
    case 'releasing':
    case 'released':
      return afterDelivery(facts, now, healthyMs);
  }
}

function followSilence(facts: ReleaseFacts, now: number, healthyMs: number): Decision {
  const overtaken = withdrawLast(facts, now, healthyMs);
  if (overtaken) return overtaken;
  const progress = silenceProgress(facts, now, healthyMs);
  if (progress.due === null) return wait(facts, now, progress.atMs ?? now + recheckMs / 24);
  return progress.due === 'ask' ? ask(facts, now, healthyMs) : remind(facts, now, progress.due);
}

function remind(facts: ReleaseFacts, now: number, step: 'first_reminder' | 'last_reminder'): Decision {
  const which = step === 'first_reminder' ? 'first' : 'last';
  const cycle = facts.cycle ?? newCycle(now, 'silence', 'reminded');
  // An emergency that nobody has answered, or a pause, does not stop the clock of silence; its reminders go on beneath.
  const isPlain = cycle.state === 'reminded' || cycle.state === 'warned';
  const state = isPlain ? (which === 'first' ? 'reminded' : 'warned') : cycle.state;
  // One that came too soon was written already; its key is taken, so the next one has a key of its own.
  const { sentAtMs: beforeAtMs, tries } = cycle[which];
  const reminder = { sentAtMs: now, ended: null, tries: beforeAtMs === null ? tries : tries + 1 };
  const answerDays = answerDaysOf(facts);
  return taken(
    { ...facts, cycle: { ...cycle, state, answerDays, [which]: reminder } },
    { step, now, effects: [{ kind: 'remind_owner', which }] },
  );
}

/** A new round: every earlier link dies, and every contact who has not confirmed gets a new one. */
function ask(facts: ReleaseFacts, now: number, healthyMs: number): Decision {
  const { owner, contacts, cycle } = facts;
  if (!cycle) throw new Error('Nobody is asked about an owner who was not reminded.');
  if (isStoppedFor(facts, 'silence')) return blocked(facts, now, 'frozen');
  if (facts.readyMessages === 0) return blocked(facts, now, 'no_ready_message');
  if (contacts.length === 0 && owner.releaseMethod === 'trusted_contact') {
    return blocked(facts, now, 'no_confirmed_contact');
  }

  const round = cycle.round + 1;
  const silent = takenOverBySilence(cycle);
  const confirmed = countedConfirmations({ cycle: silent, contacts }, now);
  const contactIds = contacts.map((contact) => contact.id).filter((id) => !confirmed.includes(id));
  const invitations = [...withdrawn(cycle), ...contactIds.map((contactId) => newInvitation(contactId, round))];
  const roundBegan = { atMs: now, healthyMs };
  const nothingYet = { asked: null, paused: null, ownerNotice: null };
  const told = { answerDays: answerDaysOf(facts), neededConfirmations: quorumOf(facts) };
  return taken(
    {
      ...facts,
      cycle: { ...silent, state: 'asking', round, roundBegan, ...nothingYet, ...told, invitations },
    },
    {
      step: 'ask',
      now,
      effects: [
        { kind: 'withdraw_links' },
        { kind: 'ask_contacts', contactIds },
        // Where everybody had confirmed before, nobody is asked: the letters go, and that is what the owner is told.
        ...(contactIds.length > 0 || contacts.length === 0 ? [{ kind: 'tell_owner', about: 'asked' } as const] : []),
      ],
    },
  );
}

function asking(facts: ReleaseFacts, now: number, healthyMs: number): Decision {
  const cycle = openCycle(facts);
  if (isQuorumMet(facts, now)) return holdOrRelease(facts, now, healthyMs);
  if (cycle.cause !== 'silence') {
    const silence = atLatest(followSilence(facts, now, healthyMs), maturesAtMs(facts, now));
    const others = silence.step === null ? askOthers(facts, now) : null;
    return others ? atLatest(others, silence.nextStepAtMs) : silence;
  }
  // People were asked behind a last reminder that came too soon: whatever they say, the owner gets another one.
  const silence = silenceProgress(facts, now, healthyMs);
  if (silence.due !== null && silence.due !== 'ask') return remind(facts, now, silence.due);

  const late = uninvited(facts, now);
  // Another round reckons with those who are there now.
  if (hasEverybodyLeft(facts) && (!cycle.asked || late.length > 0)) return ask(facts, now, healthyMs);
  if (late.length > 0) return askLate(facts, now, late);
  const failedAtMs = everyAskFailedAtMs(facts);
  if (!cycle.asked && failedAtMs !== null) {
    return failedAtMs + recheckMs <= now ? ask(facts, now, healthyMs) : wait(facts, now, failedAtMs + recheckMs);
  }

  const { owner } = facts;
  if (owner.releaseMethod !== 'inactivity') return askedAgain(facts, now, healthyMs);
  if (!cycle.asked) return wait(facts, now, null);
  const window = { from: cycle.asked, days: answerDaysOf(facts), isDoubled: cycle.ownerUnreachable };
  // Silence is looked at again: somebody may have made the period longer in the meantime, and an owner who turned out to
  // be out of reach has twice the gap after the last reminder too.
  const silenceAtMs = silence.due === null ? (silence.atMs ?? now + recheckMs) : now;
  const atMs = Math.max(silenceAtMs, now + remainingMs(window, healthyMs));
  return atMs <= now ? release(facts, now) : wait(facts, now, atMs);
}

/**
 * Where people alone decide, a question that reached nobody, or somebody on a long journey, must not be the last one: as
 * long as the owner is silent, whoever has not answered is asked again.
 */
function askedAgain(facts: ReleaseFacts, now: number, healthyMs: number): Decision {
  const { roundBegan, asked } = openCycle(facts);
  const from = roundBegan ?? asked;
  if (!from) return wait(facts, now, null);
  const againMs = remainingMs({ from, days: askAgainDays, isDoubled: false }, healthyMs);
  return againMs === 0 ? ask(facts, now, healthyMs) : wait(facts, now, now + againMs);
}

/** Somebody has confirmed and one person's word is not enough: whoever was not asked yet is asked now. */
function askOthers(facts: ReleaseFacts, now: number): Decision | null {
  if (countedConfirmations(facts, now).length === 0) return null;
  const others = uninvited(facts, now);
  return others.length > 0 ? askLate(facts, now, others) : null;
}

/** A contact who accepted the role while others were being asked gets a link too, and the time to answer. */
function askLate(facts: ReleaseFacts, now: number, contactIds: string[]): Decision {
  const cycle = openCycle(facts);
  if (isStoppedFor(facts, cycle.cause)) return blocked(facts, now, 'frozen');
  const told = { answerDays: answerDaysOf(facts), neededConfirmations: requiredConfirmations(facts) };
  return taken(
    { ...facts, cycle: { ...cycle, asked: null, ...told, invitations: invited(cycle, contactIds) } },
    { step: 'ask_late', now, effects: [{ kind: 'ask_contacts', contactIds }] },
  );
}

function paused(facts: ReleaseFacts, now: number, healthyMs: number): Decision {
  const cycle = openCycle(facts);
  if (!isRoundStopped(cycle)) {
    if (isQuorumMet(facts, now)) return holdOrRelease(facts, now, healthyMs);
    const others = askOthers(facts, now);
    if (others) return others;
  }
  if (!cycle.paused) throw new Error('A pause has a beginning.');

  const pauseMs = remainingMs({ from: cycle.paused, days: pauseDays, isDoubled: false }, healthyMs);
  const isEarly = cycle.cause !== 'silence';
  const progress = silenceProgress(facts, now, healthyMs);
  if (progress.due !== null && progress.due !== 'ask') return remind(facts, now, progress.due);
  if (pauseMs > 0) {
    const silenceAtMs = isEarly && progress.due === null ? progress.atMs : null;
    return atLatest(wait(facts, now, now + pauseMs), silenceAtMs);
  }
  return isEarly && progress.due !== 'ask' ? resume(facts, now) : ask(facts, now, healthyMs);
}

/** An emergency that a contact called off is over: back to where silence stands. */
function resume(facts: ReleaseFacts, now: number): Decision {
  const cycle = openCycle(facts);
  const effects: Effect[] = [{ kind: 'withdraw_links' }];
  if (cycle.first.sentAtMs === null) {
    // It ends here, so no later sign of life would take back what still waits to be sent about it.
    const ending: Effect[] = [{ kind: 'cancel_notifications' }, ...effects];
    return { step: 'resume', cycle: null, closedAs: 'watching', effects: ending, nextStepAtMs: now, blockedBy: null };
  }
  const state = cycle.last.sentAtMs === null ? 'reminded' : 'warned';
  const invitations = withdrawn(cycle);
  return taken(
    { ...facts, cycle: { ...takenOverBySilence(cycle), state, paused: null, invitations } },
    { step: 'resume', now, effects },
  );
}

function holdOrRelease(facts: ReleaseFacts, now: number, healthyMs: number): Decision {
  const cycle = openCycle(facts);
  if (!waitsForOwner({ ...facts, cycle }, now, healthyMs)) return release(facts, now);
  if (facts.isInstallationFrozen) return unlessToRemind(blocked(facts, now, 'frozen'), facts, { now, healthyMs });
  const waitingDays = waitingDaysOf(facts);
  // Held for a second time, the owner is told a second time: each wait begins with a notice of its own.
  const noticeTries = cycle.noticeTries + 1;
  return taken(
    { ...facts, cycle: { ...cycle, state: 'holding', ownerNotice: null, noticeTries, waitingDays, paused: null } },
    { step: 'hold', now, effects: waitingDays > 0 ? [{ kind: 'tell_owner', about: 'holding' }] : [] },
  );
}

function holding(facts: ReleaseFacts, now: number, healthyMs: number): Decision {
  const cycle = openCycle(facts);
  if (!isQuorumMet(facts, now)) {
    const back = { ...facts, cycle: { ...cycle, state: 'asking' as const, ownerNotice: null } };
    const asking = withRoundEnded(back, { isMailHealthy: false, mark: { atMs: now, healthyMs } });
    return taken({ ...facts, cycle: asking }, { step: 'unhold', now, effects: [{ kind: 'withdraw_holding_notice' }] });
  }
  return unlessToRemind(heldFor(facts, now, healthyMs), facts, { now, healthyMs });
}

/** The owner's own time: nothing goes before it is over, and it begins with the acceptance of its notice. */
function heldFor(facts: ReleaseFacts, now: number, healthyMs: number): Decision {
  const { ownerNotice, ownerUnreachable, waitingDays: toldDays } = openCycle(facts);
  const waitingDays = waitingDaysOf(facts);
  if (waitingDays === 0) return release(facts, now);
  // Held before there was anything to wait for, so no notice went out whose acceptance could come.
  if (!ownerNotice && !toldDays) return holdOrRelease(facts, now, healthyMs);
  // Whoever else is a contact may know that the owner is well: their no is asked for while there is time for one.
  const others = uninvited(facts, now);
  if (others.length > 0) return askLate(facts, now, others);
  if (!ownerNotice) return wait(facts, now, null);
  const atMs = now + remainingMs({ from: ownerNotice, days: waitingDays, isDoubled: ownerUnreachable }, healthyMs);
  return atMs <= now ? release(facts, now) : wait(facts, now, atMs);
}

/** Whatever keeps an early release from going on, the clock of silence runs: its reminders go at their time. */
function unlessToRemind(
  decision: Decision,
  facts: ReleaseFacts,
  { now, healthyMs }: { now: number; healthyMs: number },
): Decision {
  if (decision.step !== null) return decision;
  const progress = silenceProgress(facts, now, healthyMs);
  if (progress.due === null) return atLatest(decision, progress.atMs);
  return progress.due === 'ask' ? decision : remind(facts, now, progress.due);
}

function release(facts: ReleaseFacts, now: number): Decision {
  if (isStoppedFor(facts, isQuorumMet(facts, now) ? 'people' : 'silence')) return blocked(facts, now, 'frozen');
  if (facts.readyMessages === 0) return blocked(facts, now, 'no_ready_message');
  return taken(
    { ...facts, cycle: { ...openCycle(facts), state: 'releasing' } },
    { step: 'release', now, effects: [{ kind: 'create_deliveries' }, { kind: 'tell_owner', about: 'releasing' }] },
  );
}
