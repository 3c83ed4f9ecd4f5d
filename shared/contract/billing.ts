import { z } from 'zod';
import { email, id, instant, messageAnswer, okAnswer, requiredText, tokenParams } from '#shared/contract/fields.ts';
import { defineRoute } from '#shared/contract/route.ts';
import { planNames } from '#shared/rules/plans.ts';
import { billingCycles, billingTerms, paidPlanNames, recurringPlanNames } from '#shared/rules/prices.ts';
import { discountTypes, normalizedCode, voucherCodeLengthMax } from '#shared/rules/vouchers.ts';

/** Payment providers. The sandbox moves no money, and exists only if no other provider is configured. */
export const paymentProviderNames = ['stripe', 'paypal', 'sandbox'] as const;
export type PaymentProviderName = (typeof paymentProviderNames)[number];
const providerName = z.enum(paymentProviderNames);

/**
 * `none`: nothing was ever bought. `active`: paid up. `past_due`: a payment failed; the plan continues until
 * `graceUntil`. `cancelled`: ended by a cancellation. `lapsed`: unpaid or refunded.
 */
export const billingStatuses = ['none', 'active', 'past_due', 'cancelled', 'lapsed'] as const;
export type BillingStatus = (typeof billingStatuses)[number];

/** `disputed`: the bank asks for it back; `lost`: the bank took it back. */
export const paymentStatuses = ['paid', 'partly_refunded', 'refunded', 'disputed', 'lost'] as const;
export type PaymentStatus = (typeof paymentStatuses)[number];

const pence = z.int();
/** As the provider says it: a brand such as `visa`, and the last four digits of the number. */
const card = z.object({ brand: z.string(), last4: z.string() });

export const paymentSchema = z
  .object({
    id,
    /** On the receipt, such as `EK-000123`. */
    number: z.string(),
    paidAt: instant,
    amountPence: pence,
    refundedPence: pence,
    status: z.enum(paymentStatuses),
    plan: z.enum(planNames),
    term: z.enum(billingTerms),
    provider: providerName,
    card: card.nullable(),
  })
  .meta({ id: 'Payment' });

export type Payment = z.input<typeof paymentSchema>;

export const billingSchema = z
  .object({
    plan: z.enum(planNames),
    status: z.enum(billingStatuses),
    /** Term of the present purchase; null if the plan was not bought. */
    term: z.enum(billingTerms).nullable(),
    /** `voucher` where a voucher made it free; null where nothing was bought. */
    provider: z.enum([...paymentProviderNames, 'voucher']).nullable(),
    /** Amount of each payment for the present plan. */
    pricePence: pence.nullable(),
    /** Time when the next payment is taken; null if none is to come. */
    nextPaymentAt: instant.nullable(),
    /** Plan or term that the owner agreed to, which starts with the next payment; null if nothing changes. */
    nextChange: z.object({ plan: z.enum(planNames), term: z.enum(billingTerms), pricePence: pence }).nullable(),
    /** Agreed change that was dropped because its voucher was used up by then; null if there is none. */
    refusedChange: z.object({ plan: z.enum(planNames), term: z.enum(billingTerms), pricePence: pence }).nullable(),
    /** Time when the plan ends, where it was cancelled; null if it goes on. */
    endsAt: instant.nullable(),
    cancelAtPeriodEnd: z.boolean(),
    /** True if a release ended the renewal, and not the owner. */
    isEndedByRelease: z.boolean(),
    graceUntil: instant.nullable(),
    card: card.nullable(),
    /** True if a checkout was begun within the hour whose outcome the provider has not told yet: worth asking again. */
    isAwaitingPayment: z.boolean(),
    /** Actions that are possible now. Any other is answered with 409. */
    can: z.object({ cancel: z.boolean(), resume: z.boolean(), change: z.boolean(), changeCard: z.boolean() }),
    /** Payment providers here, the usual one first; `sandbox` alone if no money moves. */
    providers: z.array(providerName),
    /** The newest first, at most a hundred. */
    payments: z.array(paymentSchema),
  })
  .meta({ id: 'Billing' });

export type Billing = z.input<typeof billingSchema>;

export const getBilling = defineRoute({
  method: 'GET',
  path: '/api/billing',
  access: 'session',
  summary: 'The plan of the signed-in owner as it is paid for, and the payments so far',
  answer: billingSchema,
});

export const getReceipt = defineRoute({
  method: 'GET',
  path: '/api/billing/payments/:id/receipt',
  access: 'session',
  summary: 'The receipt of a payment, as a PDF',
  params: z.object({ id }),
  answersFile: true,
});

export const getPaymentProviders = defineRoute({
  method: 'GET',
  path: '/api/payments/providers',
  access: 'public',
  summary: 'Who takes money here, the usual one first; the sandbox alone where no money moves',
  answer: z.array(providerName),
});

const voucherCode = requiredText(voucherCodeLengthMax, 'Enter a voucher code').transform(normalizedCode);

/** Refusals: 404 where there is no such voucher, 409 where it is not for now or not for this person any more. */
export const validateVoucher = defineRoute({
  method: 'POST',
  path: '/api/vouchers/validate',
  access: 'public',
  summary: 'Whether a voucher can be used, and what it takes off; looking does not use it',
  body: z.object({ code: voucherCode }),
  answer: z.object({ code: z.string(), discountType: z.enum(discountTypes), discountValue: z.number() }),
  ratePerMinute: 20,
});

