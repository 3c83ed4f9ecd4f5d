import type pg from 'pg';
import { shapeAdvice } from '#server/features/billing/verified-webhooks.ts';
import { type Finding, poor } from '#server/features/service-health/findings.rules.ts';
import type { ProviderName } from '#server/platform/payments/payments.ts';

type Unread = { provider: ProviderName; type: string; at: Date };

/** Kinds of events that a provider sent last in a shape that we can't read. No finding if there are none. */
export async function lookAtPaymentEvents(client: pg.Client): Promise<Finding[]> {
  const { rows } = await client.query<Unread>(`
    select provider, type, received_at as at from payment_events as unread
    where reason = 'shape' and not exists (
      select from payment_events as read
      where read.provider = unread.provider and read.type = unread.type and read.received_at > unread.received_at
        and read.reason is distinct from 'shape')
    order by type`);
  const unread = Map.groupBy(rows, ({ provider }) => provider);
  return [...unread].map(([provider, events]) => {
    const words = events.map(({ type, at }) => `${type} (last at ${at.toISOString()})`).join(', ');
    const found = `The content of these events of ${provider} could not be read: ${words}.`;
    return poor('payment events', `${found} What they say is not known here.`, shapeAdvice[provider]);
  });
}
