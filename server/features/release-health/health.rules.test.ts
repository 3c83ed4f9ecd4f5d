import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Beat,
  breakerLimit,
  type Health,
  healthyMsAtMost,
  isClockBehind,
  isMailHealthy,
  nextHealth,
  outageGapMs,
} from './health.rules.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const start: Health = {
  healthyMs: 1_000_000,
  lastBeatAtMs: 10 * day,
  highestSeenMs: 10 * day,
  mailTroubledSinceMs: null,
};
const beatAt = (wallMs: number, more: Partial<Beat> = {}): Beat => ({
  wallMs,
  mailTroubledSinceMs: null,
  jumpMs: 0,
  ...more,
});
const gained = (before: Health, beat: Beat) => nextHealth(before, beat).healthyMs - before.healthyMs;

describe('healthy time', () => {
  test('the very first beat counts nothing and remembers the time', () => {
    const empty: Health = { healthyMs: 0, lastBeatAtMs: null, highestSeenMs: null, mailTroubledSinceMs: null };
    const remembered = { lastBeatAtMs: 5 * day, highestSeenMs: 5 * day, outageEndedMs: null };
    expect(nextHealth(empty, beatAt(5 * day))).toEqual({ ...empty, ...remembered });
  });

  test('a minute between beats is a minute', () => {
    expect(gained(start, beatAt(10 * day + minute))).toBe(minute);
  });

  test('a gap of 15 minutes counts, and a longer one counts nothing at all', () => {
    expect(gained(start, beatAt(10 * day + outageGapMs))).toBe(outageGapMs);
    expect(gained(start, beatAt(10 * day + outageGapMs + 1))).toBe(0);
    expect(gained(start, beatAt(210 * day))).toBe(0);
  });

  test('after an outage the next minute counts again', () => {
    const back = nextHealth(start, beatAt(40 * day));
    expect(gained(back, beatAt(40 * day + minute))).toBe(minute);
  });

  test('excludes a jump of the wall clock ahead of the monotonic clock', () => {
    expect(gained(start, beatAt(10 * day + 10 * minute, { jumpMs: 9 * minute }))).toBe(minute);
    expect(gained(start, beatAt(10 * day + 30_000, { jumpMs: 9 * minute }))).toBe(0);
  });

  test('stops while a clock that went backwards has not caught up, and then counts new time only', () => {
    const behind = nextHealth(start, beatAt(10 * day - hour));
    expect(behind.healthyMs).toBe(start.healthyMs);
    expect(behind.highestSeenMs).toBe(10 * day);
    expect(isClockBehind(behind, 10 * day - hour)).toBe(true);
    expect(gained(behind, beatAt(10 * day - hour + minute))).toBe(0);
    expect(gained({ ...behind, lastBeatAtMs: 10 * day - 30_000 }, beatAt(10 * day + 30_000))).toBe(30_000);
    expect(isClockBehind(behind, 10 * day)).toBe(false);
  });

  test('counts a mail outage under a day, excludes a longer one, and subtracts what it had counted', () => {
    let health = start;
    const since = 10 * day;
    for (let at = since + minute; at < since + day; at += minute)
      health = nextHealth(health, beatAt(at, { mailTroubledSinceMs: since }));
    expect(health.healthyMs).toBe(start.healthyMs + day - minute);
    health = nextHealth(health, beatAt(since + day, { mailTroubledSinceMs: since }));
    expect(health.healthyMs).toBe(start.healthyMs);
    for (let at = since + day + minute; at < since + 8 * day; at += 10 * minute)
      health = nextHealth(health, beatAt(at, { mailTroubledSinceMs: since }));
    expect(health.healthyMs).toBe(start.healthyMs);
    const mended = nextHealth(health, beatAt(since + 8 * day));
    expect(gained(mended, beatAt(since + 8 * day + minute))).toBe(minute);
  });

  test('minutes in which the site does not answer count nothing, and those after it answers again do', () => {
    let health = start;
    const failedAt = 10 * day;
    for (let at = failedAt + minute; at <= failedAt + 9 * hour; at += minute) {
      health = nextHealth(health, beatAt(at, { siteDownUntilMs: at }));
    }
    expect(health.healthyMs).toBe(start.healthyMs);
    const backAt = failedAt + 9 * hour + 40_000;
    health = nextHealth(health, beatAt(failedAt + 9 * hour + minute, { siteDownUntilMs: backAt }));
    expect(health.healthyMs).toBe(start.healthyMs + 20_000);
    const later = nextHealth(health, beatAt(failedAt + 9 * hour + 2 * minute, { siteDownUntilMs: backAt }));
    expect(later.healthyMs - health.healthyMs).toBe(minute);
  });

  test('a mark made between beats takes the most that can have passed, at most one gap', () => {
    expect(healthyMsAtMost(start, 10 * day + minute)).toBe(start.healthyMs + minute);
    expect(healthyMsAtMost(start, 90 * day)).toBe(start.healthyMs + outageGapMs);
    expect(healthyMsAtMost(start, 9 * day)).toBe(start.healthyMs);
  });

  test('a refusal says something about a mailbox only while mail gets through', () => {
    expect(isMailHealthy(null, day)).toBe(true);
    expect(isMailHealthy(day, 2 * day - 1)).toBe(true);
    expect(isMailHealthy(day, 2 * day)).toBe(false);
  });

  test('whatever the clocks do, healthy time grows by no more than the wall clock, nor by more than a gap', () => {
    const beats = fc.array(
      fc.record({
        stepMs: fc.oneof(fc.integer({ min: -2 * day, max: 40 * day }), fc.integer({ min: 0, max: 20 * minute })),
        jumpMs: fc.integer({ min: -day, max: day }),
        troubledForMs: fc.option(fc.integer({ min: 0, max: 3 * day })),
        siteBackForMs: fc.option(fc.integer({ min: 0, max: day })),
      }),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(beats, (lives) => {
        let health = start;
        let wallMs = 10 * day;
        for (const { stepMs, jumpMs, troubledForMs, siteBackForMs } of lives) {
          wallMs += stepMs;
          const next = nextHealth(
            health,
            beatAt(wallMs, {
              jumpMs,
              mailTroubledSinceMs: troubledForMs === null ? null : wallMs - troubledForMs,
              siteDownUntilMs: siteBackForMs === null ? null : wallMs - siteBackForMs,
            }),
          );
          if (siteBackForMs !== null) expect(next.healthyMs - health.healthyMs).toBeLessThanOrEqual(siteBackForMs);
          expect(next.healthyMs - health.healthyMs).toBeLessThanOrEqual(Math.min(outageGapMs, Math.max(0, stepMs)));
          expect(next.healthyMs).toBeGreaterThanOrEqual(0);
          expect(next.highestSeenMs).toBeGreaterThanOrEqual(wallMs);
          health = next;
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

test('the breaker allows ten owners a day, or two in a hundred', () => {
  expect([0, 10, 500, 501, 1_000, 100_000].map(breakerLimit)).toEqual([10, 10, 10, 10, 20, 2_000]);
});
