import type { Receipt } from '#server/features/bounces/bounces.service.ts';
import { openInstallation } from '#server/installation.ts';
import { reportBytesMax } from '#server/platform/mail/report-limits.ts';
import { loadSettings } from '#server/settings.ts';
import type { Command } from './command.ts';

const sentences: Record<Receipt, string> = {
  taken_back: 'A mail of ours has come back, and counts as accepted no more.',
  no_change: 'This is about a mail of ours of which nothing follows any more.',
  reply: 'This answers a reminder or a question of ours. It counts as no answer, and we recorded that it came.',
  not_ours: 'This is no report of a mail of ours that failed. Nothing was changed.',
};

export const bounceCommand: Command = {
  usage: ['bounce [--json]'],
  summary:
    'Takes one mail that came to the address where mails come back, from its standard input, as a mail server hands it to a pipe. Ends with 0 whatever ' +
    'the mail is, and with 1 where it could not be looked at: then hand it over again.',
  async run(_words, { json }) {
    const raw = await readMail();
    const installation = await openInstallation(loadSettings());
    try {
      const receipt = await installation.services.bounces.receive(raw);
      console.log(json ? JSON.stringify({ receipt }) : sentences[receipt]);
    } finally {
      await installation.close();
    }
  },
};

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
