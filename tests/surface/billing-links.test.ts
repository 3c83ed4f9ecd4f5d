import { afterAll, beforeAll, expect, test } from 'vitest';
import * as usual from '#server/features/billing/billing.emails.ts';
import * as ofReleases from '#server/features/billing/release-stops/release-stops.emails.ts';
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

/** A mail of each kind there is about plans and payments: one that is missing here does not compile. */
const written: Record<Extract<keyof typeof emails, `${string}Email`>, usual.Mail> = {
  receiptEmail: emails.receiptEmail({ ...about, receipt }),
  refundEmail: emails.refundEmail({ ...about, receipt, refundedPence: 500 }),
  waitingEmail: emails.waitingEmail({ ...about, email: 'sam@ashworth.example' }),
  voucherWaitsEmail: emails.voucherWaitsEmail({ ...about, email: 'sam@ashworth.example' }),
  voucherSpentEmail: emails.voucherSpentEmail(about),
  planEmail: emails.planEmail(about),
  pastDueEmail: emails.pastDueEmail({ ...about, until }),
  lapsedEmail: emails.lapsedEmail(about),
  endedEmail: emails.endedEmail(about),
  cancelledEmail: emails.cancelledEmail({ ...about, endsAt: until }),
  leftEmail: emails.leftEmail({ ...about, endsAt: until }),
  releasedEmail: emails.releasedEmail({ ...about, endsAt: until }),
  goesOnEmail: emails.goesOnEmail({ ...about, endsAt: until }),
  endedAfterReleaseEmail: emails.endedAfterReleaseEmail(about),
  supersededEmail: emails.supersededEmail(about),
  refusedChangeEmail: emails.refusedChangeEmail({ ...about, asked, endsAt: until }),
};

test.each(Object.entries(written))('every address in the %s opens the page it is for', async (_, mail) => {
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
