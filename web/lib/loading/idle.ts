/** A page that is busy for so long is not waited for any longer. */
const idleMsMax = 500;

/** Until the page has nothing more urgent to do. */
export function idle(): Promise<unknown> {
  return new Promise((resolve) => {
    // Safari has no idle callback before version 26.
    if ('requestIdleCallback' in globalThis) requestIdleCallback(resolve, { timeout: idleMsMax });
    else setTimeout(resolve);
  });
}
