import type { Vault } from '#server/platform/crypto/vault.ts';
import type { ChecklistState } from '#shared/rules/checklists.ts';
import type { SealedChecklist } from './guidance.repository.ts';

type SealedColumns = Pick<SealedChecklist, 'customItems' | 'completedItems' | 'resetAt'>;

export function sealState(vault: Vault, id: string, state: ChecklistState): SealedColumns {
  return {
    customItems: vault.seal(place(id, 'custom_items'), JSON.stringify(state.customItems)),
    completedItems: vault.seal(place(id, 'completed_items'), JSON.stringify(state.completedItems)),
    resetAt: state.resetAtMs === 0 ? null : new Date(state.resetAtMs),
  };
}

/** Throws `SealBrokenError` for a row that was not sealed for this very place. */
export function openState(vault: Vault, row: SealedChecklist): ChecklistState {
  return {
    customItems: JSON.parse(vault.unseal(place(row.id, 'custom_items'), row.customItems)),
    completedItems: JSON.parse(vault.unseal(place(row.id, 'completed_items'), row.completedItems)),
    resetAtMs: row.resetAt?.getTime() ?? 0,
  };
}

function place(rowId: string, column: 'custom_items' | 'completed_items') {
  return { table: 'user_checklists', column, rowId };
}
