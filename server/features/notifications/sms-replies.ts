import type { App } from '#server/app.ts';
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
  storeTextAnswer,
} from './sms-replies.repository.ts';

/** Key of a number that wants no texts. The number itself is stored nowhere. */
export function phoneKeyOf({ serviceKeys }: App, phone: string): string {
  return serviceKeys.derive('stopped-phone', phone);
}

/** Maximum of texts read per person: more than the questions that contacts get in a year or two. */
const textsLookedAt = 200;

/** False if a text with this provider's id came in before. */
export function isNewText({ serviceKeys }: App, tx: Executor, providerId: string, at: Date): Promise<boolean> {
  return insertReceivedText(tx, serviceKeys.derive('received-text', providerId), at);
}

/** Time of the last text to each of these owners, of any kind except these. */
export async function lastTexts(
  executor: Executor,
  asked: { userIds: readonly string[]; exceptKinds: readonly string[] },
): Promise<ReadonlyMap<string, Date>> {
  return asked.userIds.length === 0 ? new Map() : findLastTexts(executor, asked);
}

/**
 * Time of the last text of this kind about each of these owners to this number, in E.164 form. Their contacts are
 * asked about them, and may share the number.
 */
export async function lastTextsAbout(
  app: App,
  executor: Executor,
  { userIds, kind, phone }: { userIds: readonly string[]; kind: string; phone: string },
): Promise<ReadonlyMap<string, Date>> {
  if (userIds.length === 0) return new Map();
  const texts = await findTextsAbout(executor, { userIds, kind, limit: textsLookedAt });
  const here = texts.filter((text) => numberOf(app, text) === phone);
  // The newest of each owner is the first.
  return new Map(here.toReversed().map(({ userId, at }) => [userId, at]));
}

/** Keeps the answer beside the newest text to this owner that has none, if there is one. */
export async function noteTextAnswer(
  { serviceKeys }: App,
  tx: Executor,
  { userId, answer, at }: { userId: string; answer: string; at: Date },
): Promise<void> {
  const id = await findUnansweredText(tx, userId);
  if (!id) return;
  const response = sealTextColumn(serviceKeys, { column: 'response', id }, answer);
  await storeTextAnswer(tx, id, { response, respondedAt: at });
}

/** Refusal of the last text of this kind to an owner. Null if it was accepted, or went to another number than `phone`. */
export async function lastTextRefusal(
  app: App,
  executor: Executor,
  { userId, kind, phone }: { userId: string; kind: string; phone: string },
): Promise<{ replyCode: number | null } | null> {
  const text = await findLastText(executor, { userId, kind });
  const isRefused = text?.status === 'bounced' || text?.status === 'dead';
  return text && isRefused && numberOf(app, text) === phone ? { replyCode: text.replyCode } : null;
}

/** Stops all texts to this number, in E.164 form, for every account with it. */
export function stopTexts(app: App, tx: Executor, phone: string, at: Date): Promise<void> {
  return insertStoppedPhone(tx, phoneKeyOf(app, phone), at);
}

export function startTexts(app: App, tx: Executor, phone: string): Promise<void> {
  return deleteStoppedPhone(tx, phoneKeyOf(app, phone));
}

/** True if the holder of a number, in any notation, has stopped texts. */
export function areTextsStopped(app: App, executor: Executor, phone: string): Promise<boolean> {
  return isPhoneStopped(executor, phoneKeyOf(app, toInternationalPhone(phone) ?? phone));
}

/** The number of a text, in E.164 form. Null if it is damaged. */
function numberOf({ serviceKeys }: App, { id, phone }: { id: string; phone: string }): string | null {
  try {
    return toInternationalPhone(unsealTextColumn(serviceKeys, { column: 'phone', id }, phone));
  } catch (error) {
    if (error instanceof SealBrokenError) return null;
    throw error;
  }
}
