import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import type { User } from '#shared/contract/accounts.ts';
import type { FindProps } from '#web/components/layout/find-button.tsx';
import { askPage, forgetAsked } from '#web/lib/asked-page.ts';
import { useFetchedPart } from '#web/lib/loading/use-fetched-part.ts';
import { actOf, isApple, type KeyAct } from './key-press.ts';
import { areKeysOn, useKeysOn } from './keys-choice.ts';

const fetchDialogs = () => import('./key-dialogs.tsx');

export type KeysProps = { user: User; hasPage: (path: string) => boolean };

/** Keyboard shortcuts and palette of a vault page. Returns the button of the palette, and the open dialog. */
export function useKeys(props: KeysProps): { find: FindProps; dialogs: ReactNode } {
  const [, navigate] = useLocation();
  const isOn = useKeysOn();
  const dialogs = useFetchedPart(fetchDialogs);
  const [shown, setShown] = useState<'find' | 'list'>();
  const show = async (next: 'find' | 'list') => {
    if (await dialogs.want()) setShown(next);
  };
  const go = (path: string) => {
    if (location.pathname !== path) navigate(path);
    // An owner who stays with unsaved words is asked for nothing later.
    if (location.pathname !== path) forgetAsked();
  };
  const acts: Record<KeyAct, () => unknown> = {
    find: () => show('find'),
    list: () => show('list'),
    write: () => {
      askPage('/messages', { what: 'new' });
      go('/messages');
    },
    search: () => focusSearch() || show('find'),
  };
  useKeyPress(acts);
  const part = dialogs.part;
  return {
    find: { open: () => show('find'), shortcut: isOn ? (isApple() ? '⌘ K' : 'Ctrl K') : undefined },
    dialogs: part && shown ? <part.KeyDialogs {...props} shown={shown} onShow={setShown} onGo={go} /> : null,
  };
}

function useKeyPress(acts: Record<KeyAct, () => unknown>): void {
  const latest = useRef(acts);
  latest.current = acts;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const act = actOf(event);
      if (act === null || !areKeysOn()) return;
      event.preventDefault();
      latest.current[act]();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}

/** Puts the focus in the search of this page. Returns false if the page has none. */
function focusSearch(): boolean {
  const field = document.querySelector<HTMLElement>('main input[type=search]');
  field?.focus();
  return field !== null;
}
