/** True if this browser can seal and open letters; it can't on a page that was not reached safely. */
export function canSealLetters(): boolean {
  return globalThis.crypto?.subtle !== undefined;
}
