import { useCallback, useEffect, useRef, useState } from 'react';
import { clearDraft, type DraftKind, loadDraft, saveDraft } from './draft-store.ts';

export type Draft<Value> = {
  value: Value;
  setValue: (value: Value) => void;
  /** Deletes the draft after a real save; the value stays. */
  clear: () => void;
  /** False until it is known whether a draft was kept from before. */
  isLoaded: boolean;
  /** True if the value came from a kept draft. */
  isRestored: boolean;
  /**
   * Time when the value was last stored; undefined before the first time, and if the newest value could not be
   * stored.
   */
  keptAtMs: number | undefined;
};

/**
 * A value that survives a reload. `name` names the draft (`message:new`). Pass `secret` for text that a person wrote
 * to others, which is then encrypted. Passwords are never passed.
 */
export function useDraft<Value>(name: string, initial: Value, { secret = false }: DraftKind = {}): Draft<Value> {
  const [state, setState] = useState({ value: initial, isLoaded: false, isRestored: false });
  const [keptAtMs, setKeptAtMs] = useState<number>();
  const keeper = useRef<Keeper<Value>>(undefined);
  const touched = useRef(false);

  useEffect(() => {
    let isCurrent = true;
    touched.current = false;
    keeper.current = createKeeper<Value>(name, { secret }, (atMs) => {
      if (isCurrent) setKeptAtMs(atMs);
    });
    loadDraft<Value>(name, { secret }).then((kept) => {
      if (!isCurrent) return;
      const isRestored = kept !== undefined && !touched.current;
      setState((now) => ({ value: isRestored ? kept : now.value, isLoaded: true, isRestored }));
    });
    return () => {
      isCurrent = false;
    };
  }, [name, secret]);

  const setValue = useCallback((value: Value) => {
    touched.current = true;
    setState((now) => ({ ...now, value }));
    keeper.current?.keep(value);
  }, []);

  const clear = useCallback(() => keeper.current?.forget(), []);

  return { ...state, keptAtMs, setValue, clear };
}

type Keeper<Value> = { keep: (value: Value) => void; forget: () => void };

/**
 * Stores each value immediately, because a closing page does not wait. Values that come during a write wait for it,
 * and only the newest is then written. Calls `tell` whenever no write is left.
 */
function createKeeper<Value>(
  name: string,
  kind: DraftKind,
  tell: (keptAtMs: number | undefined) => void,
): Keeper<Value> {
  let next: { value: Value } | 'nothing' | undefined;
  let isWriting = false;

  async function write(): Promise<void> {
    isWriting = true;
    let isKept = false;
    while (next !== undefined) {
      const now = next;
      next = undefined;
      if (now === 'nothing') {
        await clearDraft(name);
        isKept = false;
      } else isKept = await saveDraft(name, now.value, kind);
    }
    isWriting = false;
    tell(isKept ? Date.now() : undefined);
  }

  function begin(what: { value: Value } | 'nothing'): void {
    next = what;
    if (!isWriting) write();
  }

  return { keep: (value) => begin({ value }), forget: () => begin('nothing') };
}
