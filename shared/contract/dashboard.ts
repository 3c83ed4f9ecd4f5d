import { z } from 'zod';
import { instant } from '#shared/contract/fields.ts';
import { defineRoute } from '#shared/contract/route.ts';
import { type Feature, planNames } from '#shared/rules/plans.ts';

export const dashboardStatsSchema = z
  .object({
    currentPlan: z.enum(planNames),
    /** Messages not yet delivered. */
    activeMessages: z.number(),
    /** Megabytes of 1,000,000 bytes, with one decimal. */
    storageUsedMB: z.number(),
    /** Contacts that are active. */
    trustedContacts: z.number(),
    /** Whole days since the last sign of life. */
    lastCheckinDays: z.number(),
    lastCheckinAt: instant,
    /** The days of the last half year, in London, on which we heard from them. Oldest first. */
    heardOn: z.array(z.iso.date()),
    /** True if they have had a rehearsal sent to them, and saved a copy of everything, as far as the log goes back. */
    hasRehearsed: z.boolean(),
    hasSavedCopy: z.boolean(),
  })
  .meta({ id: 'DashboardStats' });

export const getDashboardStats = defineRoute({
  method: 'GET',
  path: '/api/dashboard/stats',
  access: 'session',
  summary: 'Figures of the dashboard cards',
  answer: dashboardStatsSchema,
});

export const planLimitsSchema = z
  .object({
    /** `limit` is -1 where there is none. */
    messages: z.object({ current: z.number(), limit: z.number(), canCreate: z.boolean() }),
    /** Megabytes of 1,000,000 bytes with one decimal, and the exact number of used bytes. */
    storage: z.object({ current: z.number(), currentBytes: z.int(), limit: z.number(), canUpload: z.boolean() }),
  })
  .meta({ id: 'PlanLimits' });

export const getPlanLimits = defineRoute({
  method: 'GET',
  path: '/api/plan-limits',
  access: 'session',
  summary: 'What the plan still allows',
  answer: planLimitsSchema,
});

/** Features that pages show only if the plan has them. */
export const askableFeatures = [
  'documentVault',
  'templates',
  'checklists',
  'premiumTemplates',
] as const satisfies readonly Feature[];

export const getFeatureAccess = defineRoute({
  method: 'GET',
  path: '/api/user/feature-access/:feature',
  access: 'session',
  summary: 'Whether the plan has a feature',
  params: z.object({ feature: z.enum(askableFeatures) }),
  answer: z.object({ hasAccess: z.boolean() }),
});