/** With `paymentUrl` the browser leaves to it, another page of ours or the provider's; otherwise it is done, or begun. */
export const checkoutAnswer = z.object({ paymentUrl: z.string().optional(), message: z.string().optional() });

/** In pounds, as the page shows it; the server works it out again, and a different figure is 409. */
const finalPrice = z.number('Invalid input');

export const createSubscription = defineRoute({
  method: 'POST',
  path: '/api/subscriptions/create',
  access: 'public',
  summary: 'Begin to pay for a plan. Signed out it is bound to the address, and given to its verified account',
  body: z.object({
    plan: z.enum(paidPlanNames),
    /** Ignored for a plan that is sold once. */
    billingCycle: z.enum(billingCycles),
    voucherCode: voucherCode.nullish(),
    finalPrice,
    /** Required of visitors, whatever the price. For a signed-in person the account's address is used. */
    email: z
      .union([email, z.literal('').transform(() => null)])
      .nullish()
      .transform((value) => value ?? null),
    /** The usual one where it is left out. */
    provider: providerName.optional(),
  }),
  answer: checkoutAnswer,
  ratePerMinute: 20,
});

export const cancelSubscription = defineRoute({
  method: 'POST',
  path: '/api/subscriptions/cancel',
  access: 'session',
  summary: 'End the plan with the time that is paid for',
  answer: messageAnswer,
});

export const resumeSubscription = defineRoute({
  method: 'POST',
  path: '/api/subscriptions/resume',
  access: 'session',
  summary: 'Take a cancellation back, until the plan has ended',
  answer: messageAnswer,
});

export const changeSubscription = defineRoute({
  method: 'POST',
  path: '/api/subscriptions/change',
  access: 'session',
  summary: 'Change a plan that is paid for: up, down, or between month and year',
  body: z.object({ plan: z.enum(recurringPlanNames), billingCycle: z.enum(billingCycles), finalPrice }),
  answer: checkoutAnswer,
});

export const changeCard = defineRoute({
  method: 'POST',
  path: '/api/subscriptions/card',
  access: 'session',
  summary: 'Where another card can be given, at the provider',
  answer: z.object({ paymentUrl: z.string() }),
});

/** Cards of the sandbox, and how they behave. */
export const sandboxCards = ['pays', 'declined', 'stops'] as const;
export type SandboxCard = (typeof sandboxCards)[number];

export const getSandboxCheckout = defineRoute({
  method: 'GET',
  path: '/api/payments/sandbox/:token',
  access: 'token',
  summary: 'What the sandbox checkout at /checkout/:token shows; 404 with a real provider',
  params: tokenParams,
  answer: z.object({
    purpose: z.enum(['payment', 'card']),
    /** An `expired` one cannot be paid any more. */
    status: z.enum(['open', 'paid', 'expired']),
    plan: z.enum(planNames),
    term: z.enum(billingTerms),
    listPricePence: pence,
    /** Amount to pay. */
    amountPence: pence,
    email: z.string(),
    expiresAt: instant,
    cards: z.array(z.object({ card: z.enum(sandboxCards), brand: z.string(), last4: z.string(), label: z.string() })),
    /** Page that "back" leads to, without payment. */
    backTo: z.string(),
  }),
  ratePerMinute: 30,
});

export const processPayment = defineRoute({
  method: 'POST',
  path: '/api/payments/process',
  access: 'public',
  summary: 'Press Pay in the sandbox checkout; no money moves. A declined card is 409; 404 with a real provider',
  body: z.object({ checkout: tokenParams.shape.token, card: z.enum(sandboxCards) }),
  answer: messageAnswer.extend({ redirectTo: z.string() }),
  ratePerMinute: 60,
});

const received = z.object({ received: z.literal(true) });
/** Per address. A provider posts from few addresses, in bursts. */
const webhooksPerMinute = 6_000;

export const stripeWebhook = defineRoute({
  method: 'POST',
  path: '/api/webhooks/stripe',
  access: 'public',
  summary:
    'What Stripe tells: signed, stored before anything is done with it; 401 for a signature that is not good, 400 for a content that cannot be read',
  rawBody: true,
  answer: received,
  ratePerMinute: webhooksPerMinute,
});

export const paypalWebhook = defineRoute({
  method: 'POST',
  path: '/api/webhooks/paypal',
  access: 'public',
  summary:
    'What PayPal tells: signed, stored before anything is done with it; 401 for a signature that is not good, 400 for a content that cannot be read',
  rawBody: true,
  answer: received,
  ratePerMinute: webhooksPerMinute,
});

export const sandboxWebhook = defineRoute({
  method: 'POST',
  path: '/api/webhooks/sandbox',
  access: 'public',
  summary: 'What the sandbox tells, signed like the others; 404 with a real provider',
  rawBody: true,
  answer: received,
  ratePerMinute: webhooksPerMinute,
});

/** Called by the page that leads the account to the plan that was chosen at registration. A second time changes nothing. */
export const notePlanOffered = defineRoute({
  method: 'POST',
  path: '/api/user/plan-offered',
  access: 'session',
  summary: 'Note that the account was led to the plan it chose at registration',
  answer: okAnswer,
});
