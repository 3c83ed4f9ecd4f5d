const retryDelayMs = 5_000;

/**
 * Loads a stylesheet again that could not be fetched. Vite asks for each stylesheet once, so the next try of the page
 * would have none.
 */
export function reloadFailedStyles(): void {
  addEventListener('vite:preloadError', (event) => {
    // The message is all by which Vite names the stylesheet.
    const { message } = (event as Event & { payload: Error }).payload;
    for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]')) {
      if (message.endsWith(new URL(link.href).pathname)) loadAgain(link);
    }
  });
}

function loadAgain(link: HTMLLinkElement): void {
  const copy = link.cloneNode() as HTMLLinkElement;
  copy.addEventListener('error', () => setTimeout(loadAgain, retryDelayMs, copy), { once: true });
  link.replaceWith(copy);
}
