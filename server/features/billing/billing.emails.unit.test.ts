import { expect, test } from 'vitest';
import { plans } from '#shared/rules/plans.ts';
import { planEmail, refundEmail } from './billing.emails.ts';

const about = { to: { firstName: 'Sam' }, baseUrl: 'https://everkept.example' };

test('a refund in parts is told as what was given back in all', () => {
  const plan = { number: 7, plan: 'essential', term: 'monthly', amountPence: 499 } as const;
  const receipt = { ...plan, paidAt: new Date('2026-06-14T10:00:00Z'), card: null, isSandbox: false };
  const words = refundEmail({ ...about, receipt, refundedPence: 250 }).text.replace(/\s+/g, ' ');
  expect(words).toContain('In all, we have given back £2.50 of the payment below.');
});

test('what a plan has is a list, written as on the page of plans', () => {
  const { text } = planEmail({ ...about, plan: 'premium' });
  for (const point of plans.premium.salesPoints) expect(text).toContain(`- ${point}`);
});
