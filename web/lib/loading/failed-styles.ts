/**
 * Removes a stylesheet that could not be fetched. Vite takes an element with its address for loaded styles, so the next try would
 * show the page without them.
 */
export function forgetFailedStyles(): void {
  addEventListener('vite:preloadError', (event) => {
    // The message is all by which Vite names the stylesheet.
    const { message } = (event as Event & { payload: Error }).payload;
    for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]')) {
      if (message.endsWith(new URL(link.href).pathname)) link.remove();
    }
  });
}
