import { createRoot, hydrateRoot } from 'react-dom/client';
import { Root } from '#web/root.tsx';

/**
 * Brings the page to life: takes over the landing page where the server has sent it ready to read, draws the whole
 * application where it has not. Done when the page answers to what is pressed.
 */
export async function start(element: HTMLElement, isReadyToRead: boolean): Promise<void> {
  if (!isReadyToRead) {
    createRoot(element).render(<Root />);
    return;
  }
  const { LandingPage } = await import('./pages/landing.tsx');
  await new Promise<void>((resolve) => {
    hydrateRoot(element, <Root FirstPage={LandingPage} onReady={resolve} />);
  });
}
