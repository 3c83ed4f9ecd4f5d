import { readFile } from 'node:fs/promises';
import type { Locator, Page } from '@playwright/test';
import { withDatabaseOf } from '#tests/support/visitor.ts';
import type { Installation } from './support/installation.ts';
import { acceptInvitation, addContact, followLink, settle } from './support/people.ts';
import { expect, expectToast, expectWellMade, test } from './support/test.ts';

type Upload = { name: string; mimeType: string; buffer: Buffer };

const pdf: Upload = {
  name: 'house insurance.pdf',
  mimeType: 'application/pdf',
  buffer: Buffer.concat([Buffer.from('%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF\n'), Buffer.alloc(300_000, 32)]),
};

const bytesASecond = 400_000;

/** Grants a plan as a payment would. */
const grant = (site: Installation, plan: string) =>
  withDatabaseOf(site.dataDir, (client) => client.query('update users set plan = $1', [plan]));

async function choose(page: Page, file: Upload): Promise<void> {
  await page.getByRole('button', { name: 'Upload Document' }).click();
  await page.getByLabel('File *').setInputFiles(file);
}

async function downloaded(page: Page, link: string | RegExp): Promise<{ name: string; bytes: Buffer }> {
  const waiting = page.waitForEvent('download');
  await page.getByRole('link', { name: link }).click();
  const download = await waiting;
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}

test('documents are stored, downloaded byte for byte, changed and deleted', async ({ page, site }) => {
  test.slow();
  await settle(page, site);
  await page.goto(`${site.url}/documents`);
  await expect(
    page.getByText('The document vault is available with Essential, Premium and Lifetime plans.'),
  ).toBeVisible();
  await grant(site, 'essential');
  await page.reload();
  await expect(page.getByText('No documents yet')).toBeVisible();

  await choose(page, pdf);
  await expect(page.getByLabel('Document Name *')).toHaveValue(pdf.name);
  await page.getByLabel('Category *').selectOption('financial');
  await page.getByRole('button', { name: 'Store in my vault' }).click();
  await expectToast(page, 'Your document has been securely stored.');
  await expect(page.getByText('1 Document')).toBeVisible();
  await expectWellMade(page);
  const saved = await downloaded(page, `Download ${pdf.name}`);
  expect(saved.name).toBe(pdf.name);
  expect(saved.bytes.equals(pdf.buffer)).toBe(true);

  await page.getByRole('button', { name: `Edit ${pdf.name}` }).click();
  await page.getByLabel('Document Name *').fill('House insurance');
  await page.getByRole('button', { name: 'Save the changes' }).click();
  await expectToast(page, 'Document Updated');
  await page.getByRole('button', { name: 'Delete House insurance' }).click();
  await page.getByRole('button', { name: 'Delete the document' }).click();
  await expectToast(page, 'Document Deleted');
  await expect(page.getByText('No documents yet')).toBeVisible();
});

test('a file that is not what its name says is refused, and a cancelled upload leaves nothing', async ({
  page,
  site,
}) => {
  test.slow();
  await settle(page, site);
  await grant(site, 'essential');
  await page.goto(`${site.url}/documents`);
  await choose(page, { ...pdf, name: 'false.pdf', buffer: Buffer.alloc(5000, 1) });
  await page.getByRole('button', { name: 'Store in my vault' }).click();
  await expect(page.locator('.banner-bad')).toBeVisible();
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();

  const line = await page.context().newCDPSession(page);
  const speed = (uploadThroughput: number) =>
    line.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput,
    });
  await line.send('Network.enable');
  await speed(bytesASecond);
  await choose(page, { ...pdf, name: 'large.pdf', buffer: Buffer.concat([pdf.buffer, Buffer.alloc(6_000_000, 32)]) });
  await page.getByRole('button', { name: 'Store in my vault' }).click();
  await expect(page.locator('.uploading-words')).toContainText(/[1-9]/);
  await page.getByRole('button', { name: 'Cancel the upload' }).click();
  await expect(page.getByText('The upload was cancelled')).toBeVisible();
  await speed(-1);
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  await page.reload();
  await expect(page.getByText('No documents yet')).toBeVisible();
});

