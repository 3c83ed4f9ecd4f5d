import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';
import { recordTune } from '#server/demo/tune.ts';
import { withDatabaseOf } from '#tests/support/visitor.ts';
import { followLink, leaveSealed, settle } from './support/people.ts';
import { expect, expectToast, expectWellMade, test } from './support/test.ts';

/** Metadata of a camera in a picture: an APP1 segment with "Exif" (JEITA CP-3451), here with words to look for. */
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

const photographs = [
  // No browser names its type on Windows.
  { name: 'IMG_0042.HEIC', mimeType: '', kept: 'IMG_0042.HEIC' },
  // Programs that copy from a telephone name HEIC as they like.
  { name: 'IMG_0042.jpg', mimeType: 'image/jpeg', kept: 'IMG_0042.heic' },
];
for (const { name, mimeType, kept } of photographs)
  test(`a HEIC photograph named ${name} is drawn again on the device, and its original can be kept beside it`, async ({
    page,
    site,
  }) => {
    test.slow();
    await settle(page, site);
    await withDatabaseOf(site.dataDir, (client) => client.query("update users set plan = 'premium'"));
    const heic = await readFile(fileURLToPath(new URL('../support/files/photograph.heic', import.meta.url)));
    await page.goto(`${site.url}/messages`);
    await page.getByRole('button', { name: 'Create Message' }).click();
    await page.getByLabel('Message Title *').fill('For Nell');
    await page.getByLabel('Message Content *').fill('Look at this.');
    await page.getByLabel('Recipient Email *').fill(nell);
    await page.getByLabel('Add pictures').setInputFiles([{ name, mimeType, buffer: heic }]);
    await page.getByLabel('What it shows, in a line').fill('The pier');
    await page.getByLabel('Keep the original as well').check();
    await expectWellMade(page);
    await page.getByRole('button', { name: 'Save as Draft' }).click();
    await expectToast(page, 'Message Saved');
    const stored = await page.evaluate(async () => {
      const [message] = await (await fetch('/api/messages')).json();
      const [{ id, name, original }] = message.enclosures;
      const at = async (enclosureId: string) =>
        (await fetch(`/api/messages/${message.id}/enclosures/${enclosureId}`)).blob();
      const picture = await at(id);
      const { width, height } = await createImageBitmap(picture);
      const hasPlace = async (blob: Blob) =>
        /51\.5074/.test(new TextDecoder('latin1').decode(await blob.arrayBuffer()));
      return {
        ...{ name, size: [width, height], hasPlace: await hasPlace(picture) },
        original: {
          name: original.name,
          sizeBytes: original.sizeBytes,
          hasPlace: await hasPlace(await at(original.id)),
        },
      };
    });
    expect(stored).toEqual({
      ...{ name: 'IMG_0042.jpg', size: [2_560, 1_280], hasPlace: false },
      original: { name: kept, sizeBytes: heic.length, hasPlace: true },
    });
  });

test('a writer’s preview is the reader’s page, to the pixel', async ({ page, site, browser }) => {
  test.slow();
  await settle(page, site);
  await withDatabaseOf(site.dataDir, (client) => client.query("update users set plan = 'essential'"));
  await page.goto(`${site.url}/messages`);
  await page.getByRole('button', { name: 'Create Message' }).click();
  await page.getByLabel('Message Title *').fill('For Nell, when it is time');
  await page
    .getByLabel('Message Content *')
    .fill('Dear Nell,\n\n“Measure twice”, I always said.\nCut once.\n\n\nPut the kettle on first.\n\nDad');
  await page.getByLabel('Recipient Email *').fill(nell);
  const pictures = [await drawnPicture(page, '#c9a227', [1_200, 700]), await drawnPicture(page, '#2f6f5e', [300, 900])];
  await page
    .getByLabel('Add pictures')
    .setInputFiles(pictures.map((buffer, index) => ({ name: `picture-${index}.jpg`, mimeType: 'image/jpeg', buffer })));
  await page.getByLabel('What it shows, in a line').nth(0).fill('The field, the year you moved');
  await page.getByLabel('Where it stands').nth(0).selectOption({ index: 3 });
  await page
    .getByLabel('Use a recording I have')
    .setInputFiles([{ name: 'tune.wav', mimeType: 'audio/wav', buffer: recordTune() }]);
  await page.getByLabel('What you say, in words').fill('That is the kettle.');
  await page.getByRole('button', { name: 'Save & Ready to Send' }).click();
  await expectToast(page, 'Message Saved');
  await leaveSealed(page);
  await page.getByRole('button', { name: 'Edit For Nell, when it is time' }).click();
  await page.getByRole('button', { name: 'See it as they will' }).click();
  await page.getByRole('button', { name: 'Dismiss' }).click();
  const seenByWriter = await sheetAt(page, widths);

  await site.everkept('clock', 'advance', '105d');
  const reader = await (await browser.newContext({ locale: 'en-GB' })).newPage();
  await followLink(reader, site, nell, /Sam/, '/message/');
  await reader.getByRole('button', { name: 'Open it when you are ready' }).click();
  await expect(reader.getByText('Put the kettle on first.')).toBeVisible();
  const seenByReader = await sheetAt(reader, widths);
  const blank = await (await browser.newContext()).newPage();
  for (const [index, seen] of seenByReader.entries()) {
    expect(await differingPixels(blank, seenByWriter[index], seen), `at ${widths[index]} px`).toBe(0);
  }
});

