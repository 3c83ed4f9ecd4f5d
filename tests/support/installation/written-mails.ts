import { asc, eq } from 'drizzle-orm';
import type { App } from '#server/app.ts';
import { unsealPayload } from '#server/features/notifications/notifications.payload.ts';
import { notifications } from '#server/schema/notifications.tables.ts';

/** Mail as a use case wrote it. */
export type WrittenMail = {
  kind: string;
  userId: string | null;
  to: { address: string };
  mail: { subject: string; html: string; text: string };
};

/** Returns a function that adds the mails stored since its last call to `mails`. Rows that are gone meanwhile stay listed. */
export function readWrittenMails({ db, serviceKeys }: App, mails: WrittenMail[]): () => Promise<void> {
  const seen = new Set<string>();
  return async () => {
    const rows = await db
      .select()
      .from(notifications)
      .where(eq(notifications.channel, 'email'))
      .orderBy(asc(notifications.createdAt));
    for (const { id, kind, userId, payload } of rows) {
      if (seen.has(id) || !payload) continue;
      seen.add(id);
      const written = unsealPayload(serviceKeys, id, payload);
      if (written.channel !== 'email') continue;
      const { to, subject, html, text } = written;
      mails.push({ kind, userId, to, mail: { subject, html, text } });
    }
  };
}
