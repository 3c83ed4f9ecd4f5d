/** Versions of the API that an endpoint of webhooks may have been made with. */
export type StripeShape = 'present' | 'before 2025-03-31' | 'before 2023-06-29';

/** https://docs.stripe.com/changelog/basil: where an invoice named its subscription, and a subscription its period. */
export function olderShapeOf(object: object, shape: StripeShape): object {
  if ('items' in object) {
    const { items, ...rest } = object as { items: { data: { current_period_end: number }[] } };
    const data = items.data.map(({ current_period_end: _, ...item }) => item);
    return { ...rest, current_period_end: items.data[0]?.current_period_end, items: { object: 'list', data } };
  }
  if (!('parent' in object)) return object;
  const { parent, ...rest } = object as {
    parent: { subscription_details: { subscription: string; metadata: object } };
  };
  const { subscription, metadata } = parent.subscription_details;
  return { ...rest, subscription, ...(shape === 'before 2025-03-31' ? { subscription_details: { metadata } } : {}) };
}
