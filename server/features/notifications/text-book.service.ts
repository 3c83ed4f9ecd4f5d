import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import { hashToken } from '#server/platform/crypto/token.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { sealTextColumn } from './notifications.payload.ts';
import {
  deleteStoppedPhone,
  findLastTexts,
  findUnansweredText,
  insertReceivedText,
  insertStoppedPhone,
  storeTextAnswer,
} from './text-book.repository.ts';

export type TextBook = {
  /** False where a text with this id of the provider's came in before. */
  isNewText(tx: Executor, providerId: string, at: Date): Promise<boolean>;
  /** When each of these owners was last sent a text, of any kind but one. */
  lastTexts(
    executor: Executor,
    asked: { userIds: readonly string[]; exceptKind: string },
  ): Promise<ReadonlyMap<string, Date>>;
  /** Keeps the answer beside the newest text to this owner that has none, if there is one. */
  noteTextAnswer(tx: Executor, answer: { userId: string; answer: string; at: Date }): Promise<void>;
  /** From now on no text goes to this number, whoever's it is. In the form of E.164. */
  stopTexts(tx: Executor, phone: string, at: Date): Promise<void>;
  startTexts(tx: Executor, phone: string): Promise<void>;
};

/** By what a number is known that wants no texts; the number itself is written nowhere. */
export function phoneKeyOf(keys: Pick<ServiceKeys, 'derive'>, phone: string): string {
  return keys.derive('stopped-phone', phone);
}

/** What is known of texts besides those on their way: answers, and numbers that want none. */
export function createTextBook(keys: ServiceKeys): TextBook {
  return {
    isNewText: (tx, providerId, at) => insertReceivedText(tx, hashToken(providerId), at),

    async lastTexts(executor, asked) {
      return asked.userIds.length === 0 ? new Map() : findLastTexts(executor, asked);
    },

    async noteTextAnswer(tx, { userId, answer, at }) {
      const id = await findUnansweredText(tx, userId);
      if (!id) return;
      const response = sealTextColumn(keys, { column: 'response', id }, answer);
      await storeTextAnswer(tx, id, { response, respondedAt: at });
    },

    stopTexts: (tx, phone, at) => insertStoppedPhone(tx, phoneKeyOf(keys, phone), at),
    startTexts: (tx, phone) => deleteStoppedPhone(tx, phoneKeyOf(keys, phone)),
  };
}
