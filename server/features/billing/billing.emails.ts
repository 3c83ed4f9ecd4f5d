import { facts, html, isolate, letter, list } from '#server/platform/mail/letter.ts';
import { productName } from '#shared/product.ts';
import { plans } from '#shared/rules/plans.ts';
import type { BillingTerm, PaidPlanName } from '#shared/rules/prices.ts';
import { contentNoticeDays, undeliveredAfterPaymentMonths } from '#shared/rules/retention.ts';
import { inPounds, purchaseName, receiptNumber } from './billing.rules.ts';

export type Mail = { subject: string; html: string; text: string };

/** Recipient. The name is null if there is no account yet. */
type To = { firstName: string | null };
export type About = { to: To; plan: PaidPlanName; baseUrl: string };
type RefusedChange = About & {
  asked: { plan: PaidPlanName; term: BillingTerm; amountPence: number };
  endsAt: Date | null;
};

export const dateFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'Europe/London' });

/** The privacy policy promises a grace period for content above the Free plan, and a notice before it ends. */
export const nothingLost = [
  'Nothing is deleted or hidden now, and what you have written still goes to the people it is for. Above the limits of the Free plan you cannot add more.',
  `Anything above the limits of the Free plan is kept for ${undeliveredAfterPaymentMonths} months. We write to you ${contentNoticeDays} days before we delete any of it.`,
].join(' ');

export type Receipt = {
  number: number;
  plan: PaidPlanName;
  term: BillingTerm;
  amountPence: number;
  paidAt: Date;
  card: { brand: string; last4: string } | null;
  isSandbox: boolean;
};

/** The lines of a receipt, for the mail and for the document alike. */
export function receiptLines(receipt: Receipt): [label: string, value: string][] {
  return [
    ['Receipt', receiptNumber(receipt.number)],
    ['Date', dateFormat.format(receipt.paidAt)],
    ['For', `${productName} ${purchaseName(receipt.plan, receipt.term)}`],
    ['Paid', inPounds(receipt.amountPence)],
    ...(receipt.card ? [['With', cardName(receipt.card)] as [string, string]] : []),
  ];
}

/** For example `Visa ending 4242`. */
export function cardName({ brand, last4 }: { brand: string; last4: string }): string {
  return `${brand.charAt(0).toUpperCase()}${brand.slice(1)} ending ${last4}`;
}

export const sandboxNote = 'This came from the sandbox checkout: no money has moved.';

export function receiptEmail({ to, receipt, baseUrl }: { to: To; receipt: Receipt; baseUrl: string }): Mail {
  const parts = letter({
    greeting: greeting(to),
    paragraphs: [
      html`Thank you. This is your receipt.`,
      facts(receiptLines(receipt)),
      ...(receipt.isSandbox ? [html`${sandboxNote}`] : []),
    ],
    action: { label: 'See your plan and payments', url: `${baseUrl}/account` },
    reason: reasonOf,
    baseUrl,
  });
  return { subject: `Receipt ${receiptNumber(receipt.number)} for ${plans[receipt.plan].title}`, ...parts };
}

/** Sent to a buyer who has no account. */
export function waitingEmail({ to, plan, email, baseUrl }: About & { email: string }): Mail {
  const { title } = plans[plan];
  const parts = letter({
    greeting: greeting(to),
    paragraphs: [
      html`The ${title} plan is waiting for you. It belongs to this email address, ${isolate(email)}.`,
      html`Create an account with it, or confirm the address of the one you have, and the plan is yours at once.`,
    ],
    action: { label: 'Create your account', url: `${baseUrl}/register` },
    reason: reasonOf,
    baseUrl,
  });
  return { subject: `Your ${title} plan is waiting for your account`, ...parts };
}

