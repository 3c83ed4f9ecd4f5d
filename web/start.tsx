import type { ComponentType } from 'react';
import { flushSync } from 'react-dom';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { namedReads } from '#web/lib/api/early-reads.ts';
import type { Sent } from '#web/lib/api/sent-context.ts';
import { afterPress } from '#web/lib/loading/after-press.ts';
import { restoreOriginals } from '#web/lib/translation-guard.ts';
import { noteTyped } from '#web/lib/use-typed-before.ts';
import { isLinkedPath } from '#web/linked-paths.ts';
import { isReadyPageName, readyPages } from '#web/ready-pages.tsx';
import { App, Root } from '#web/root.tsx';

/**
 * Starts the page: hydrates one that was sent ready to read, or draws the whole application. Resolves once the page
 * reacts to presses.
 */
export async function start(element: HTMLElement, readyPage: string | undefined): Promise<void> {
  const FirstPage = await firstPage(readyPage);
  if (!FirstPage) {
    const draw = (container: HTMLElement) => createRoot(container).render(<Root />);
    // Existing content is replaced once, by a page. Without content, a spinner comes first.
    if (element.childElementCount > 0) await App.load();
    const reads = namedReads();
    if (reads.length > 0) await (await import('./vault-start.ts')).vaultReady(location.pathname, reads);
    if (element.childElementCount === 0) draw(element);
    else await (await import('./take-place.ts')).takePlace(element, draw);
    return;
  }
  await new Promise<void>((resolve) => {
    const takeOver = () =>
      void hydrateRoot(element, <Root FirstPage={FirstPage} onReady={resolve} sent={sentWithPage()} />);
    afterPress(element, () => {
      noteTyped(element);
      // React throws a page away that differs from its own. In one go, so that no text is translated in between.
      if (restoreOriginals(element)) flushSync(takeOver);
      else takeOver();
    });
  });
}

async function firstPage(name: string | undefined): Promise<ComponentType | null> {
  if (isReadyPageName(name)) return readyPages[name]();
  return isLinkedPath(name) ? (await import('./linked-pages.tsx')).linkedPage(name) : null;
}

/** Data with which the server drew the page. */
function sentWithPage(): Sent {
  return JSON.parse(document.getElementById('sent')?.textContent ?? '{"answers":{}}');
}
