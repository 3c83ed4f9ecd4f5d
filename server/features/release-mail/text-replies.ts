import type { App } from '#server/app.ts';
import { findOwnersByPhone, lockOwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { recordActivity } from '#server/features/accounts/activity.ts';
import { type RequestOrigin, recordAudit } from '#server/features/audit/record.ts';
import {
  isNewText,
  lastTexts,
  lastTextsAbout,
  noteTextAnswer,
  startTexts,
  stopTexts,
} from '#server/features/notifications/sms-replies.ts';
import type { HttpCall } from '#server/http/bind.ts';
import type { MailKind } from '#server/mails.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { PostedFields } from '#server/platform/sms/text-replies.ts';
import { isPhoneNumber } from '#server/platform/sms/texter.ts';
import { AppError } from '#shared/contract/errors.ts';
import type * as contract from '#shared/contract/texts.ts';
import { replyTexts, uncountedTexts } from './release.texts.ts';
import { ownerOfReply, readReply } from './text-replies.rules.ts';

/** A text as the provider posts it. `path` has its query, as the caller wrote it. */
type PostedText = { fields: PostedFields; signature: string; path: string; origin: RequestOrigin };

/** A text that our provider has signed. `isNew`: it did not come before. */
type Received = { phone: string; isNew: boolean; origin: RequestOrigin };

/** Receives a text from the provider, and replies. @throws AppError `UNAUTHENTICATED` without the provider's signature. */
export async function receiveText(app: App, call: HttpCall<typeof contract.receiveText>) {
  const { body: fields, request, reply, origin } = call;
  const signature = one(request.headers['x-twilio-signature']);
  const answer = await answerText(app, { fields, signature, path: request.originalUrl, origin });
  return reply.type('text/xml; charset=utf-8').send(answer);
}

/**
 * Returns the provider's answer to a text. The sender is known by the number alone, so the reply does not depend on an
 * account with that number. A sender without a recent question gets the same words as everyone else.
 * @throws AppError `UNAUTHENTICATED` without the provider's signature.
 */
export async function answerText(app: App, { fields, signature, path, origin }: PostedText): Promise<string> {
  const { db, clock, textReplies, baseUrl } = app;
  if (!textReplies?.isSigned({ signature, url: `${baseUrl}${path}`, fields })) {
    throw new AppError('UNAUTHENTICATED', 'This was not signed by the service that carries our texts.');
  }
  const phone = one(fields.From);
  const id = one(fields.MessageSid);
  if (!isPhoneNumber(phone) || id === '') return textReplies.answer(null);
  const words = await db.transaction(async (tx) => {
    const isNew = await isNewText(app, tx, id, await clock.now(tx));
    return replyTo(app, tx, { phone, isNew, origin }, one(fields.Body));
  });
  // The provider has already replied if it keeps the list of opted-out numbers itself.
  return textReplies.answer(one(fields.OptOutType) === '' ? words : null);
}

async function replyTo(app: App, tx: Executor, text: Received, body: string): Promise<string> {
  const reply = readReply(body);
  if (reply === 'well') return answerWell(app, tx, text);
  if (reply === 'stop' && text.isNew) await stopTexts(app, tx, text.phone, await app.clock.now(tx));
  if (reply === 'start' && text.isNew) await startTexts(app, tx, text.phone);
  return replyTexts[reply];
}

/** Returns the reply. A signature stays valid, so a repeated text does nothing. */
async function answerWell(app: App, tx: Executor, { phone, isNew, origin }: Received): Promise<string> {
  const answered = await findOwnerOfReply(app, tx, phone);
  if (answered.userId === null) return uncountedTexts[answered.why];
  if (isNew) await checkIn(app, tx, answered.userId, origin);
  return replyTexts.well;
}

/** Returns the one account that the reply counts for, see `ownerOfReply`. */
async function findOwnerOfReply(app: App, tx: Executor, phone: string) {
  const owners = await findOwnersByPhone(tx, phone);
  const userIds = owners.map(({ id }) => id);
  // Questions to contacts are about their owner, and are kept with the owner's own texts.
  const exceptKinds: MailKind[] = ['release.contact_asked', 'accounts.phone-code', 'release.former_phone'];
  const texts = await lastTexts(tx, { userIds, exceptKinds });
  const asked = await lastTextsAbout(app, tx, { userIds, kind: 'release.contact_asked', phone });
  return ownerOfReply(
    owners.map(({ id, lastCheckinAt, lastCheckinType }) => ({
      userId: id,
      lastActivityMs: lastCheckinAt.getTime(),
      wasText: lastCheckinType === 'sms',
      textedAtMs: texts.get(id)?.getTime() ?? null,
      askedAboutAtMs: asked.get(id)?.getTime() ?? null,
    })),
    (await app.clock.now(tx)).getTime(),
  );
}

async function checkIn(app: App, tx: Executor, userId: string, origin: RequestOrigin): Promise<void> {
  if (!(await lockOwnerRow(tx, userId))) return;
  const at = await app.clock.now(tx);
  const action = 'user.checked_in_by_text';
  await recordAudit(app, tx, { userId, action, resource: 'user', resourceId: userId, origin, at });
  await noteTextAnswer(app, tx, { userId, answer: 'well', at });
  await recordActivity(app, tx, { userId, type: 'sms', at, origin });
}

/** Returns the value of a field that came exactly once. */
function one(value: string | string[] | undefined): string {
  return typeof value === 'string' ? value : '';
}
