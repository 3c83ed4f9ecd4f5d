import { randomUUIDv7 } from 'node:crypto';
import type { z } from 'zod';
import type { Accounts, Principal } from '#server/features/accounts/accounts.service.ts';
import type { RequestOrigin } from '#server/features/audit/audit.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import { unlessBroken, type Vault, type Vaults } from '#server/platform/crypto/vault.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import { checklistSchema } from '#shared/contract/guidance.ts';
import {
  type ChecklistId,
  type ChecklistState,
  mergeChecklists,
  notAfter,
  untouchedChecklist,
} from '#shared/rules/checklists.ts';
import { hasFeature, type PlanName } from '#shared/rules/plans.ts';
import { findChecklist, listChecklistsOfOwner, type SealedChecklist, saveChecklistRow } from './guidance.repository.ts';
import { openState, sealState } from './guidance.sealing.ts';

type OwnersChecklist = z.output<typeof checklistSchema>;
type SaveCall = { principal: Principal; origin: RequestOrigin; checklistId: ChecklistId };

export type Guidance = {
  /**
   * What an owner changed of the checklists. A plan that lost them still gives out what was kept. One that is damaged comes
   * empty and marked: a browser that has it sends its own copy, which takes its place.
   */
  list(principal: Principal): Promise<OwnersChecklist[]>;
  /**
   * Merges what a device knows with what is kept, and gives both as one.
   *
   * @throws AppError `FEATURE_NOT_IN_PLAN`.
   */
  save(call: SaveCall, given: ChecklistState): Promise<OwnersChecklist>;
  /** Merges lists that come from elsewhere, where the plan has any; says whether it has. Under the owner's lock. */
  mergeImported(
    tx: Executor,
    owner: ChecklistImport,
    given: readonly (ChecklistState & { checklistId: ChecklistId })[],
  ): Promise<boolean>;
};

type ChecklistImport = { userId: string; plan: PlanName; vault: Vault; at: Date };

export type GuidanceDependencies = {
  db: Database;
  clock: Clock;
  vaults: Pick<Vaults, 'open'>;
  accounts: Pick<Accounts, 'lockOwner' | 'recordActivity'>;
};

/** The checklists of an owner, on every device they use. Ticking is a sign of life, as every change is. */
export function createGuidance({ db, clock, vaults, accounts }: GuidanceDependencies): Guidance {
  return {
    async list({ userId, vaultKey }) {
      const rows = await listChecklistsOfOwner(db, userId);
      if (rows.length === 0) return [];
      const vault = vaults.open(userId, vaultKey);
      return rows.map((row) => opened(vault, row));
    },

    save: ({ principal: { userId, vaultKey }, origin, checklistId }, given) =>
      db.transaction(async (tx) => {
        const owner = await accounts.lockOwner(tx, userId);
        if (!owner) throw notFound();
        if (!hasFeature(owner.plan, 'checklists')) throw notInPlan();

        const at = await clock.now(tx);
        await accounts.recordActivity(tx, { userId, type: 'change', at, origin });
        return merge(tx, { userId, vault: vaults.open(userId, vaultKey), at }, { checklistId, given });
      }),

    async mergeImported(tx, { plan, ...owner }, lists) {
      if (!hasFeature(plan, 'checklists')) return false;
      for (const { checklistId, ...given } of lists) await merge(tx, owner, { checklistId, given });
      return true;
    },
  };
}

type Merge = { checklistId: ChecklistId; given: ChecklistState };

async function merge(
  tx: Executor,
  { userId, vault, at }: Omit<ChecklistImport, 'plan'>,
  { checklistId, given }: Merge,
): Promise<OwnersChecklist> {
  const known = await findChecklist(tx, userId, checklistId);
  const kept = (known && unlessBroken(() => openState(vault, known))) ?? untouchedChecklist;
  const merged = mergeChecklists(kept, notAfter(given, at.getTime()));

  const id = known?.id ?? randomUUIDv7();
  const createdAt = known?.createdAt ?? at;
  const row = { id, userId, checklistId, ...sealState(vault, id, merged), createdAt, updatedAt: at };
  await saveChecklistRow(tx, row);
  return { checklistId, ...merged, updatedAt: at };
}

function opened(vault: Vault, row: SealedChecklist): OwnersChecklist {
  const checklistId = checklistSchema.shape.checklistId.parse(row.checklistId);
  const state = unlessBroken(() => openState(vault, row)) ?? { ...untouchedChecklist, isDamaged: true as const };
  return { checklistId, ...state, updatedAt: row.updatedAt };
}

function notInPlan(): AppError {
  return new AppError('FEATURE_NOT_IN_PLAN', 'Checklists are available with Essential plan and above.', {
    upgradeRequired: true,
  });
}
