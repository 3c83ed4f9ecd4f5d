import type { OwnerRow } from '#server/features/accounts/accounts.service.ts';
import type { CycleRow, NewCycleRow, ReadInvitation } from './release.repository.ts';
import type { CycleFacts, InvitationFacts, Mark, OpenState, OwnerFacts } from './release-facts.rules.ts';

/** Turns rows into what the rules reason about, and back. */

export function ownerFacts(owner: OwnerRow, answerDaysDefault: number): OwnerFacts {
  return {
    lastActivityMs: owner.lastCheckinAt.getTime(),
    inactivityDays: owner.inactivityDays,
    checkinIntervalDays: owner.checkinIntervalDays,
    releaseMethod: owner.releaseMethod,
    quorum: owner.releaseQuorum,
    waitingDays: owner.releaseWaitingDays,
    answerDays: owner.releaseAnswerDays ?? answerDaysDefault,
    isVerified: owner.emailVerified,
    // Of an account that is being deleted nothing moves on; should it be restored, silence counts from that day.
    isFrozen: owner.releaseFrozenAt !== null || owner.deletionRequestedAt !== null,
  };
}

export function cycleFacts(row: CycleRow, invitations: readonly ReadInvitation[]): CycleFacts {
  return {
    state: openState(row),
    cause: row.cause,
    openedAtMs: row.openedAt.getTime(),
    first: {
      sentAtMs: row.firstReminderSentAt?.getTime() ?? null,
      ended: markOf(row.firstReminderAt, row.firstReminderHealthyMs),
      tries: row.firstReminderTries,
    },
    last: {
      sentAtMs: row.lastReminderSentAt?.getTime() ?? null,
      ended: markOf(row.lastReminderAt, row.lastReminderHealthyMs),
      tries: row.lastReminderTries,
    },
    roundBegan: markOf(row.roundAt, row.roundHealthyMs),
    asked: markOf(row.askedAt, row.askedHealthyMs),
    ownerNotice: markOf(row.ownerNoticeAt, row.ownerNoticeHealthyMs),
    paused: markOf(row.pausedAt, row.pausedHealthyMs),
    question: markOf(row.questionAt, row.questionHealthyMs),
    answerDays: row.answerDays,
    waitingDays: row.waitingDays,
    neededConfirmations: row.neededConfirmations,
    restored: markOf(row.restoredAt, row.restoredHealthyMs),
    round: row.round,
    settledRound: row.settledRound,
    noticeTries: row.ownerNoticeTries,
    ownerUnreachable: row.ownerUnreachable,
    invitations: invitations.map(invitationFacts),
  };
}

export function cycleColumns(cycle: CycleFacts) {
  return {
    state: cycle.state,
    cause: cycle.cause,
    firstReminderSentAt: dateOf(cycle.first.sentAtMs),
    firstReminderAt: dateOf(cycle.first.ended?.atMs),
    firstReminderHealthyMs: cycle.first.ended?.healthyMs ?? null,
    lastReminderSentAt: dateOf(cycle.last.sentAtMs),
    lastReminderAt: dateOf(cycle.last.ended?.atMs),
    lastReminderHealthyMs: cycle.last.ended?.healthyMs ?? null,
    roundAt: dateOf(cycle.roundBegan?.atMs),
    roundHealthyMs: cycle.roundBegan?.healthyMs ?? null,
    askedAt: dateOf(cycle.asked?.atMs),
    askedHealthyMs: cycle.asked?.healthyMs ?? null,
    ownerNoticeAt: dateOf(cycle.ownerNotice?.atMs),
    ownerNoticeHealthyMs: cycle.ownerNotice?.healthyMs ?? null,
    pausedAt: dateOf(cycle.paused?.atMs),
    pausedHealthyMs: cycle.paused?.healthyMs ?? null,
    questionAt: dateOf(cycle.question?.atMs),
    questionHealthyMs: cycle.question?.healthyMs ?? null,
    answerDays: cycle.answerDays,
    waitingDays: cycle.waitingDays,
    neededConfirmations: cycle.neededConfirmations,
    restoredAt: dateOf(cycle.restored?.atMs),
    restoredHealthyMs: cycle.restored?.healthyMs ?? null,
    round: cycle.round,
    settledRound: cycle.settledRound,
    firstReminderTries: cycle.first.tries,
    lastReminderTries: cycle.last.tries,
    ownerNoticeTries: cycle.noticeTries,
    ownerUnreachable: cycle.ownerUnreachable,
  } satisfies Partial<NewCycleRow>;
}

function invitationFacts(row: ReadInvitation): InvitationFacts {
  const { askOutcome, askEndedAt } = row;
  return {
    contactId: row.contactId,
    round: row.round,
    tries: row.tries,
    asking: askOutcome && askEndedAt ? { outcome: askOutcome, atMs: askEndedAt.getTime() } : { outcome: 'pending' },
    isWithdrawn: row.withdrawnAt !== null,
    decision: row.decision,
    ...(row.isHeld ? { isHeld: true } : {}),
  };
}

function openState({ state }: CycleRow): OpenState {
  if (state === 'watching' || state === 'halted') throw new Error(`An open release cannot be ${state}.`);
  return state;
}

function markOf(at: Date | null, healthyMs: number | null): Mark | null {
  return at && healthyMs !== null ? { atMs: at.getTime(), healthyMs } : null;
}

/** A moment in milliseconds as answers and rows hold it. */
export function dateOf(ms: number | null | undefined): Date | null {
  return ms === null || ms === undefined ? null : new Date(ms);
}
