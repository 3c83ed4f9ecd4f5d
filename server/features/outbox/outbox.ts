import type { App } from '#server/app.ts';
import type { Channel } from '#server/features/notifications/channels/channel.ts';
import { channelsThat } from '#server/features/notifications/channels/channels.ts';
import { unsealPayload } from '#server/features/notifications/notifications.payload.ts';
import { SealBrokenError } from '#server/platform/crypto/envelope.ts';
import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import { fillDays } from '#server/platform/mail/mail-day.ts';
import { notFound } from '#shared/contract/errors.ts';
import { findNotification, listNewest, type NotificationRow } from './outbox.repository.ts';
import { linksOf } from './outbox-links.rules.ts';

/** Message as the outbox shows it. */
export type OutboxEntry = {
  id: string;
  channel: Channel;
  kind: string;
  status: NotificationRow['status'];
  createdAt: Date;
  /** Earliest time of sending. */
  notBefore: Date;
  messageId: string;
  /** Address or number, with the name if there is one. */
  to: { address: string; name?: string | undefined };
  /** Empty for a text. */
  subject: string;
  text: string;
  /** Web addresses in the message, each once. */
  links: string[];
  /** Null for a text. */
  html: string | null;
};

const pageLength = 50;
/** Number of pages that can be read. */
export const outboxPagesMax = 200;

/**
 * True if this installation keeps mails or texts in the outbox, since it has no mail server or no SMS provider. If it has
 * both, there is no outbox, and sent messages can't be read.
 */
export function hasOutbox(app: App): boolean {
  return channelsThat('stay', app).length > 0;
}

/** Returns one page of the outbox, the newest message first. `page` counts from 1. */
export async function listOutbox(app: App, page: number): Promise<{ entries: OutboxEntry[]; hasOlder: boolean }> {
  const offset = (page - 1) * pageLength;
  const rows = await listNewest(app.db, { channels: channelsThat('stay', app), limit: pageLength + 1, offset });
  return {
    entries: rows.slice(0, pageLength).map((row) => entryOf(app.serviceKeys, row)),
    hasOlder: rows.length > pageLength && page < outboxPagesMax,
  };
}

/** @throws AppError `NOT_FOUND` if the message left this machine, or does not exist. */
export async function readOutbox(app: App, id: string): Promise<OutboxEntry> {
  const row = await findNotification(app.db, id);
  if (!row?.payload || !channelsThat('stay', app).includes(row.channel)) throw notFound();
  return entryOf(app.serviceKeys, row);
}

function entryOf(keys: ServiceKeys, row: NotificationRow): OutboxEntry {
  const { id, channel, kind, status, createdAt, notBefore, messageId } = row;
  const content = contentOf(keys, row);
  return { id, channel, kind, status, createdAt, notBefore, messageId, ...content, links: linksOf(content.text) };
}

type Content = Pick<OutboxEntry, 'to' | 'subject' | 'text' | 'html'>;

/** Stands for a row that no longer opens, so that it hides no other. */
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
    if (opened.channel !== 'email') return unreadable;
    const withDays = (words: string) => fillDays(words, acceptedAt ?? notBefore);
    const [subject, text, html] = [withDays(opened.subject), withDays(opened.text), withDays(opened.html)];
    return { to: opened.to, subject, text, html };
  } catch (error) {
    if (error instanceof SealBrokenError) return unreadable;
    throw error;
  }
}
