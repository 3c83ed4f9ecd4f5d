import type { DeliveryDependencies, Person } from './delivery.dependencies.ts';
import type { DeliveryRow } from './delivery.repository.ts';
import { foldedPerson } from './delivery.rules.ts';

/** What tells a letter from every other there ever was, whatever becomes of rows: also after a backup was restored. */
export type LetterIdentity = Pick<DeliveryRow, 'userId' | 'messageId' | 'releaseNumber' | 'earlierTries'> & {
  address: string;
};

export type Links = ReturnType<typeof createLinks>;

/** Links and names of mails, derived (HMAC) so that a letter written again is the same mail with the same link. */
export function createLinks({ baseUrl, keys }: Pick<DeliveryDependencies, 'baseUrl' | 'keys'>) {
  const tokenOf = ({ userId, messageId, address, releaseNumber, earlierTries }: LetterIdentity) =>
    keys.derive('delivery-link', JSON.stringify([userId, messageId, address, releaseNumber, earlierTries]));

  return {
    tokenOf,
    tokenHashOf: (letter: LetterIdentity) => keys.hashToken(tokenOf(letter)),
    linkOf: (token: string) => `${baseUrl}/message/${token}`,

    /** The same for all letters of one person in one release, and for nobody else. */
    personKeyOf: ({ userId, releaseNumber, reader }: { userId: string; releaseNumber: number; reader: Person }) =>
      keys.derive('delivery-person', JSON.stringify([userId, releaseNumber, ...foldedPerson(reader)])),

    /** The local part of the Message-ID of one mail to a person in a release. */
    messageIdOf: (personKey: string, mail: string) => keys.derive('delivery-message-id', `${personKey}:${mail}`),
  };
}
