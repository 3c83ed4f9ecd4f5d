import { expect, test } from 'vitest';
import { dayMs } from '#shared/rules/inactivity.ts';
import { dashboardStats } from './dashboard.rules.ts';

const figures = { plan: 'free', messages: 1, storedBytes: 1_260_000, activeContacts: 2, lastCheckinMs: 1_000 } as const;

test('figures become what the cards show', () => {
  expect(dashboardStats(figures, 1_000)).toEqual({
    currentPlan: 'free',
    activeMessages: 1,
    storageUsedMB: 1.3,
    trustedContacts: 2,
    lastCheckinDays: 0,
  });
});

test('a day of silence counts after its end', () => {
  const days = (sinceMs: number) => dashboardStats(figures, 1_000 + sinceMs).lastCheckinDays;
  expect([0, dayMs - 1, dayMs, 2 * dayMs - 1, 90 * dayMs].map(days)).toEqual([0, 0, 1, 1, 90]);
});

test('a clock that went back shows no negative days', () => {
  expect(dashboardStats(figures, 0).lastCheckinDays).toBe(0);
});
