import type { Draft } from './draft.rules.ts';
import { isSilenceOver } from './facts.rules.ts';
import type { Request, World } from './model.rules.ts';
import { hasBounced, noticeOf } from './notice-facts.rules.ts';
import { answersBegan } from './questions.rules.ts';

/** Stops the answer time if a reminder bounced while silence asks contacts. */
export function stopAnswerTime(draft: Draft): boolean {
  const { request } = draft.world;
  if (request?.cause !== 'silence' || request.answerTime?.name === 'stopped' || !hasBouncedReminder(draft.world))
    return false;
  return draft.happen({ kind: 'answer_time_stopped', usedMs: usedMs(draft, request) });
}

/** Continues the answer time if the silence has ended again: the reminder was accepted, and 10 days have passed. */
export function resumeAnswerTime(draft: Draft): boolean {
  const { world, now } = draft;
  const { request } = world;
  if (request?.answerTime?.name !== 'stopped' || !isSilenceOver(world, now)) return false;
  const { at, usedMs } = request.answerTime;
  const began = answersBegan(world, request, now);
  // A contact who was asked meanwhile gets the whole answer time.
  const isSame = began !== null && began.healthyMs < at.healthyMs;
  return draft.happen({ kind: 'answer_time_resumed', usedMs: isSame ? usedMs : 0 });
}

/** True if the newest first or last reminder bounced and no channel accepted it. */
function hasBouncedReminder(world: World): boolean {
  const { silence } = world;
  if (!silence) return false;
  const ids = [silence.firstNotice, ...(silence.lastNotice === null ? [] : [silence.lastNotice])];
  return ids.some((id) => hasBounced(noticeOf(world, id)));
}

/** Milliseconds of the answer time that have passed. */
function usedMs({ world, now }: Draft, request: Request): number {
  const began = answersBegan(world, request, now);
  return began ? Math.max(0, Math.round(now.healthyMs - began.healthyMs)) : 0;
}
