import { createHash } from 'node:crypto';
import type { App } from '#server/app.ts';
import { type Receipt, receiveReturnedMail } from '#server/features/bounces/returned-mail.ts';
import { tellOfUnreadMail } from '#server/features/bounces/unread-mail.ts';
import { openInstallation } from '#server/installation.ts';
import { reportBytesMax } from '#server/platform/mail/report-limits.ts';
import { loadSettings } from '#server/settings.ts';
import type { Command } from './command.ts';

const sentences: Record<Receipt, string> = {
  taken_back: 'One of our mails came back, and no longer counts as accepted.',
  no_change: 'This is about one of our mails that no longer has any effect.',
  reply:
    'This is a reply to a reminder or a question of ours. It does not count as an answer. We recorded that it came.',
  not_ours: 'This does not report that one of our mails failed. Nothing was changed.',
  too_costly: 'This mail needs more time or memory to read than a report may have. Nothing was changed.',
};

export const bounceCommand: Command = {
  usage: ['bounce [--json]'],
  summary:
    'Reads one mail to the bounce address from standard input, as a mail server pipes it. Exits with 0 for any mail that it ' +
    'could read, and with 1 if it failed: then pipe the mail again.',
  async run(_words, { json }) {
    const raw = await readMail();
    const installation = await openInstallation(loadSettings());
    try {
      const receipt = await receiveReturnedMail(installation, raw);
      if (receipt === 'too_costly') await tellOperator(installation, raw);
      console.log(json ? JSON.stringify({ receipt }) : sentences[receipt]);
    } finally {
      await installation.close();
    }
  },
};

/** A mail server hands the mail over, so no person reads the sentence of this command. */
async function tellOperator(app: App, raw: Buffer): Promise<void> {
  const key = createHash('sha256').update(raw).digest('base64url');
  await tellOfUnreadMail(app, { why: 'too_costly', uid: null }, key);
}

/** Reads to the end, since a mail server whose pipe closes early takes that for a failure, and keeps the beginning. */
async function readMail(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    if (length < reportBytesMax) chunks.push(chunk);
    length += chunk.length;
  }
  return Buffer.concat(chunks).subarray(0, reportBytesMax);
}
