/**
 * Whether this browser can keep words that are not saved yet, encrypted. It can't without a store of its own, and on a
 * page that was not sent securely; then nothing may be said to be kept.
 */
export function canKeepDrafts(): boolean {
  return typeof indexedDB !== 'undefined' && globalThis.crypto?.subtle !== undefined;
}
