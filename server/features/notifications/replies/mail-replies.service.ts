import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import { SealBrokenError } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { findBounced } from '../bounces.repository.ts';
import { unsealPayload } from '../notifications.payload.ts';
import { countWritten, findAccepted, findNewestReplies, storeReply } from './mail-replies.repository.ts';

/** An accepted mail of ours that an email answers. */
export type AnsweredMail = {
  id: string;
  kind: string;
  userId: string;
  contactId: string | null;
  notice: number | null;
  writtenAt: Date;
  /** Null once the payload of the mail is deleted. */
  to: { address: string; name?: string | undefined } | null;
};

/** Emails that answer mails of ours. */
export type MailReplies = {
  /** The accepted mail to an owner, or about one, that a return path or a Message-ID names. */
  answeredMail(executor: Executor, named: { key: string; series: number | null }): Promise<AnsweredMail | null>;
  /** Records that an answer came. False if one came before. */
  noteReply(tx: Executor, mailId: string, at: Date): Promise<boolean>;
  /** Time of the newest reply to a mail of these kinds, per owner. */
  newestReplies(
    executor: Executor,
    asked: { userIds: readonly string[]; kinds: readonly string[] },
  ): Promise<ReadonlyMap<string, Date>>;
  /** Number of messages of these kinds about an owner since then. */
  writtenSince(executor: Executor, of: { owner: string; kinds: readonly string[]; since: Date }): Promise<number>;
};

export function createMailReplies(keys: ServiceKeys): MailReplies {
  function recipientOf(id: string, payload: Buffer | null): AnsweredMail['to'] {
    try {
      const opened = payload && unsealPayload(keys, id, payload);
      return opened?.channel === 'email' ? opened.to : null;
    } catch (error) {
      if (error instanceof SealBrokenError) return null;
      throw error;
    }
  }

  return {
    async answeredMail(executor, named) {
      const found = await findBounced(executor, named);
      const row = found && (await findAccepted(executor, found.id));
      if (!row?.userId) return null;
      const { id, kind, userId, contactId, notice, payload, createdAt } = row;
      return { id, kind, userId, contactId, notice, writtenAt: createdAt, to: recipientOf(id, payload) };
    },
    noteReply: storeReply,
    newestReplies: findNewestReplies,
    writtenSince: countWritten,
  };
}
