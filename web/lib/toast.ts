export type ToastContent = {
  title: string;
  description?: string;
  variant?: 'default' | 'destructive';
  /** An action with one press. The notice disappears, so the action must be available elsewhere too. */
  action?: { label: string; run: () => void };
};
export type ToastEntry = ToastContent & { id: number; isOpen: boolean };

export const toastDisplayMs = 5_000;
const toastLimit = 1;
const toastRemoveDelayMs = 1_000_000;

let entries: readonly ToastEntry[] = [];
let lastId = 0;
const removals = new Map<number, ReturnType<typeof setTimeout>>();
const listeners = new Set<() => void>();

/** Tells the person something. One notice stands at a time: a new one takes the place of the one before. */
export function toast(content: ToastContent): void {
  lastId += 1;
  const kept = [{ ...content, id: lastId, isOpen: true }, ...entries].slice(0, toastLimit);
  for (const entry of entries) if (!kept.includes(entry)) forget(entry.id);
  change(kept);
}

/** Closes a notice. It is removed from memory much later, so that its leaving can be drawn and read out. */
export function dismissToast(id: number): void {
  change(entries.map((entry) => (entry.id === id ? { ...entry, isOpen: false } : entry)));
  forget(id);
  removals.set(
    id,
    setTimeout(() => {
      removals.delete(id);
      change(entries.filter((entry) => entry.id !== id));
    }, toastRemoveDelayMs),
  );
}

/** The notices as they are now, newest first. */
export function currentToasts(): readonly ToastEntry[] {
  return entries;
}

export function onToastsChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function forget(id: number): void {
  clearTimeout(removals.get(id));
  removals.delete(id);
}

function change(next: readonly ToastEntry[]): void {
  entries = next;
  for (const listener of listeners) listener();
}
