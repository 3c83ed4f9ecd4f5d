import { useCallback, useEffect, useRef, useState } from 'react';
import { clearDraft, type DraftKind, loadDraft, saveDraft } from '#web/lib/draft-store.ts';

const saveDelayMs = 400;

export type Draft<Value> = {
  value: Value;
  setValue: (value: Value) => void;
  /** Forgets what was kept, after it has been saved in earnest; the value stays as it is. */
  clear: () => void;
  /** False until it is known whether a draft was kept from before. */
  isLoaded: boolean;
  /** Whether the value came from a kept draft. */
  isRestored: boolean;
};

/**
 * A value that outlives a reload. `name` says what it is a draft of (`message:new`); pass `secret` for everything
 * that a person wrote to somebody, which is then kept encrypted. Passwords are never given to it.
 */
export function useDraft<Value>(name: string, initial: Value, { secret = false }: DraftKind = {}): Draft<Value> {
  const [state, setState] = useState({ value: initial, isLoaded: false, isRestored: false });
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const pending = useRef<{ value: Value }>(undefined);
  const touched = useRef(false);

  useEffect(() => {
    let isCurrent = true;
    touched.current = false;
    loadDraft<Value>(name, { secret }).then((kept) => {
      if (!isCurrent) return;
      const isRestored = kept !== undefined && !touched.current;
      setState((now) => ({ value: isRestored ? kept : now.value, isLoaded: true, isRestored }));
    });
    const flush = () => {
      clearTimeout(timer.current);
      if (pending.current) saveDraft(name, pending.current.value, { secret });
      pending.current = undefined;
    };
    addEventListener('pagehide', flush);
    return () => {
      isCurrent = false;
      removeEventListener('pagehide', flush);
      flush();
    };
  }, [name, secret]);

  const setValue = useCallback(
    (value: Value) => {
      touched.current = true;
      pending.current = { value };
      setState((now) => ({ ...now, value }));
      clearTimeout(timer.current);
      timer.current = setTimeout(() => {
        pending.current = undefined;
        saveDraft(name, value, { secret });
      }, saveDelayMs);
    },
    [name, secret],
  );

  const clear = useCallback(() => {
    clearTimeout(timer.current);
    pending.current = undefined;
    clearDraft(name);
  }, [name]);

  return { ...state, setValue, clear };
}
