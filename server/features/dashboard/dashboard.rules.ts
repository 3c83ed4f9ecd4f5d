import { dayMs } from '#shared/rules/inactivity.ts';
import { bytesPerMegabyte, type PlanName } from '#shared/rules/plans.ts';

/** Figures behind the cards. */
export type DashboardFigures = {
  plan: PlanName;
  messages: number;
  storedBytes: number;
  activeContacts: number;
  lastCheckinMs: number;
};

/** Rounds the figures for the cards: whole days, and megabytes with one decimal. */
export function dashboardStats(figures: DashboardFigures, nowMs: number) {
  return {
    currentPlan: figures.plan,
    activeMessages: figures.messages,
    storageUsedMB: Math.round((figures.storedBytes / bytesPerMegabyte) * 10) / 10,
    trustedContacts: figures.activeContacts,
    // A clock that was set back must not show a negative number of days.
    lastCheckinDays: Math.max(0, Math.floor((nowMs - figures.lastCheckinMs) / dayMs)),
  };
}
