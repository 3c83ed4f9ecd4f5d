import { createRoot, hydrateRoot } from 'react-dom/client';
import { isReadyPageName, readyPages } from '#web/ready-pages.tsx';
import { Root } from '#web/root.tsx';

/**
 * Brings the page to life: takes over the page that the server has sent ready to read, draws the whole application where
 * it has sent none. Done when the page answers to what is pressed.
 */
export async function start(element: HTMLElement, readyPage: string | undefined): Promise<void> {
  if (!isReadyPageName(readyPage)) {
    createRoot(element).render(<Root />);
    return;
  }
  const FirstPage = await readyPages[readyPage].load();
  await new Promise<void>((resolve) => {
    hydrateRoot(element, <Root FirstPage={FirstPage} onReady={resolve} />);
  });
}
