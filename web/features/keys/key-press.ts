import { uppermostDialog } from '#web/lib/open-dialogs.ts';

export type KeyAct = 'find' | 'list' | 'write' | 'search';

const plainActs: Readonly<Record<string, KeyAct>> = { '?': 'list', '/': 'search', n: 'write' };

/** Elements that handle keys themselves. */
const ownKeys = [
  'input',
  'textarea',
  'select',
  '[contenteditable]:not([contenteditable="false"])',
  ...['textbox', 'searchbox', 'combobox', 'spinbutton', 'slider', 'listbox', 'menu', 'menubar'].map(
    (role) => `[role=${role}]`,
  ),
].join();

/** True on Apple devices, whose shortcuts use Command. */
export function isApple(): boolean {
  return /mac|iphone|ipad/i.test(navigator.platform);
}

/** Action of a key press. Null in fields, menus and dialogs, and if another handler has used the key. */
export function actOf(event: KeyboardEvent): KeyAct | null {
  if (event.defaultPrevented || event.isComposing || event.repeat || event.altKey) return null;
  const { target } = event;
  if (uppermostDialog() || (target instanceof Element && target.closest(ownKeys))) return null;
  const { ctrlKey, metaKey, shiftKey } = event;
  const key = event.key?.toLowerCase();
  if (ctrlKey || metaKey) {
    const isOurs = isApple() ? metaKey && !ctrlKey : ctrlKey && !metaKey;
    return key === 'k' && isOurs && !shiftKey ? 'find' : null;
  }
  // Many keyboards type "?" and "/" with Shift, so only the letter is checked for it.
  if (key === 'n' && shiftKey) return null;
  return plainActs[key ?? ''] ?? null;
}
