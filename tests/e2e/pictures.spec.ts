import { withDatabaseOf } from '#tests/support/visitor.ts';
import { settle } from './support/people.ts';
import { expect, expectToast, expectWellMade, test } from './support/test.ts';

/** What a camera writes beside a picture: an APP1 segment with "Exif" (JEITA CP-3451), here with words to look for. */
const place = Buffer.from('Exif\0\0MM\0*51.5074N 0.1278W');

test('photographs are made smaller and lose their place, are put in order and kept with the letter', async ({
  page,
  site,
}) => {
  test.slow();
  await settle(page, site);
  await withDatabaseOf(site.dataDir, (client) => client.query("update users set plan = 'essential'"));
  const drawn = await page.evaluate(() => {
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [3_200, 1_600];
    canvas.getContext('2d')?.fillRect(100, 100, 900, 900);
    return canvas.toDataURL('image/jpeg').split(',')[1] ?? '';
  });
  const jpeg = Buffer.from(drawn, 'base64');
  const segment = Buffer.concat([Buffer.from([0xff, 0xe1, 0, place.length + 2]), place]);
  const photograph = Buffer.concat([jpeg.subarray(0, 2), segment, jpeg.subarray(2)]);

  await page.goto(`${site.url}/messages`);
  await page.getByRole('button', { name: 'Create Message' }).click();
  await page.getByLabel('Message Title *').fill('For Nell');
  await page.getByLabel('Message Content *').fill('Look at these.');
  await page.getByLabel('Recipient Email *').fill('nell@ashworth.example');
  const files = ['pier.jpg', 'boat.jpg'].map((name) => ({ name, mimeType: 'image/jpeg', buffer: photograph }));
  await page.getByLabel('Add pictures').setInputFiles(files);
  const captions = page.getByLabel('What it shows, in a line');
  await expect(captions).toHaveCount(2);
  await captions.nth(0).fill('The pier');
  await captions.nth(1).fill('The boat');
  await page.getByRole('button', { name: 'Earlier: picture 2 of 2' }).click();
  await expect(captions.nth(0)).toHaveValue('The boat');
  await page.getByLabel('Where it stands').nth(1).selectOption('Before the first words');
  await expectWellMade(page);
  await page.getByRole('button', { name: 'Save as Draft' }).click();
  await expectToast(page, 'Message Saved');
  await expect(page.getByText('2 pictures')).toBeVisible();

  const stored = await page.evaluate(async () => {
    const [message] = await (await fetch('/api/messages')).json();
    const read = async ({ id, caption }: { id: string; caption: string }) => {
      const blob = await (await fetch(`/api/messages/${message.id}/enclosures/${id}`)).blob();
      const { width, height } = await createImageBitmap(blob);
      const text = new TextDecoder('latin1').decode(await blob.arrayBuffer());
      return { caption, size: [width, height], hasPlace: /Exif|51\.5074/.test(text) };
    };
    return Promise.all(message.enclosures.map(read));
  });
  expect(stored).toEqual([
    { caption: 'The boat', size: [2_560, 1_280], hasPlace: false },
    { caption: 'The pier', size: [2_560, 1_280], hasPlace: false },
  ]);

  await page.getByRole('button', { name: 'Edit For Nell' }).click();
  await expect(captions.nth(1)).toHaveValue('The pier');
  await page.getByRole('button', { name: 'See it as they will' }).click();
  // One stands before the first words, the other behind the last.
  await expect(page.locator('.reading .letter figure')).toHaveCount(1);
  await expect(page.locator('.reading figcaption')).toHaveText(['The pier', 'The boat']);
  await expectWellMade(page);
});