/** To an address that a visitor typed with a voucher that leaves nothing to pay. */
export function voucherWaitsEmail({ to, plan, email, baseUrl }: About & { email: string }): Mail {
  const { title } = plans[plan];
  const parts = letter({
    greeting: greeting(to),
    paragraphs: [
      html`A voucher makes the ${title} plan free for this email address, ${isolate(email)}.`,
      html`The voucher is used when you create an account with this address and confirm it. If you have an account and no paid plan, it is used the next time you sign in. If it has no use left then, your plan does not change.`,
    ],
    action: { label: 'Create your account', url: `${baseUrl}/register` },
    reason: voucherReason,
    baseUrl,
  });
  return { subject: `Confirm your address to use your voucher for ${title}`, ...parts };
}

/** Sent if a voucher has no use left by the time its owner confirms the address. */
export function voucherSpentEmail({ to, plan, baseUrl }: About): Mail {
  const { title } = plans[plan];
  const parts = letter({
    greeting: greeting(to),
    paragraphs: [
      html`The voucher for the ${title} plan had no use left when you confirmed your email address or signed in. It was not used.`,
      html`Your plan has not changed, and nothing is charged. Everything you have written stays as it is.`,
    ],
    action: { label: 'See the plans', url: `${baseUrl}/subscribe?plan=${plan}` },
    reason: voucherReason,
    baseUrl,
  });
  return { subject: `Your voucher for ${title} had no use left`, ...parts };
}

/** Sent when a plan begins or replaces another. */
export function planEmail({ to, plan, baseUrl }: About): Mail {
  const { title, salesPoints } = plans[plan];
  const parts = letter({
    greeting: greeting(to),
    paragraphs: [html`Your account is on the ${title} plan now.`, html`It includes:`, list(salesPoints)],
    action: { label: 'Go to your vault', url: `${baseUrl}/` },
    reason: reasonOf,
    baseUrl,
  });
  return { subject: `You are on the ${title} plan`, ...parts };
}

/** On days 0, 3 and 6 after a payment failed. */
export function pastDueEmail({ to, plan, baseUrl, until }: About & { until: Date }): Mail {
  const { title } = plans[plan];
  const date = dateFormat.format(until);
  const parts = letter({
    greeting: greeting(to),
    paragraphs: [
      html`We could not take the payment for your ${title} plan. Cards run out, or a bank says no; it happens.`,
      html`Your plan goes on until ${date}. Please check your payment details before then.`,
      html`If it is not paid by then, your account goes to the Free plan. ${nothingLost}`,
    ],
    action: { label: 'Check your payment details', url: `${baseUrl}/account` },
    reason: reasonOf,
    baseUrl,
  });
  return { subject: `Your payment for ${title} did not go through`, ...parts };
}

export function lapsedEmail({ to, plan, baseUrl }: About): Mail {
  const { title } = plans[plan];
  const parts = letter({
    greeting: greeting(to),
    paragraphs: [html`Your ${title} plan has ended, because it is not paid for. ${nothingLost}`],
    action: { label: 'Choose a plan again', url: `${baseUrl}/subscribe?plan=${plan}` },
    reason: reasonOf,
    baseUrl,
  });
  return { subject: `Your ${title} plan has ended`, ...parts };
}

export function endedEmail({ to, plan, baseUrl }: About): Mail {
  const { title } = plans[plan];
  const parts = letter({
    greeting: greeting(to),
    paragraphs: [html`Your ${title} plan has ended, as you asked. Nothing more is charged. ${nothingLost}`],
    action: { label: 'See your account', url: `${baseUrl}/account` },
    reason: reasonOf,
    baseUrl,
  });
  return { subject: `Your ${title} plan has ended`, ...parts };
}

export function cancelledEmail({ to, plan, baseUrl, endsAt }: About & { endsAt: Date | null }): Mail {
  const { title } = plans[plan];
  const when = endsAt ? html`It goes on until ${dateFormat.format(endsAt)}.` : html`It ends today.`;
  const parts = letter({
    greeting: greeting(to),
    paragraphs: [
      html`You have cancelled your ${title} plan. Nothing more is charged. ${when}`,
      html`Until then you can undo this on your account page.`,
    ],
    action: { label: 'See your account', url: `${baseUrl}/account` },
    reason: reasonOf,
    baseUrl,
  });
  return { subject: `You have cancelled your ${title} plan`, ...parts };
}

