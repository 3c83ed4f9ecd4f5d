import { expect, test } from 'vitest';
import { plans } from '#shared/rules/plans.ts';
import { planEmail, refundEmail } from './billing.emails.ts';

const about = { to: { firstName: 'Sam' }, baseUrl: 'https://everkept.example' };

test('several partial refunds are reported as one total', () => {
  const plan = { number: 7, plan: 'essential', term: 'monthly', amountPence: 499 } as const;
  const receipt = { ...plan, paidAt: new Date('2026-06-14T10:00:00Z'), card: null, isSandbox: false };
  const words = refundEmail({ ...about, receipt, refundedPence: 250 }).text.replace(/\s+/g, ' ');
  expect(words).toContain('In all, we have refunded £2.50 of the payment below.');
});

test('the contents of a plan are a list, worded as on the plans page', () => {
  const { text } = planEmail({ ...about, plan: 'premium' });
  for (const point of plans.premium.salesPoints) expect(text).toContain(`- ${point}`);
});
