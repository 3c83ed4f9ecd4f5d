import type { ComponentType } from 'react';
import { flushSync } from 'react-dom';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { namedReads } from '#web/lib/api/early-reads.ts';
import type { Sent } from '#web/lib/api/sent-context.ts';
import { restoreOriginals } from '#web/lib/translation-guard.ts';
import { noteTyped } from '#web/lib/use-typed-before.ts';
import { isLinkedPath } from '#web/linked-paths.ts';
import { isReadyPageName, readyPages } from '#web/ready-pages.tsx';
import { App, Root } from '#web/root.tsx';

/**
 * Brings the page to life: takes over the page that the server has sent ready to read, draws the whole application where
 * it has sent none. Done when the page answers to what is pressed.
 */
export async function start(element: HTMLElement, readyPage: string | undefined): Promise<void> {
  const FirstPage = await firstPage(readyPage);
  if (!FirstPage) {
    const draw = (container: HTMLElement) => createRoot(container).render(<Root />);
    // What stands there is to be replaced once, by a page; where nothing does, a spinner is the first to come.
    if (element.childElementCount > 0) await App.load();
    const reads = namedReads();
    if (reads.length > 0) await (await import('./vault-start.ts')).vaultReady(location.pathname, reads);
    if (element.childElementCount === 0) draw(element);
    else await (await import('./take-place.ts')).takePlace(element, draw);
    return;
  }
  await new Promise<void>((resolve) => {
    noteTyped(element);
    const takeOver = () =>
      void hydrateRoot(element, <Root FirstPage={FirstPage} onReady={resolve} sent={sentWithPage()} />);
    // React throws a page away that differs from its own. In one go, so that no text is translated in between.
    if (restoreOriginals(element)) flushSync(takeOver);
    else takeOver();
  });
}

async function firstPage(name: string | undefined): Promise<ComponentType | null> {
  if (isReadyPageName(name)) return readyPages[name]();
  return isLinkedPath(name) ? (await import('./linked-pages.tsx')).linkedPage(name) : null;
}

/** What the server has drawn the page with. */
function sentWithPage(): Sent {
  return JSON.parse(document.getElementById('sent')?.textContent ?? '{"answers":{}}');
}