/** Sent when an owner deletes the account and the plan would still be charged. */
export function leftEmail({ to, plan, baseUrl, endsAt }: About & { endsAt: Date | null }): Mail {
  const { title } = plans[plan];
  const until = endsAt ? html` It is paid until ${dateFormat.format(endsAt)}.` : '';
  const parts = letter({
    greeting: greeting(to),
    paragraphs: [
      html`Your account is being deleted, so we have cancelled your ${title} plan. Nothing more is charged.${until}`,
      html`If you restore your account before the plan ends, you can keep the plan: choose Keep my plan under Account & Billing. We will not start it again for you.`,
    ],
    action: { label: 'Sign in to keep my account', url: `${baseUrl}/login` },
    reason: reasonOf,
    baseUrl,
  });
  return { subject: `Your ${title} plan is cancelled`, ...parts };
}

/** Sent when a newer purchase replaces one that is still being charged. */
export function supersededEmail({ to, plan, baseUrl }: About): Mail {
  const { title } = plans[plan];
  const parts = letter({
    greeting: greeting(to),
    paragraphs: [
      html`You have bought another plan, so we have cancelled the ${title} plan you had. You are not charged for both.`,
    ],
    action: { label: 'See your plan and payments', url: `${baseUrl}/account` },
    reason: reasonOf,
    baseUrl,
  });
  return { subject: `Your earlier ${title} plan is cancelled`, ...parts };
}

/** Sent when the owner agreed at PayPal after the last use of the voucher for the new price. */
export function refusedChangeEmail({ to, plan, baseUrl, asked, endsAt }: RefusedChange): Mail {
  const { title } = plans[plan];
  const until = endsAt
    ? html` What you have paid for stays: you have ${title} until ${dateFormat.format(endsAt)}.`
    : '';
  const name = purchaseName(asked.plan, asked.term);
  const parts = letter({
    greeting: greeting(to),
    paragraphs: [
      html`You agreed at PayPal to pay ${inPounds(asked.amountPence)} for ${name}. By then the voucher behind that price had no use left.`,
      html`We do not charge a price that you were not shown, so we have told PayPal to charge nothing more.${until}`,
      html`To go on, choose a plan again. A plan that you choose now is charged at once; you can also wait until this one ends.`,
    ],
    action: { label: 'Choose a plan again', url: `${baseUrl}/subscribe?plan=${asked.plan}` },
    reason: reasonOf,
    baseUrl,
  });
  return { subject: `Your change to ${name} was not made`, ...parts };
}

/** `refundedPence` is the total of all refunds of this payment. */
export function refundEmail(mail: { to: To; receipt: Receipt; refundedPence: number; baseUrl: string }): Mail {
  const { to, receipt, refundedPence, baseUrl } = mail;
  const parts = letter({
    greeting: greeting(to),
    paragraphs: [
      html`In all, we have refunded ${inPounds(refundedPence)} of the payment below. It can take some days until your bank shows it.`,
      facts(receiptLines(receipt)),
    ],
    action: { label: 'See your plan and payments', url: `${baseUrl}/account` },
    reason: reasonOf,
    baseUrl,
  });
  return { subject: `A refund for receipt ${receiptNumber(receipt.number)}`, ...parts };
}

export function greeting({ firstName }: To) {
  return firstName ? html`Hello ${isolate(firstName)},` : 'Hello,';
}

export const reasonOf = html`You get this because a plan of ${productName} was bought for this address. If it was not you, reply to this email.`;

const voucherReason = html`You get this because a voucher for ${productName} was used with this address. If it was not you, there is nothing to do.`;
