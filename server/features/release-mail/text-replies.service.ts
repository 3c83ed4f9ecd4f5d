import type { Accounts } from '#server/features/accounts/accounts.service.ts';
import type { Audit, RequestOrigin } from '#server/features/audit/audit.service.ts';
import type { Notifications } from '#server/features/notifications/notifications.service.ts';
import { phoneCodeKind } from '#server/features/registration/phone.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import type { PostedFields, TextReplies } from '#server/platform/sms/text-replies.ts';
import { isPhoneNumber } from '#server/platform/sms/texter.ts';
import { AppError } from '#shared/contract/errors.ts';
import { askedKind } from './contact-mail.ts';
import { formerPhoneKind } from './release.notify.ts';
import { replyTexts, uncountedTexts } from './release.texts.ts';
import { ownerOfReply, readReply } from './text-replies.rules.ts';

export type TextInboxDependencies = {
  db: Database;
  clock: Clock;
  accounts: Pick<Accounts, 'lockOwner' | 'ownersOfPhone' | 'recordActivity'>;
  notifications: Pick<
    Notifications,
    'isNewText' | 'lastTexts' | 'lastTextsAbout' | 'noteTextAnswer' | 'stopTexts' | 'startTexts'
  >;
  audit: Pick<Audit, 'record'>;
  /** Null where no texts are sent. */
  replies: TextReplies | null;
  /** The public address, without a path. */
  baseUrl: string;
};

/** A call as it came in. `path` with its query, as the caller wrote it. */
export type PostedText = { fields: PostedFields; signature: string | undefined; path: string; origin: RequestOrigin };

/** A text that our provider has signed. `isNew`: it did not come before. */
type Taken = { phone: string; isNew: boolean; origin: RequestOrigin };

export type TextInbox = {
  /**
   * Takes a text that somebody sent us. Gives what to answer the provider with.
   *
   * @throws AppError UNAUTHENTICATED for what our provider did not sign.
   */
  receive(text: PostedText): Promise<string>;
};

/**
 * Answers to our texts. The sender is known by the number alone, so what is answered is the same whether or not the
 * number has an account: who was sent no question there lately hears that, and so does everybody else.
 */
export function createTextInbox(deps: TextInboxDependencies): TextInbox {
  const { db, clock, accounts, notifications, audit, replies, baseUrl } = deps;

  /** The one account whose owner says so is well, if there is one; see `ownerOfReply`. */
  async function whoseReply(tx: Executor, phone: string) {
    const owners = await accounts.ownersOfPhone(tx, phone);
    const userIds = owners.map(({ id }) => id);
    // Questions to contacts are about their owner, and stand with the owner's own texts.
    const texts = await notifications.lastTexts(tx, {
      userIds,
      exceptKinds: [askedKind, phoneCodeKind, formerPhoneKind],
    });
    const asked = await notifications.lastTextsAbout(tx, { userIds, kind: askedKind, phone });
    return ownerOfReply(
      owners.map(({ id, lastCheckinAt, lastCheckinType }) => ({
        userId: id,
        lastActivityMs: lastCheckinAt.getTime(),
        wasText: lastCheckinType === 'sms',
        textedAtMs: texts.get(id)?.getTime() ?? null,
        askedAboutAtMs: asked.get(id)?.getTime() ?? null,
      })),
      (await clock.now(tx)).getTime(),
    );
  }

  async function checkIn(tx: Executor, userId: string, origin: RequestOrigin): Promise<void> {
    if (!(await accounts.lockOwner(tx, userId))) return;
    const at = await clock.now(tx);
    await audit.record(tx, {
      userId,
      action: 'user.checked_in_by_text',
      resource: 'user',
      resourceId: userId,
      origin,
      at,
    });
    await notifications.noteTextAnswer(tx, { userId, answer: 'well', at });
    await accounts.recordActivity(tx, { userId, type: 'sms', at, origin });
  }

  /** Gives what to answer. What was signed once stays signed, so a text that comes again does nothing. */
  async function takeWell(tx: Executor, { phone, isNew, origin }: Taken): Promise<string> {
    const answered = await whoseReply(tx, phone);
    if (answered.userId === null) return uncountedTexts[answered.why];
    if (isNew) await checkIn(tx, answered.userId, origin);
    return replyTexts.well;
  }

  async function take(tx: Executor, text: Taken, body: string): Promise<string> {
    const reply = readReply(body);
    if (reply === 'well') return takeWell(tx, text);
    if (reply === 'stop' && text.isNew) await notifications.stopTexts(tx, text.phone, await clock.now(tx));
    if (reply === 'start' && text.isNew) await notifications.startTexts(tx, text.phone);
    return replyTexts[reply];
  }

  return {
    async receive({ fields, signature, path, origin }) {
      if (!replies?.isSigned({ signature: signature ?? '', url: `${baseUrl}${path}`, fields })) {
        throw new AppError('UNAUTHENTICATED', 'This was not signed by the service that carries our texts.');
      }
      const phone = one(fields.From);
      const id = one(fields.MessageSid);
      if (!isPhoneNumber(phone) || id === '') return replies.answer(null);

      const answer = await db.transaction(async (tx) => {
        const isNew = await notifications.isNewText(tx, id, await clock.now(tx));
        return take(tx, { phone, isNew, origin }, one(fields.Body));
      });
      // Where the provider keeps the list of those who want no texts itself, it has answered already.
      return replies.answer(one(fields.OptOutType) === '' ? answer : null);
    },
  };
}

/** A field that came twice says nothing we could trust. */
function one(value: string | string[] | undefined): string {
  return typeof value === 'string' ? value : '';
}
