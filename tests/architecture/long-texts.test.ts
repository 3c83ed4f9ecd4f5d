import { expect, test } from 'vitest';
import { runInThread } from '#server/platform/threads/pool.ts';
import type { ThreadJob } from '#server/platform/threads/thread-job.ts';

/** Reading a text of 200,000 characters must not take a time that grows with its square. */

/** Linear rules take a second or two for all these texts, quadratic ones minutes, and exponential ones never end. */
const busyMs = 120_000;
const job: ThreadJob = {
  ...{ name: 'long texts', lane: 'import', busyMs },
  module: new URL('./long-texts.fixture.ts', import.meta.url),
};
const rules = [
  'shared/rules/names.ts',
  'shared/rules/letterhead/links.ts',
  'shared/rules/letters/paragraphs.ts',
  'shared/rules/addresses/mailboxes.ts',
  'shared/rules/addresses/written-address.ts',
  'shared/rules/addresses/written-phone.ts',
  'shared/rules/plain-lines.ts',
  'shared/text-ends.ts',
  'shared/rules/veiled-address.ts',
  'shared/rules/vouchers.ts',
  'server/features/outbox/outbox-links.rules.ts',
  'server/features/release-mail/text-replies.rules.ts',
  'server/platform/files/file-name.ts',
  'server/platform/mail/addresses.ts',
  'server/platform/mail/mail-codes.ts',
  'server/platform/mail/markup.ts',
];

test.each(rules)('%s reads long texts in linear time', { timeout: 3 * busyMs }, async (path) => {
  const input = { path: new URL(`../../${path}`, import.meta.url).href };
  expect(await runInThread(job, { input })).toBeInstanceOf(Array);
});