/** Until the scripts have taken over what the server had drawn: React leaves a mark on each of its elements. */
async function untilLive(element: Locator): Promise<void> {
  await expect
    .poll(() => element.evaluate((node) => Object.keys(node).some((key) => key.startsWith('__reactProps'))))
    .toBe(true);
}

test('a picture travels with a letter to its recipient, and a document to the contact', async ({
  page,
  site,
  browser,
}) => {
  test.slow();
  const picture: Upload = {
    name: 'lemon-cake-card.png',
    mimeType: 'image/png',
    buffer: await readFile('docs/images/dashboard.png'),
  };
  await settle(page, site);
  await grant(site, 'premium');
  await page.goto(`${site.url}/documents`);
  await choose(page, pdf);
  await page.getByLabel(/Show to my trusted/).check();
  await page.getByRole('button', { name: 'Store in my vault' }).click();
  await expectToast(page, 'Document Added');

  await page.goto(`${site.url}/messages`);
  await page.getByRole('button', { name: 'Create Message' }).click();
  await page.getByLabel('Message Title *').fill('For Nell');
  await page.getByLabel('Recipient Email *').fill('nell@ashworth.example');
  await page.getByLabel('Message Content *').fill('Dear Nell,\n\nPut the kettle on first.\n\nDad');
  await page.getByLabel('Attachment').setInputFiles(pdf);
  await page.getByRole('button', { name: 'Save as Draft' }).click();
  await expectToast(page, 'Message Saved');
  await page.getByRole('button', { name: 'Edit For Nell' }).click();
  await page.getByLabel('Attachment').setInputFiles(picture);
  await page.getByRole('button', { name: 'Save & Ready to Send' }).click();
  await expectToast(page, 'Message Updated');
  await expect(page.getByText(picture.name)).toBeVisible();

  await addContact(page, site, { name: 'Priya Shah', email: 'priya@post.example' });
  const contact = await (await browser.newContext({ locale: 'en-GB' })).newPage();
  await acceptInvitation(contact, site, 'priya@post.example');
  await site.everkept('clock', 'advance', '95d');
  const portal = await followLink(contact, site, 'priya@post.example', /Sam/, '/trusted-contact-admin/');
  await expect(contact.getByText('You can download them here once the messages are delivered.')).toBeVisible();
  // The page comes before its scripts. Text typed until then stays, and counts.
  const { promise: scriptsMayCome, resolve: letScriptsCome } = Promise.withResolvers<void>();
  await contact.route(/\.js$/, async (route) => {
    await scriptsMayCome;
    await route.continue();
  });
  await contact.reload({ waitUntil: 'commit' });
  await contact.getByLabel(/Reason/).fill('Sam died.');
  letScriptsCome();
  await untilLive(contact.getByLabel(/Reason/));
  await expect(contact.getByLabel(/Reason/)).toHaveValue('Sam died.');
  await contact.getByRole('button', { name: 'Confirm Message Release' }).click();
  await contact.getByLabel(/Type/).fill('SEND');
  await contact.getByRole('button', { name: 'Send the messages now' }).click();
  await expect(contact.getByText('Release Confirmed')).toBeVisible();

  const reader = await (await browser.newContext({ locale: 'en-GB' })).newPage();
  await followLink(reader, site, 'nell@ashworth.example', /Sam/, '/message/');
  await reader.getByRole('button', { name: 'Open it when you are ready' }).click();
  const shown = reader.getByRole('img', { name: /The enclosed picture/ });
  await expect(shown).toBeVisible();
  await expect.poll(() => shown.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
  await expectWellMade(reader);
  const received = await downloaded(reader, /^Save the/);
  expect(received.name).toBe(picture.name);
  expect(received.bytes.equals(picture.buffer)).toBe(true);

  await expect(async () => {
    await contact.goto(portal);
    await expect(contact.getByRole('link', { name: /Download/ })).toBeVisible({ timeout: 2_000 });
  }).toPass();
  expect((await downloaded(contact, /Download/)).bytes.equals(pdf.buffer)).toBe(true);
});
