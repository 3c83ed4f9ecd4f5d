import { unsealPayload } from '#server/features/notifications/notifications.payload.ts';
import { SealBrokenError } from '#server/platform/crypto/envelope.ts';
import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import type { Database } from '#server/platform/db/database.ts';
import { fillDays } from '#server/platform/mail/mail-day.ts';
import type { Mailer } from '#server/platform/mail/mailer.ts';
import type { Texter } from '#server/platform/sms/texter.ts';
import { notFound } from '#shared/contract/errors.ts';
import { findNotification, listNewest, type NotificationRow } from './outbox.repository.ts';
import { linksOf } from './outbox-links.rules.ts';

/** One message as the outbox shows it. */
export type OutboxEntry = {
  id: string;
  channel: 'email' | 'sms';
  kind: string;
  status: NotificationRow['status'];
  createdAt: Date;
  /** Not sent earlier than this. */
  notBefore: Date;
  messageId: string;
  /** Address or number, with the name where there is one. */
  to: { address: string; name?: string | undefined };
  /** Empty for a text. */
  subject: string;
  text: string;
  /** The web addresses in it, each once. */
  links: string[];
  /** Null for a text. */
  html: string | null;
};

export type Outbox = {
  /** One page, newest first. `page` counts from 1. */
  list(page: number): Promise<{ entries: OutboxEntry[]; hasOlder: boolean }>;
  /** Throws NOT_FOUND for what is not, or not only, in the outbox. */
  read(id: string): Promise<OutboxEntry>;
};

export type OutboxOptions = {
  db: Database;
  serviceKeys: ServiceKeys;
  mailer: Pick<Mailer, 'kind'>;
  texter: Pick<Texter, 'kind'>;
};

const pageLength = 50;
/** Further back than this nobody turns the pages. */
export const outboxPagesMax = 200;

/**
 * Reads what an installation without mail server or without SMS provider would have sent. Null when both are real:
 * then there is no outbox, and what was sent to people is nobody's to read.
 */
export function createOutbox({ db, serviceKeys, mailer, texter }: OutboxOptions): Outbox | null {
  const channels = [
    ...(mailer.kind === 'outbox' ? (['email'] as const) : []),
    ...(texter.kind === 'outbox' ? (['sms'] as const) : []),
  ];
  if (channels.length === 0) return null;

  return {
    list: async (page) => {
      const offset = (page - 1) * pageLength;
      const rows = await listNewest(db, { channels, limit: pageLength + 1, offset });
      return {
        entries: rows.slice(0, pageLength).map((row) => entryOf(serviceKeys, row)),
        hasOlder: rows.length > pageLength && page < outboxPagesMax,
      };
    },
    read: async (id) => {
      const row = await findNotification(db, id);
      if (!row?.payload || !channels.some((channel) => channel === row.channel)) throw notFound();
      return entryOf(serviceKeys, row);
    },
  };
}

function entryOf(keys: ServiceKeys, row: NotificationRow): OutboxEntry {
  const { id, channel, kind, status, createdAt, notBefore, messageId } = row;
  const content = contentOf(keys, row);
  return { id, channel, kind, status, createdAt, notBefore, messageId, ...content, links: linksOf(content.text) };
}

type Content = Pick<OutboxEntry, 'to' | 'subject' | 'text' | 'html'>;

/** One row that no longer opens must not hide the others. */
const unreadable: Content = {
  to: { address: '' },
  subject: 'This message could not be opened',
  text: 'What is stored for this message no longer matches its seal.',
  html: null,
};

function contentOf(keys: ServiceKeys, { id, payload, acceptedAt, notBefore }: NotificationRow): Content {
  if (!payload) return unreadable;
  try {
    const opened = unsealPayload(keys, id, payload);
    if (opened.channel === 'sms') return { to: { address: opened.phone }, subject: '', text: opened.text, html: null };
    const withDays = (words: string) => fillDays(words, acceptedAt ?? notBefore);
    const [subject, text, html] = [withDays(opened.subject), withDays(opened.text), withDays(opened.html)];
    return { to: opened.to, subject, text, html };
  } catch (error) {
    if (error instanceof SealBrokenError) return unreadable;
    throw error;
  }
}
