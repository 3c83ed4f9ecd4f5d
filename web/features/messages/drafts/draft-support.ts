/**
 * True if this browser can keep unsaved words, encrypted. It can't without a store of its own, or on an insecure page.
 * Then the page must not claim to keep anything.
 */
export function canKeepDrafts(): boolean {
  return typeof indexedDB !== 'undefined' && globalThis.crypto?.subtle !== undefined;
}
