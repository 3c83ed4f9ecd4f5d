import type { DeliveredMessage } from '#shared/contract/letters/delivery.ts';
import type { ShownEnclosure } from '#web/components/letter/enclosures.tsx';
import { shownEnclosures } from '#web/components/letter/shown-enclosures.ts';
import { addressOf } from '#web/lib/api/api.ts';
import { light } from '#web/lib/api/light-routes.ts';

/** Address of the file enclosed with a letter. */
export function enclosedHref(token: string): string {
  return addressOf(light.downloadDeliveredAttachment, { params: { token } });
}

/** Address of the copy of a letter, or of all letters of this person. */
export function copyHref(token: string, query: { all?: 'true'; as?: 'page' } = {}): string {
  const address = addressOf(light.copyDeliveredLetter, { params: { token } });
  const words = new URLSearchParams(query).toString();
  return words === '' ? address : `${address}?${words}`;
}

/** The pictures and the voice of a letter, and where each is. */
export function deliveredEnclosures(token: string, enclosures: DeliveredMessage['enclosures']): ShownEnclosure[] {
  return shownEnclosures(enclosures, (enclosureId) =>
    addressOf(light.getDeliveredEnclosure, { params: { token, enclosureId } }),
  );
}

/** Fields of an opened envelope. Before the press no client has them, nor does a program that reads links. */
export const wordsOfLetter: readonly (keyof DeliveredMessage)[] = [
  'content',
  'encryptedContent',
  'attachment',
  'enclosures',
];

/** Address of the letter itself. */
export function letterAddress(token: string): string {
  return addressOf(light.getDeliveredMessage, { params: { token } });
}

/** Address of the page that sends a new link for a letter. */
export function newLinkHref(token: string): string {
  return `/message/${encodeURIComponent(token)}/new-link`;
}
