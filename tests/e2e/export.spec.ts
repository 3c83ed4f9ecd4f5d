import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Browser, Download, Page } from '@playwright/test';
import { samples } from '#tests/support/forms.ts';
import { extractWithSevenZip } from '#tests/support/seven-zip.ts';
import { createVisitor, withDatabaseOf } from '#tests/support/visitor.ts';
import type { Installation } from './support/installation.ts';
import { sam, settle } from './support/people.ts';
import { expect, expectToast, expectWellMade, test } from './support/test.ts';

const deed = {
  name: 'deed.pdf',
  mimeType: 'application/pdf',
  buffer: Buffer.concat([Buffer.from('%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF\n'), Buffer.alloc(200_000, 32)]),
};
const letter = {
  title: 'For Nell',
  content: 'Put the kettle on first.',
  recipientEmail: 'nell@family.example',
  status: 'draft',
};
const nell = {
  firstName: 'Nell',
  lastName: 'Ashworth',
  email: 'nell@ashworth.example',
  password: 'a kettle and a jar',
};

/** Saves the downloads of a press by their extension, together in a folder. */
async function saveExport(page: Page, folder: string): Promise<{ archive: string; keyFile: string }> {
  const saved: Download[] = [];
  page.on('download', (download) => saved.push(download));
  await page.getByRole('button', { name: 'Export Data' }).click();
  await expectToast(page, 'Two files were saved: the archive, and the key that opens it.');
  await expect.poll(() => saved.length).toBe(2);
  const paths = await Promise.all(
    saved.map(async (download) => {
      const path = join(folder, download.suggestedFilename());
      await download.saveAs(path);
      return path;
    }),
  );
  const [archive = '', keyFile = ''] = ['.zip', '.key.txt'].map((ending) =>
    paths.find((path) => path.endsWith(ending)),
  );
  return { archive, keyFile };
}

/** A letter and a document, as the browser's own calls would store them. */
async function fillVault({ request }: Page, { url }: Installation): Promise<void> {
  const headers = { origin: url };
  const written = await request.post(`${url}/api/messages`, { headers, data: letter });
  const multipart = { name: 'Deed', category: 'legal', file: deed };
  const stored = await request.post(`${url}/api/documents`, { headers, multipart });
  expect([written.status(), stored.status()]).toEqual([201, 201]);
}

/** An empty account, without a browser of its own. */
async function registerNell(site: Installation): Promise<void> {
  const visitor = createVisitor(() => site.url);
  await visitor.call('POST', '/api/register', { ...nell, confirmPassword: nell.password });
  await withDatabaseOf(site.dataDir, (client) => client.query("update users set plan = 'essential'"));
}

test('an encrypted archive is saved with its key, opens in 7-Zip, and comes back without doubling or into another vault', async ({
  page,
  site,
}) => {
  test.slow();
  await settle(page, site);
  await registerNell(site);
  await fillVault(page, site);

  await page.goto(`${site.url}/data-export`);
  await expect(page.getByLabel(/Encrypted archive/)).toBeChecked();
  const { archive, keyFile } = await saveExport(page, site.dataDir);
  const keyText = await readFile(keyFile, 'utf8');
  const key = keyText.split('\r\n')[2] ?? '';
  const { files } = await extractWithSevenZip(await readFile(archive), key);
  expect(files.get('document-001.pdf')?.equals(deed.buffer)).toBe(true);
  expect(files.get('index.html')?.toString()).toContain(letter.content);

  await page.getByLabel('Export file').setInputFiles(archive);
  await page.getByLabel('Key', { exact: true }).fill(keyText.replace(key, key.replaceAll(/[0-9]/g, '7')));
  await page.getByRole('button', { name: 'See What Is in It' }).click();
  await expect(page.getByText('This key does not open the archive.')).toBeVisible();
  await page.getByLabel('Key', { exact: true }).fill(keyText);
  await page.getByRole('button', { name: 'See What Is in It' }).click();
  await expect(page.getByText('To be added: nothing. 2 are here already.')).toBeVisible();
  await page.getByRole('button', { name: 'Import Data' }).click();
  await expect(page.getByText('2 were here already.')).toBeVisible();

  const printed = await site.everkept('import', archive, '--email', nell.email, '--key-file', keyFile, '--json');
  expect(JSON.parse(printed)).toMatchObject({ messages: 1, documents: 1, alreadyThere: 0, withoutFile: 0 });
  const { rows } = await withDatabaseOf(site.dataDir, (client) =>
    client.query(
      `select email, (select count(*)::int from messages where user_id = users.id) as messages,
        (select count(*)::int from documents where user_id = users.id) as documents from users order by email`,
    ),
  );
  expect(rows).toEqual([
    { email: nell.email, messages: 1, documents: 1 },
    { email: sam.email, messages: 1, documents: 1 },
  ]);
});

