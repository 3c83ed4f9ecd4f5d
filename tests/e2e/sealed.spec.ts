import { pathToFileURL } from 'node:url';
import { withDatabaseOf } from '#tests/support/visitor.ts';
import { acceptInvitation, addContact, followLink, leaveSealed, settle } from './support/people.ts';
import { expect, expectToast, expectWellMade, test } from './support/test.ts';

const nell = 'nell@ashworth.example';
const priya = { name: 'Priya Shah', email: 'priya@post.example', relationship: 'Friend' };
const passphrase = 'The yellow door, at Whitby';

test('a picture and a file are sealed with the passphrase, and its reader alone sees them and keeps them', async ({
  page,
  site,
  browser,
}) => {
  test.slow();
  await settle(page, site);
  await withDatabaseOf(site.dataDir, (client) => client.query("update users set plan = 'essential'"));
  await addContact(page, site, priya);
  await acceptInvitation(await (await browser.newContext({ locale: 'en-GB' })).newPage(), site, priya.email);
  const drawn = await page.evaluate(() => {
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [1_200, 800];
    const context = canvas.getContext('2d');
    if (context) context.fillStyle = '#c9a227';
    context?.fillRect(0, 0, 1_200, 800);
    return canvas.toDataURL('image/jpeg').split(',')[1] ?? '';
  });

  // Unsealed first: stored enclosures are sealed with the rest.
  await page.goto(`${site.url}/messages`);
  await page.getByRole('button', { name: 'Create Message' }).click();
  await page.getByLabel('Message Title *').fill('About the door');
  await page.getByLabel('Message Content *').fill('Look behind it.');
  await page.getByLabel('Recipient Email *').fill(nell);
  const picture = { name: 'door.jpg', mimeType: 'image/jpeg', buffer: Buffer.from(drawn, 'base64') };
  await page.getByLabel('Add pictures').setInputFiles([picture]);
  await page.getByLabel('What it shows, in a line').fill('The yellow door');
  await page.getByRole('button', { name: 'Save as Draft' }).click();
  await expectToast(page, 'Message Saved');

  await page.getByRole('button', { name: 'Edit About the door' }).click();
  await expect(page.getByLabel('What it shows, in a line')).toHaveValue('The yellow door');
  const note = { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('The key is under the pot.') };
  await page.getByLabel('Attachment', { exact: true }).setInputFiles(note);
  await page.getByLabel('Seal the letter with a passphrase').check();
  await page.getByLabel('Passphrase', { exact: true }).fill(passphrase);
  await page.getByLabel('Hint for them').fill('What we painted');
  await expectWellMade(page);
  await page.getByRole('button', { name: 'Save & Ready to Send' }).click();
  await expectToast(page, 'Message Updated');
  await leaveSealed(page);

  const stored = await page.evaluate(async () => {
    const [message] = await (await fetch('/api/messages')).json();
    const file = await (await fetch(`/api/messages/${message.id}/attachment`)).arrayBuffer();
    const bytes = new TextDecoder('latin1').decode(file);
    const { enclosures, attachmentOriginalName: name } = message;
    return { enclosures, name, begins: bytes.slice(0, 7), tells: /JFIF|yellow|door|note|under the pot/.test(bytes) };
  });
  expect(stored).toEqual({
    enclosures: [],
    name: expect.stringMatching(/^envelope-[0-9a-f]{8}\.sealed$/),
    begins: 'EKSEAL1',
    tells: false,
  });

  await page.getByRole('button', { name: 'Edit A sealed letter' }).click();
  await page.getByLabel('Passphrase').fill('the yellow door at whitby');
  await page.getByRole('button', { name: 'Open the letter' }).click();
  await expect(page.getByLabel('What it shows, in a line')).toHaveValue('The yellow door');
  await expect(page.getByText('note.txt')).toBeVisible();
  await page.getByRole('button', { name: 'See it as they will' }).click();
  await expect(page.locator('.reading figcaption')).toHaveText('The yellow door');
  await expectWellMade(page);

  // Taken off, all of it lies in the clear; put on again, under another key.
  await page.getByRole('button', { name: 'Back to writing' }).click();
  await page.getByLabel('Seal the letter with a passphrase').uncheck();
  await page.getByRole('button', { name: 'Save & Ready to Send' }).click();
  const inTheClear = () =>
    page.evaluate(async () => {
      const [{ enclosures, attachmentOriginalName, content }] = await (await fetch('/api/messages')).json();
      return [content, attachmentOriginalName, enclosures.map(({ caption }: { caption: string }) => caption)];
    });
  await expect.poll(inTheClear).toEqual(['Look behind it.', 'note.txt', ['The yellow door']]);
  await leaveSealed(page);
  await page.getByRole('button', { name: 'Edit About the door' }).click();
  await page.getByLabel('Seal the letter with a passphrase').check();
  await page.getByLabel('Passphrase', { exact: true }).fill(passphrase);
  await page.getByLabel('Hint for them').fill('What we painted');
  await page.getByRole('button', { name: 'Save & Ready to Send' }).click();
  await leaveSealed(page);
  await expect(page.getByRole('button', { name: 'Edit A sealed letter' })).toBeVisible();

  await site.everkept('clock', 'advance', '105d');
  const reader = await (await browser.newContext({ locale: 'en-GB' })).newPage();
  await followLink(reader, site, nell, /Sam/, '/message/');
  await reader.getByRole('button', { name: 'Open it when you are ready' }).click();
  await reader.getByLabel('Passphrase').fill('The Yellow Door at Whitby');
  await expect(reader.getByText(/\.sealed/)).toHaveCount(0);
  await reader.getByRole('button', { name: 'Open the letter' }).click();
  await expect(reader.getByText('Look behind it.')).toBeVisible();
  await expect(reader.locator('figcaption')).toHaveText('The yellow door');
  const width = () => reader.locator('figure img').evaluate((image: HTMLImageElement) => image.naturalWidth);
  await expect.poll(width).toBe(1_200);
  await expect(reader.getByRole('link', { name: 'Save the document' })).toHaveAttribute('download', 'note.txt');
  await expectWellMade(reader);

  const saving = reader.waitForEvent('download');
  await reader.getByRole('button', { name: 'Save a copy' }).click();
  const copy = await saving;
  expect(copy.suggestedFilename()).toBe('About the door.html');
  const kept = test.info().outputPath('letter.html');
  await copy.saveAs(kept);
  await reader.goto(pathToFileURL(kept).href);
  await expect(reader.locator('figcaption')).toHaveText('The yellow door');
  await expect.poll(width).toBe(1_200);
});
