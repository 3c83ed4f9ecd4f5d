import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { type Checklist, checklistBody, listChecklists, saveChecklist } from '#shared/contract/guidance.ts';
import {
  type ChecklistId,
  type ChecklistState,
  checklistIds,
  isSameChecklist,
  mergeChecklists,
  untouchedChecklist,
} from '#shared/rules/checklists.ts';
import { call } from '#web/lib/api/api.ts';
import { keyOf, useRead } from '#web/lib/api/reads.ts';
import { useDraft } from '#web/lib/drafts/draft.ts';
import { useSession } from '#web/lib/session.ts';

const sendDelayMs = 800;
const keptKey = keyOf(listChecklists);

type States = Record<ChecklistId, ChecklistState>;
type StoredStates = Partial<Record<ChecklistId, unknown>>;

export type Checklists = {
  states: States;
  change: (id: ChecklistId, state: ChecklistState) => void;
  /** False until it is known what this browser keeps. */
  isLoaded: boolean;
  /** True if the account does not have the newest changes, though it should. */
  isBehind: boolean;
  /** Lists whose copy in the account was damaged when this page was opened. */
  damaged: readonly ChecklistId[];
  retry: () => void;
};

const nothingStored: StoredStates = {};

/** Checklists of this browser. With access they are stored in the account too, and newer changes go both ways. */
export function useChecklists({ hasAccess }: { hasAccess: boolean }): Checklists {
  const draft = useDraft<StoredStates>('checklists', nothingStored);
  const states = useMemo(() => statesIn(draft.value), [draft.value]);
  const { setValue } = draft;
  const adopt = useCallback((next: States) => setValue(next), [setValue]);
  const account = useAccountCopy({ states, adopt, isOn: hasAccess && draft.isLoaded });
  return {
    states,
    change: (id, state) => setValue({ ...states, [id]: state }),
    isLoaded: draft.isLoaded,
    ...account,
  };
}

type AccountCopy = { states: States; adopt: (states: States) => void; isOn: boolean };

function useAccountCopy({ states, adopt, isOn }: AccountCopy): Pick<Checklists, 'isBehind' | 'damaged' | 'retry'> {
  const { isVerified } = useSession();
  const client = useQueryClient();
  const [attempt, setAttempt] = useState(0);
  const [isBehind, setBehind] = useState(false);
  const { data, refetch } = useRead(listChecklists, { enabled: isOn, refetchOnMount: 'always' });

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt is a reason to send again.
  useEffect(() => {
    if (!isOn || !data) return;
    const { next, unsent } = reconciled(states, data);
    if (JSON.stringify(next) !== JSON.stringify(states)) adopt(next);
    if (!isVerified || unsent.length === 0) return;
    const timer = setTimeout(async () => {
      try {
        for (const checklistId of unsent) {
          const answer = await call(saveChecklist, { params: { checklistId }, body: next[checklistId] });
          client.setQueryData(keptKey, (kept) => withSaved(kept ?? [], answer));
        }
        setBehind(false);
      } catch {
        // Nothing is lost: the browser keeps it, and the page offers to try again.
        setBehind(true);
      }
    }, sendDelayMs);
    return () => clearTimeout(timer);
  }, [isOn, data, states, adopt, isVerified, client, attempt]);

  const retry = () => {
    setAttempt((made) => made + 1);
    refetch();
  };
  const damaged = data?.filter(({ isDamaged }) => isDamaged).map(({ checklistId }) => checklistId) ?? [];
  return { isBehind, damaged, retry };
}

/** A reported loss stays visible while the page is open, though this browser's copy has replaced it. */
function withSaved(kept: readonly Checklist[], saved: Checklist): Checklist[] {
  const before = kept.find(({ checklistId }) => checklistId === saved.checklistId);
  const others = kept.filter((list) => list !== before);
  return [...others, before?.isDamaged ? { ...saved, isDamaged: true } : saved];
}

/** Both sides as one, and the lists of which the account does not know the newest. */
function reconciled(local: States, account: readonly Checklist[]): { next: States; unsent: ChecklistId[] } {
  const next = { ...local };
  const unsent: ChecklistId[] = [];
  for (const id of checklistIds) {
    const kept = stateOf(account.find(({ checklistId }) => checklistId === id));
    const merged = mergeChecklists(local[id], kept);
    const isKnown = isSameChecklist(merged, kept);
    // If both show the same, the account's times count, because all devices share its clock.
    next[id] = isKnown ? kept : merged;
    if (!isKnown) unsent.push(id);
  }
  return { next, unsent };
}

function statesIn(stored: StoredStates): States {
  return {
    financial: stateOf(stored.financial),
    utilities: stateOf(stored.utilities),
    contacts: stateOf(stored.contacts),
    funeral: stateOf(stored.funeral),
    digital: stateOf(stored.digital),
  };
}

/** Stored state, if it can be read; otherwise an untouched list. */
function stateOf(stored: unknown): ChecklistState {
  const { success, data } = checklistBody.safeParse(stored);
  return success ? data : untouchedChecklist;
}
