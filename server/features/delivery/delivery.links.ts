import type { App } from '#server/app.ts';
import type { DeliveryRow } from './delivery.repository.ts';
import { foldedPerson } from './delivery.rules.ts';
import type { Person } from './delivery.sealing.ts';

/* Links and names of mails are derived (HMAC), so that a letter written again is the same mail with the same link. */

/** Fields that identify a letter permanently, even after a backup was restored and its row is written again. */
export type LetterIdentity = Pick<DeliveryRow, 'userId' | 'messageId' | 'releaseNumber' | 'earlierTries'> & {
  address: string;
};

/** Returns the token in the link of a letter. */
export function tokenOf({ serviceKeys: keys }: App, letter: LetterIdentity): string {
  const { userId, messageId, address, releaseNumber, earlierTries } = letter;
  return keys.derive('delivery-link', JSON.stringify([userId, messageId, address, releaseNumber, earlierTries]));
}

export function tokenHashOf(app: App, letter: LetterIdentity): string {
  return app.serviceKeys.hashToken(tokenOf(app, letter));
}

/** Returns the key of all letters from one owner to one person. */
export function personKeyOf(
  { serviceKeys: keys }: App,
  { userId, reader }: { userId: string; reader: Person },
): string {
  return keys.derive('delivery-person', JSON.stringify([userId, ...foldedPerson(reader)]));
}

/** Person in one release. */
export type PersonOfRelease = Pick<DeliveryRow, 'personKey' | 'releaseNumber'>;

/** Returns the local part of the Message-ID of one mail to a person in a release. */
export function messageIdOf(
  { serviceKeys: keys }: App,
  { personKey, releaseNumber }: PersonOfRelease,
  mail: string,
): string {
  return keys.derive('delivery-message-id', `${personKey}:${releaseNumber}:${mail}`);
}
