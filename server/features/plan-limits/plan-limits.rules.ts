import { bytesPerMegabyte, canCreateMessage, canStore, type PlanName, plans } from '#shared/rules/plans.ts';

export type PlanLimits = {
  messages: { current: number; limit: number; canCreate: boolean };
  storage: { current: number; currentBytes: number; limit: number; canUpload: boolean };
};

/** Room that a plan has left. It does not say if the plan allows files at all. */
export function planLimits(usage: { plan: PlanName; messages: number; storedBytes: number }): PlanLimits {
  const { plan, messages, storedBytes } = usage;
  const { messageLimit, storageLimitMb } = plans[plan];
  return {
    messages: { current: messages, limit: messageLimit, canCreate: canCreateMessage(plan, messages) },
    storage: {
      current: megabytes(storedBytes),
      currentBytes: storedBytes,
      limit: storageLimitMb,
      canUpload: canStore(plan, storedBytes, 1),
    },
  };
}

/** Megabytes of 1,000,000 bytes with one decimal, as pages show them. */
export function megabytes(bytes: number): number {
  return Math.round((bytes / bytesPerMegabyte) * 10) / 10;
}
