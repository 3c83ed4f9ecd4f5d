import { afterPress } from '#web/lib/loading/after-press.ts';
import { pressAgain } from '#web/lib/loading/pending-press.ts';
import { restoreOriginals } from '#web/lib/translation-guard.ts';

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** Page that may be replaced by a working page: not a placeholder, and not a failed one. */
const workingPage = '#main:not(.waiting, [data-failed])';
/** And of the shape of one. */
const anyPage = '#main:not(.waiting)';

/**
 * Replaces a server-drawn page by the application, once that has a page to show. The screen never goes blank, typed
 * text and the cursor stay, and presses made meanwhile are done.
 *
 * @param draw draws the application in a hidden container.
 */
export function takePlace(plain: HTMLElement, draw: (container: HTMLElement) => void): Promise<void> {
  const shownPage = plain.dataset.entry === undefined ? anyPage : workingPage;
  const container = document.createElement('div');
  container.hidden = true;
  plain.after(container);
  return new Promise((resolve) => {
    const look = () => {
      if (!container.querySelector(shownPage)) return;
      observer.disconnect();
      afterPress(plain, take);
    };
    const take = () => {
      const typed = controlsOf(plain).filter(isChanged);
      const focused = placeOf(document.activeElement, plain);
      const openMenu = plain.querySelector('details[open]')?.className;
      container.id = plain.id;
      // The pressed button is known by its words.
      restoreOriginals(document.body);
      plain.remove();
      container.hidden = false;
      for (const control of typed) enter(controlNamed(container, control.name), control);
      if (openMenu) container.querySelector(`details.${openMenu}`)?.setAttribute('open', '');
      if (focused) container.querySelector<HTMLElement>(focused)?.focus();
      pressAgain(container);
      resolve();
    };
    const observer = new MutationObserver(look);
    observer.observe(container, { childList: true, subtree: true });
    draw(container);
  });
}

/** Position of the focus, described so that the next page can find it; null if it is outside of this one. */
function placeOf(focused: Element | null, page: HTMLElement): string | null {
  if (!focused || !page.contains(focused)) return null;
  if (focused.id === 'main') return '#main';
  if (focused.localName === 'summary') return `details.${focused.parentElement?.className} > summary`;
  const name = focused.getAttribute('name');
  if (name !== null) return `${focused.localName}[name="${CSS.escape(name)}"]`;
  const href = focused.getAttribute('href');
  const menu = focused.closest('details');
  const within = menu ? `details.${menu.className} ` : focused.closest('nav') ? 'nav ' : '';
  return href === null ? null : `${within}a[href="${CSS.escape(href)}"]`;
}

function controlsOf(page: ParentNode): Control[] {
  return [...page.querySelectorAll<Control>('input[name], textarea[name], select[name]')];
}

function controlNamed(page: ParentNode, name: string): Control | undefined {
  return controlsOf(page).find((control) => control.name === name);
}

function isChanged(control: Control): boolean {
  if (isCheckbox(control)) return control.checked !== control.defaultChecked;
  if (isSelect(control)) return [...control.options].some((option) => option.selected !== option.defaultSelected);
  return control.type !== 'hidden' && control.value !== control.defaultValue;
}

function isCheckbox(control: Control): control is HTMLInputElement {
  return control.type === 'checkbox';
}

function isSelect(control: Control): control is HTMLSelectElement {
  return control instanceof HTMLSelectElement;
}

/** Types the value like a person: React ignores values that are set without its own setter. */
function enter(control: Control | undefined, typed: Control): void {
  if (!control) return;
  if (isCheckbox(control)) {
    if (control.checked !== (isCheckbox(typed) && typed.checked)) control.click();
    return;
  }
  const { prototype } = elementOf(control);
  Object.getOwnPropertyDescriptor(prototype, 'value')?.set?.call(control, typed.value);
  control.dispatchEvent(new Event(isSelect(control) ? 'change' : 'input', { bubbles: true }));
}

function elementOf(control: Control) {
  if (isSelect(control)) return HTMLSelectElement;
  return control instanceof HTMLTextAreaElement ? HTMLTextAreaElement : HTMLInputElement;
}
