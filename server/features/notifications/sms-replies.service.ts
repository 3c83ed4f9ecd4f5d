import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import { SealBrokenError } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { toInternationalPhone } from '#server/platform/sms/phone-number.ts';
import { sealTextColumn, unsealTextColumn } from './notifications.payload.ts';
import {
  deleteStoppedPhone,
  findLastText,
  findLastTexts,
  findTextsAbout,
  findUnansweredText,
  insertReceivedText,
  insertStoppedPhone,
  isPhoneStopped,
  type SentText,
  storeTextAnswer,
} from './sms-replies.repository.ts';

export type SmsReplies = {
  /** False if a text with this provider's id came in before. */
  isNewText(tx: Executor, providerId: string, at: Date): Promise<boolean>;
  /** Time of the last text to each of these owners, of any kind except these. */
  lastTexts(
    executor: Executor,
    asked: { userIds: readonly string[]; exceptKinds: readonly string[] },
  ): Promise<ReadonlyMap<string, Date>>;
  /**
   * Time of the last text of this kind about each of these owners to this number, in E.164 form. Their contacts are
   * asked about them, and may share the number.
   */
  lastTextsAbout(
    executor: Executor,
    asked: { userIds: readonly string[]; kind: string; phone: string },
  ): Promise<ReadonlyMap<string, Date>>;
  /** Keeps the answer beside the newest text to this owner that has none, if there is one. */
  noteTextAnswer(tx: Executor, answer: { userId: string; answer: string; at: Date }): Promise<void>;
  /**
   * Refusal of the last text of this kind to an owner. Null if it was accepted, or went to another number than `phone`.
   */
  lastTextRefusal(
    executor: Executor,
    text: { userId: string; kind: string; phone: string },
  ): Promise<{ replyCode: number | null } | null>;
  /** Stops all texts to this number, in E.164 form, for every account with it. */
  stopTexts(tx: Executor, phone: string, at: Date): Promise<void>;
  startTexts(tx: Executor, phone: string): Promise<void>;
  /** True if the holder of a number, in any notation, has stopped texts. */
  areTextsStopped(executor: Executor, phone: string): Promise<boolean>;
};

/** Key of a number that wants no texts. The number itself is stored nowhere. */
export function phoneKeyOf(keys: Pick<ServiceKeys, 'derive'>, phone: string): string {
  return keys.derive('stopped-phone', phone);
}

/** Maximum of texts read per person: more than the questions that contacts get in a year or two. */
const textsLookedAt = 200;

/** Facts about texts besides their sending: replies, and stopped numbers. */
export function createSmsReplies(keys: ServiceKeys): SmsReplies {
  function numberOf({ id, phone }: Pick<SentText, 'id' | 'phone'>): string | null {
    try {
      return toInternationalPhone(unsealTextColumn(keys, { column: 'phone', id }, phone));
    } catch (error) {
      if (error instanceof SealBrokenError) return null;
      throw error;
    }
  }

  return {
    isNewText: (tx, providerId, at) => insertReceivedText(tx, keys.derive('received-text', providerId), at),

    async lastTexts(executor, asked) {
      return asked.userIds.length === 0 ? new Map() : findLastTexts(executor, asked);
    },

    async lastTextsAbout(executor, { userIds, kind, phone }) {
      if (userIds.length === 0) return new Map();
      const texts = await findTextsAbout(executor, { userIds, kind, limit: textsLookedAt });
      const here = texts.filter((text) => numberOf(text) === phone);
      // The newest of each owner is the first.
      return new Map(here.toReversed().map(({ userId, at }) => [userId, at]));
    },

    async noteTextAnswer(tx, { userId, answer, at }) {
      const id = await findUnansweredText(tx, userId);
      if (!id) return;
      const response = sealTextColumn(keys, { column: 'response', id }, answer);
      await storeTextAnswer(tx, id, { response, respondedAt: at });
    },

    async lastTextRefusal(executor, { userId, kind, phone }) {
      const text = await findLastText(executor, { userId, kind });
      const isRefused = text?.status === 'bounced' || text?.status === 'dead';
      return text && isRefused && numberOf(text) === phone ? { replyCode: text.replyCode } : null;
    },

    stopTexts: (tx, phone, at) => insertStoppedPhone(tx, phoneKeyOf(keys, phone), at),
    startTexts: (tx, phone) => deleteStoppedPhone(tx, phoneKeyOf(keys, phone)),
    areTextsStopped: (executor, phone) =>
      isPhoneStopped(executor, phoneKeyOf(keys, toInternationalPhone(phone) ?? phone)),
  };
}
