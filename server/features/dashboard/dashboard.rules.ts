import { dayMs } from '#shared/rules/inactivity.ts';
import { bytesPerMegabyte, type PlanName } from '#shared/rules/plans.ts';

/** What the cards are made of. */
export type DashboardFigures = {
  plan: PlanName;
  messages: number;
  storedBytes: number;
  activeContacts: number;
  lastCheckinMs: number;
};

/** The figures as the cards show them: whole days, and megabytes with one decimal. */
export function dashboardStats(figures: DashboardFigures, nowMs: number) {
  return {
    currentPlan: figures.plan,
    activeMessages: figures.messages,
    storageUsedMB: Math.round((figures.storedBytes / bytesPerMegabyte) * 10) / 10,
    trustedContacts: figures.activeContacts,
    // A clock that went back must not make the last sign of life lie ahead.
    lastCheckinDays: Math.max(0, Math.floor((nowMs - figures.lastCheckinMs) / dayMs)),
  };
}
