import { afterAll, beforeAll, expect, test } from 'vitest';
import * as usual from '#server/features/billing/billing.emails.ts';
import * as ofReleases from '#server/features/billing/release-stops/release-stops.emails.ts';
import type { MailKind } from '#server/mails.ts';
import { type BarePages, createBarePages, isPage, linksIn } from '#tests/support/bare-pages.ts';
import { createEverkept, type Everkept } from '#tests/support/everkept.ts';
import { call } from '#tests/support/everkept-world.ts';
import { testBaseUrl } from '#tests/support/installation/test-settings.ts';

let everkept: Everkept;
let pages: BarePages;

beforeAll(async () => {
  pages = await createBarePages();
  everkept = await createEverkept({ distDir: pages.distDir });
});
afterAll(async () => {
  await everkept.close();
  await pages.remove();
});

const emails = { ...usual, ...ofReleases };

const about = { to: { firstName: 'Sam' }, plan: 'essential', baseUrl: testBaseUrl } as const;
const asked = { plan: 'premium', term: 'annual', amountPence: 9_999 } as const;
const [paidAt, until] = [new Date('2026-03-01'), new Date('2026-04-01')];
const receipt = { ...asked, number: 7, paidAt, card: { brand: 'visa', last4: '4242' }, isSandbox: true };

/** Every mail about plans and payments in each of its forms. A kind that is missing here does not compile. */
const written: Record<Extract<MailKind, `billing.${string}`>, readonly usual.Mail[]> = {
  'billing.receipt': [emails.receiptEmail({ ...about, receipt })],
  'billing.refund': [emails.refundEmail({ ...about, receipt, refundedPence: 500 })],
  'billing.waiting': [emails.waitingEmail({ ...about, email: 'sam@ashworth.example' })],
  'billing.voucher-waits': [emails.voucherWaitsEmail({ ...about, email: 'sam@ashworth.example' })],
  'billing.voucher-spent': [emails.voucherSpentEmail(about)],
  'billing.plan': [emails.planEmail(about)],
  'billing.past-due': [emails.pastDueEmail({ ...about, until })],
  'billing.lapsed': [emails.lapsedEmail(about)],
  'billing.ended': [emails.endedEmail(about), emails.endedAfterReleaseEmail(about)],
  'billing.cancelled': [emails.cancelledEmail({ ...about, endsAt: until })],
  'billing.left': [emails.leftEmail({ ...about, endsAt: until })],
  'billing.released': [emails.releasedEmail({ ...about, endsAt: until })],
  'billing.goes-on': [emails.goesOnEmail({ ...about, endsAt: until })],
  'billing.superseded': [emails.supersededEmail(about)],
  'billing.refused-change': [emails.refusedChangeEmail({ ...about, asked, endsAt: until })],
};

const forms = Object.entries(written).flatMap(([kind, mails]) => mails.map((mail) => [kind, mail] as const));

test.each(forms)('every address in the %s opens the page it is for', async (_, mail) => {
  const links = new Set(linksIn(mail.text));
  const inHtml = [...mail.html.matchAll(/href="(http[^"]+)"/g)].map(([, href]) =>
    (href ?? '').replaceAll('&amp;', '&'),
  );
  expect(new Set(inHtml)).toEqual(links);
  expect(links.size).toBeGreaterThan(0);
  for (const link of links) {
    const { origin, pathname, search } = new URL(link);
    expect([origin, isPage(pathname)]).toEqual([testBaseUrl, true]);
    const page = await call(everkept, { method: 'GET', url: pathname + search });
    expect([page.statusCode, page.body]).toEqual([200, pathname === '/' ? 'landing' : 'shell']);
  }
});
