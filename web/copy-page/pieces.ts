import { bytesIn, type Piece } from './open-copy.ts';

const blocks = 'script[data-nonce]';

export type Taken = { items: Map<string, Piece[]>; isWhole: boolean };

/**
 * Takes the sealed pieces out of the page while it is read, so that a browser keeps none of them as text. A piece is
 * complete once something follows it. `isWhole` is true if the page came to its end.
 */
export function takePieces(page: Document, onBytes: (bytes: number) => void): Promise<Taken> {
  const items = new Map<string, Piece[]>();
  let bytes = 0;
  const take = (isComplete: boolean) => {
    const bytesBefore = bytes;
    for (const block of page.querySelectorAll<HTMLScriptElement>(blocks)) {
      if (!isComplete && !block.nextElementSibling) break;
      const { name = '', nonce = '' } = block.dataset;
      const sealed = new Blob([bytesIn((block.textContent ?? '').trim())]);
      bytes += sealed.size;
      const pieces = items.get(name) ?? [];
      pieces.push({ nonce, sealed });
      items.set(name, pieces);
      block.remove();
    }
    // Otherwise the words about it, which change the page, would call this again.
    if (bytes > bytesBefore) onBytes(bytes);
  };
  const observer = new MutationObserver(() => take(false));
  observer.observe(page, { childList: true, subtree: true });
  return new Promise((resolve) => {
    const end = () => {
      observer.disconnect();
      take(true);
      resolve({ items, isWhole: page.getElementById('end') !== null });
    };
    if (page.readyState === 'loading') page.addEventListener('DOMContentLoaded', end);
    else end();
  });
}
