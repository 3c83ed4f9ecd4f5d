import { type JobDeclaration, type Queue, wakeUpPolicy } from '#server/platform/queue/queue.ts';
import { bulkEmailJob } from './bulk-emails.service.ts';
import { bulkRoundMs } from './bulk-pace.rules.ts';
import type { BulkSender } from './bulk-sender.service.ts';

/** For the queue to know before it starts. */
export const adminJobs: readonly JobDeclaration[] = [{ name: bulkEmailJob, policy: wakeUpPolicy }];

type Log = { error(details: object, message: string): void };

/** Sends news when they were begun, and goes on with them in regular rounds. Gives what stops the rounds. */
export async function registerAdminJobs(queue: Queue, sender: BulkSender, log: Log): Promise<() => void> {
  await queue.work(bulkEmailJob, { batchSize: 1, pollingSeconds: 1 }, async () => {
    await sender.sendSome();
  });
  const timer = setInterval(() => {
    sender.sendSome().catch((err: unknown) => log.error({ err }, 'News could not be sent.'));
  }, bulkRoundMs);
  return () => clearInterval(timer);
}
