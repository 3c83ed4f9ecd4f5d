import { setTimeout as sleep } from 'node:timers/promises';
import type { Mailer, MailResult } from './mailer.ts';

/** Mails that a provider accepts from one process: `null` if unknown. */
export type MailRate = { perSecond: number | null; perHour: number | null };

type Options = MailRate & { nowMs?: () => number; wait?: (ms: number) => Promise<unknown> };

const hourMs = 3_600_000;
const firstPauseMs = 60_000;
const longestPauseMs = 15 * 60_000;

/**
 * Sends no faster than the provider accepts. The limit per second is waited for. The hourly limit and a server's
 * request for less (421 or 4.7.x) lower `room`, so that mails that can't leave stay in the outbox.
 */
export function paceMailer(mailer: Mailer, { perSecond, perHour, ...options }: Options): Mailer {
  const { nowMs = () => performance.now(), wait = (ms) => sleep(ms) } = options;
  /** Time when each mail of the last hour was begun, oldest first. Kept only where an hour has a limit. */
  const begun: number[] = [];
  let nextTurnMs = 0;
  let pausedUntilMs = 0;
  let pauseMs = firstPauseMs;
  let askedToSlowMs = Number.NEGATIVE_INFINITY;

  async function takeTurn(): Promise<void> {
    const now = nowMs();
    if (perHour !== null) begun.push(now);
    if (perSecond === null) return;
    const turn = Math.max(now, nextTurnMs);
    nextTurnMs = turn + 1_000 / perSecond;
    if (turn > now) await wait(turn - now);
  }

  function learn(result: MailResult): void {
    if (result.outcome === 'accepted') {
      pauseMs = firstPauseMs;
      return;
    }
    if (result.outcome !== 'temporary' || !result.isTooFast || nowMs() < pausedUntilMs) return;
    askedToSlowMs = nowMs();
    pausedUntilMs = askedToSlowMs + pauseMs;
    pauseMs = Math.min(2 * pauseMs, longestPauseMs);
  }

  return {
    ...mailer,
    room() {
      const now = nowMs();
      if (now < pausedUntilMs) return 0;
      if (perHour === null) return Number.POSITIVE_INFINITY;
      while (begun[0] !== undefined && begun[0] <= now - hourMs) begun.shift();
      return Math.max(0, perHour - begun.length);
    },
    isPaced: () => perSecond !== null || perHour !== null || nowMs() - askedToSlowMs < hourMs,
    async send(mail, mayLeave) {
      await takeTurn();
      const result = await mailer.send(mail, mayLeave);
      learn(result);
      return result;
    },
  };
}

const rateForm = /^(?:(\d{1,4})\/s(?:,(?=\d)|$))?(?:(\d{1,7})\/h)?$/;

/** Reads `10/s`, `5000/h` or `10/s,5000/h`. @throws TypeError for anything else. */
export function parseMailRate(text: string): MailRate {
  const [, second, hour] = rateForm.exec(text.replaceAll(' ', '')) ?? [];
  const perSecond = second === undefined ? null : Number(second);
  const perHour = hour === undefined ? null : Number(hour);
  if ((perSecond === null && perHour === null) || perSecond === 0 || perHour === 0) throw new TypeError('Not a rate.');
  return { perSecond, perHour };
}
