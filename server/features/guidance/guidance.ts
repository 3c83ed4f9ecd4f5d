import { randomUUIDv7 } from 'node:crypto';
import type { z } from 'zod';
import type { App } from '#server/app.ts';
import { changeInVault } from '#server/features/accounts/change-in-vault.ts';
import type { Call } from '#server/http/bind.ts';
import { unlessBroken, type Vault } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { AppError } from '#shared/contract/errors.ts';
import type * as contract from '#shared/contract/guidance.ts';
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
type Owner = { userId: string; vault: Vault; at: Date };
type GivenChecklist = ChecklistState & { checklistId: ChecklistId };

/**
 * Lists the owner's changes of the checklists. They stay readable in a plan without checklists. A damaged one is empty and
 * marked: a browser that has a copy sends it, and the copy takes its place.
 */
export async function listChecklists(
  app: App,
  { principal }: Call<typeof contract.listChecklists>,
): Promise<OwnersChecklist[]> {
  const { userId, vaultKey } = principal;
  const rows = await listChecklistsOfOwner(app.db, userId);
  if (rows.length === 0) return [];
  const vault = app.vaults.open(userId, vaultKey);
  return rows.map((row) => opened(vault, row));
}

/** Merges the state of a device with the stored one, and returns both as one. @throws AppError `FEATURE_NOT_IN_PLAN`. */
export function saveChecklist(app: App, call: Call<typeof contract.saveChecklist>): Promise<OwnersChecklist> {
  const { userId, vaultKey } = call.principal;
  return changeInVault(app, call, async (tx, at, { plan }) => {
    if (!hasFeature(plan, 'checklists')) throw notInPlan();
    const given = { ...call.body, checklistId: call.params.checklistId };
    return { result: await merge(tx, { userId, vault: app.vaults.open(userId, vaultKey), at }, given) };
  });
}

/** Merges imported checklists, if the plan has any. Returns true if it has. The owner's row is locked. */
export async function mergeImportedChecklists(
  tx: Executor,
  { plan, ...owner }: Owner & { plan: PlanName },
  lists: readonly GivenChecklist[],
): Promise<boolean> {
  if (!hasFeature(plan, 'checklists')) return false;
  for (const given of lists) await merge(tx, owner, given);
  return true;
}

async function merge(
  tx: Executor,
  { userId, vault, at }: Owner,
  { checklistId, ...given }: GivenChecklist,
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
