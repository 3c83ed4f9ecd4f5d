/** The modal dialogs that are open, the uppermost last. Whatever stands outside of that one can't be pressed or read out. */
let dialogs: readonly HTMLElement[] = [];
const listeners = new Set<() => void>();

/** Adds a dialog that has just been opened. Call the returned function when it closes. */
export function addOpenDialog(dialog: HTMLElement): () => void {
  change([...dialogs, dialog]);
  return () => change(dialogs.filter((other) => other !== dialog));
}

export function uppermostDialog(): HTMLElement | null {
  return dialogs.at(-1) ?? null;
}

export function onDialogsChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function change(next: readonly HTMLElement[]): void {
  dialogs = next;
  for (const listener of listeners) listener();
}