const nell = 'nell@ashworth.example';
const widths = [320, 768, 1_280];
/** The whole sheet, because a screenshot cuts off the scrolled part of a dialog. */
const tall = 3_000;

async function drawnPicture(page: Page, colour: string, [width, height]: [number, number]): Promise<Buffer> {
  const data = await page.evaluate(
    ({ colour, width, height }) => {
      const canvas = document.createElement('canvas');
      [canvas.width, canvas.height] = [width, height];
      const context = canvas.getContext('2d');
      if (!context) throw new Error('No canvas.');
      context.fillStyle = colour;
      context.fillRect(0, 0, width, height / 2);
      return canvas.toDataURL('image/jpeg').split(',')[1] ?? '';
    },
    { colour, width, height },
  );
  return Buffer.from(data, 'base64');
}

/**
 * Removes the line with days from a sheet, because the delivery day is unknown, and aligns the sheet to whole pixels.
 */
function ontoWholePixels(sheet: HTMLElement): void {
  sheet.querySelector<HTMLElement>('.dates')?.style.setProperty('display', 'none');
  for (const property of ['position', 'left', 'top']) sheet.style.removeProperty(property);
  const { left, top } = sheet.getBoundingClientRect();
  sheet.style.setProperty('position', 'relative');
  sheet.style.setProperty('left', `${Math.ceil(left) - left}px`);
  sheet.style.setProperty('top', `${Math.ceil(top) - top}px`);
}

async function sheetAt(page: Page, widths: readonly number[]): Promise<Buffer[]> {
  const sheet = page.locator('.reading .sheet').first();
  const shots: Buffer[] = [];
  for (const width of widths) {
    await page.setViewportSize({ width, height: tall });
    for (const picture of await sheet.locator('img').all()) {
      await picture.scrollIntoViewIfNeeded();
      await expect
        .poll(() => picture.evaluate((img: HTMLImageElement) => img.complete && img.naturalWidth))
        .toBeTruthy();
    }
    await expect(sheet.getByText(/^0:00 of/)).toBeVisible();
    await sheet.evaluate(ontoWholePixels);
    shots.push(await sheet.screenshot({ animations: 'disabled' }));
  }
  return shots;
}

/** A round edge is rounded a little otherwise elsewhere on a page; so far apart, of 255, may a channel of a pixel be. */
const rounding = 48;

/** Number of pixels of two pictures differ; all, where they are not of one size. */
function differingPixels(page: Page, one: Buffer | undefined, other: Buffer): Promise<number> {
  return page.evaluate(
    async ({ pngs, rounding }) => {
      const [first, second] = await Promise.all(
        pngs.map(async (png) => {
          const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
          const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
          if (!context) throw new Error('No canvas.');
          context.drawImage(bitmap, 0, 0);
          return context.getImageData(0, 0, bitmap.width, bitmap.height);
        }),
      );
      if (!first || !second || first.width !== second.width || first.height !== second.height) return Infinity;
      const pixels = new Set<number>();
      for (const [index, channel] of first.data.entries()) {
        if (Math.abs(channel - (second.data[index] ?? 0)) > rounding) pixels.add(Math.floor(index / 4));
      }
      return pixels.size;
    },
    { pngs: [one ?? Buffer.alloc(0), other].map((png) => png.toString('base64')), rounding },
  );
}
