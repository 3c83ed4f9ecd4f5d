/** Version of Stripe's API in which we call it, and whose webhooks we read. It is the version of the library. */
export const stripeApiVersion = '2026-10-28.endive';
