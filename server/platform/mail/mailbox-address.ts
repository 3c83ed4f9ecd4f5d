import { insecureAllowed, isLoopback } from '#server/platform/loopback.ts';

/**
 * True if an address names a mailbox that can be read safely: `imaps://` with its name and password, and `imap://` on
 * this machine or where `allowInsecure=1` stands at the end.
 */
export function isBounceMailbox(text: string): boolean {
  const { address, isAllowed } = insecureAllowed(text);
  const url = URL.parse(address);
  if (!url || url.hostname === '' || url.username === '' || url.password === '') return false;
  return url.protocol === 'imaps:' || (url.protocol === 'imap:' && (isAllowed || isLoopback(url.hostname)));
}
