import { type JobDeclaration, type Queue, wakeUpPolicy } from '#server/platform/queue/queue.ts';
import { type Notifications, sendJob } from './notifications.service.ts';

/** For the queue to know before it starts. */
export const notificationJobs: readonly JobDeclaration[] = [{ name: sendJob, policy: wakeUpPolicy }];

/** Wake-ups taken at once: one call of `dispatchDue` serves them all. */
const wakeUpsAtOnce = 200;
const pollingSeconds = 1;

/**
 * Sends when something was written. What is for later, what is to be tried again and what a lost wake-up left behind
 * is found by the worker's regular call of `dispatchDue`.
 */
export async function registerNotificationJobs(
  queue: Queue,
  notifications: Pick<Notifications, 'dispatchDue'>,
): Promise<void> {
  await queue.work(sendJob, { batchSize: wakeUpsAtOnce, pollingSeconds }, async () => {
    await notifications.dispatchDue();
  });
}
