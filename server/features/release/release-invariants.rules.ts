import { dayMs, firstToLastReminderDays, lastReminderToAskingDays } from '#shared/rules/inactivity.ts';
import { countedConfirmations, isRoundStopped, requiredConfirmations } from './release-answers.rules.ts';
import type { Effect } from './release-events.rules.ts';
import type { CycleFacts, Mark, ReleaseFacts } from './release-facts.rules.ts';

type Time = { now: number; healthyMs: number };

/**
 * What a change would break, in words; `null` when it is lawful. It asks again, by plain arithmetic and apart from the
 * rules that decided, whether the promises hold, and stops the transaction when they do not: a release that is late
 * can be mended, one that is wrong can't.
 */
export function brokenInvariant(
  facts: ReleaseFacts,
  change: { cycle: CycleFacts | null; effects: readonly Effect[] },
  time: Time,
): string | null {
  const reaches = change.effects.some(({ kind }) => kind === 'create_deliveries' || kind === 'ask_contacts');
  if (!reaches) return null;
  if (!facts.owner.isVerified) return 'nothing is sent for an owner whose address is not verified';
  if (facts.owner.isFrozen || facts.isInstallationFrozen) return 'frozen means no forward step';
  if (!change.effects.some(({ kind }) => kind === 'create_deliveries')) return null;
  return brokenByRelease(facts, time);
}

function brokenByRelease(facts: ReleaseFacts, time: Time): string | null {
  const { owner, cycle } = facts;
  if (!cycle) return 'nothing is released without an open cycle';
  if (cycle.state === 'releasing' || cycle.state === 'released') return 'a cycle releases once';
  if (owner.lastActivityMs > cycle.openedAtMs) return 'nothing is delivered after activity in the same cycle';
  if (facts.readyMessages === 0) return 'only ready messages are released';
  if (isRoundStopped(cycle)) return 'a cancel that was answered wins every race';

  const isConfirmed = countedConfirmations(facts, time.now).length >= requiredConfirmations(facts);
  const isSilent = wasSilent(facts, time);
  if (!isConfirmed) {
    if (facts.isSilenceStopped) return 'what the breaker has stopped does not go on';
    if (owner.releaseMethod !== 'inactivity') return 'method trusted_contact never releases without its people';
    if (cycle.state !== 'asking' || cycle.cause !== 'silence') return 'silence alone releases only after asking';
    if (!isSilent) return 'no release by inactivity without both reminders and their gaps';
    const answerDays = Math.max(owner.answerDays, cycle.answerDays ?? 0);
    return hasPassed(cycle, cycle.asked, answerDays, time) ? null : 'the time to answer is not over';
  }
  const waitingDays = Math.max(owner.waitingDays, cycle.waitingDays ?? 0);
  if (waitingDays === 0 || (isSilent && cycle.cause === 'silence' && cycle.state !== 'holding')) return null;
  if (cycle.state !== 'holding') return 'an early release waits first';
  return hasPassed(cycle, cycle.ownerNotice, waitingDays, time) ? null : "the owner's waiting period is not over";
}

function wasSilent({ owner, cycle }: ReleaseFacts, time: Time): boolean {
  const isLongEnough = time.now - owner.lastActivityMs >= owner.inactivityDays * dayMs;
  const { first, last } = cycle ?? {};
  if (!cycle || !isLongEnough || !first?.ended || !last?.ended) return false;
  const keptGap = last.ended.healthyMs - first.ended.healthyMs >= firstToLastReminderDays * dayMs;
  return keptGap && hasPassed(cycle, last.ended, lastReminderToAskingDays, time);
}

function hasPassed(cycle: CycleFacts, from: Mark | null, days: number, { healthyMs }: Time): boolean {
  return from !== null && healthyMs - from.healthyMs >= days * dayMs * factor(cycle);
}

function factor({ ownerUnreachable }: CycleFacts): number {
  return ownerUnreachable ? 2 : 1;
}