const passphrase = 'The lemon tree, at Nan’s';
const golden = fileURLToPath(new URL('../golden/copy-1.html', import.meta.url));

/** Opens a copy from the disk, in a browser without network. */
async function openCopy(browser: Browser, file: string): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 320, height: 800 } });
  await context.setOffline(true);
  const copy = await context.newPage();
  await copy.goto(pathToFileURL(file).href);
  await copy.getByLabel('Passphrase', { exact: true }).fill('the lemon trees at Nan’s');
  await copy.getByRole('button', { name: 'Open', exact: true }).click();
  await expect(copy.getByText('This passphrase does not open this file.')).toBeVisible();
  await copy.getByLabel('Passphrase', { exact: true }).fill('THE LEMON TREE at nans');
  await copy.keyboard.press('Enter');
  await expect(copy.getByRole('heading', { level: 1, name: 'The vault of Sam Ashworth' })).toBeVisible();
  return copy;
}

const isDrawn = (copy: Page, name: string) =>
  expect
    .poll(() => copy.getByRole('img', { name }).evaluate((image) => (image as HTMLImageElement).naturalWidth))
    .toBeGreaterThan(0);

test('a sealed page is saved and opens without a network, and so does one of format version 1', async ({
  page,
  site,
  browser,
}) => {
  test.slow();
  await settle(page, site);
  await withDatabaseOf(site.dataDir, (client) => client.query("update users set plan = 'essential'"));
  await fillVault(page, site);
  const [{ id }] = await (await page.request.get(`${site.url}/api/messages`)).json();
  const picture = { name: 'yard.png', mimeType: 'image/png', buffer: samples.png };
  await page.request.post(`${site.url}/api/messages/${id}/enclosures`, {
    headers: { origin: site.url },
    multipart: { caption: 'The yard', file: picture },
  });

  await page.goto(`${site.url}/data-export`);
  await page.getByLabel('Page that opens anywhere').check();
  await page.getByLabel('Passphrase', { exact: true }).fill(passphrase);
  await page.getByLabel('Passphrase once more').fill(passphrase);
  await expectWellMade(page);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export Data' }).click();
  const saved = await download;
  expect(saved.suggestedFilename()).toMatch(/^everkept-export-[-0-9]+\.html$/);
  const file = join(site.dataDir, saved.suggestedFilename());
  await saved.saveAs(file);
  expect(await readFile(file, 'utf8')).not.toMatch(/Put the kettle|yard\.png/);

  const copy = await openCopy(browser, file);
  await expect(copy.getByText(letter.content)).toBeVisible();
  await isDrawn(copy, 'The yard');
  const stored = copy.waitForEvent('download');
  await copy.getByRole('button', { name: /^Save deed\.pdf/ }).click();
  expect((await readFile(await (await stored).path())).equals(deed.buffer)).toBe(true);
  await copy.context().close();

  const old = await openCopy(browser, golden);
  await isDrawn(old, 'The garden');
  await expect(old.getByRole('heading', { name: '<script>document.title="run"</script>' })).toBeVisible();
  await old.getByLabel('Passphrase of this letter').fill('The Yellow Door');
  await old.getByRole('button', { name: 'Open this letter' }).click();
  await expect(old.getByRole('heading', { name: 'About the door' })).toBeVisible();
  await isDrawn(old, 'The yellow door');
  await old.getByRole('button', { name: /^Listen to my voice\.wav/ }).click();
  await expect(old.getByLabel('my voice.wav')).toBeVisible();
  await old.getByLabel('Choose those files').setInputFiles(golden.replace('.html', '-ffeb0715f82e3a81.sealed'));
  await expect(old.getByText('All of them are here now.')).toBeVisible();
  const film = old.waitForEvent('download');
  await old.getByRole('button', { name: /^Save film\.txt/ }).click();
  expect(await readFile(await (await film).path(), 'utf8')).toBe('Once upon a time.');
  expect(await old.title()).toMatch(/^A sealed copy of a vault/);
});
