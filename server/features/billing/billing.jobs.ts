import { type JobDeclaration, type Queue, wakeUpPolicy } from '#server/platform/queue/queue.ts';
import type { Billing } from './billing.service.ts';
import { eventJob } from './payment-events.service.ts';

/** For the queue to declare. */
export const billingJobs: readonly JobDeclaration[] = [{ name: eventJob, policy: wakeUpPolicy }];

const wake = { batchSize: 50, pollingSeconds: 1 };

/** Reads what a provider has told as soon as it is stored. What a lost job missed is found by the worker's round. */
export async function registerBillingJobs(queue: Queue, billing: Pick<Billing, 'workDue'>): Promise<void> {
  await queue.work(eventJob, wake, async () => void (await billing.workDue()));
}
