import { eq, sql } from 'drizzle-orm';
import type { Database } from '#server/platform/db/database.ts';
import { documents } from '#server/schema/documents.tables.ts';
import { fileObjects } from '#server/schema/files.tables.ts';
import { messageEnclosures, messages } from '#server/schema/messages.tables.ts';
import { dayMs } from '#shared/rules/inactivity.ts';

/** Two documents, and an attachment and a voice of a message that stays: only the newer document fits in the free megabyte. */
export async function addMoreThanFreeHolds(db: Database, userId: string): Promise<void> {
  const file = async () => {
    const path = crypto.randomUUID();
    await db.insert(fileObjects).values({ path, createdAt: new Date() });
    return path;
  };
  const words = { userId, name: 'sealed', fileName: 'sealed', category: 'legal', mimeType: 'text/plain' } as const;
  for (const [index, sizeBytes] of [700_000, 600_000].entries()) {
    const changedAt = new Date(Date.now() - (index + 1) * dayMs);
    const stored = { filePath: await file(), fileSize: sizeBytes, updatedAt: changedAt };
    await db.insert(documents).values({ ...words, id: crypto.randomUUID(), ...stored });
  }
  const lastReady = sql`(select id from messages where user_id = ${userId} and status = 'ready' order by updated_at desc limit 1)`;
  await db.insert(messageEnclosures).values({
    ...{ id: crypto.randomUUID(), userId, messageId: sql`${lastReady}`, kind: 'voice', position: 1 },
    ...{ caption: 'sealed', transcript: 'sealed', fileName: 'sealed', mimeType: 'audio/wav' },
    ...{ filePath: await file(), fileSize: 1_050_000, createdAt: new Date() },
  });
  await db
    .update(messages)
    .set({
      hasAttachment: true,
      attachmentPath: await file(),
      attachmentOriginalName: 'sealed',
      attachmentSize: 1_100_000,
      attachmentMimeType: 'text/plain',
    })
    .where(eq(messages.id, lastReady));
}
