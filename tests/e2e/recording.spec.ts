import { withDatabaseOf } from '#tests/support/visitor.ts';
import { launchOptionsWith } from './support/launch.ts';
import { settle } from './support/people.ts';
import { expect, expectToast, expectWellMade, test } from './support/test.ts';

// The browser's own stand-in for a camera and a microphone, allowed without being asked.
test.use({
  launchOptions: launchOptionsWith(['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream']),
});

test('a video is recorded with the camera, watched, kept with the letter and played again', async ({ page, site }) => {
  test.slow();
  await settle(page, site);
  await withDatabaseOf(site.dataDir, (client) => client.query("update users set plan = 'premium'"));
  await page.goto(`${site.url}/messages`);
  await page.getByRole('button', { name: 'Create Message' }).click();
  await page.getByLabel('Message Title *').fill('For Nell');
  await page.getByLabel('Message Content *').fill('Watch this when you miss my voice.');
  await page.getByLabel('Recipient Email *').fill('nell@ashworth.example');

  await page.getByRole('button', { name: 'Record a video' }).click();
  const recorder = page.getByRole('dialog', { name: 'Record a video' });
  await recorder.getByRole('button', { name: 'Start recording' }).click();
  await expect(recorder.getByText('0:02')).toBeVisible();
  await recorder.getByRole('button', { name: 'Stop recording' }).click();
  await expect(recorder.getByText(/This is your video, 0:0\d long/)).toBeVisible();
  await expectWellMade(page);
  await recorder.getByRole('button', { name: 'Use this video' }).click();
  await expect(page.getByText(/^video-\d{4}-\d\d-\d\d\.(webm|mp4)$/)).toBeVisible();

  await page.getByRole('button', { name: 'Save as Draft' }).click();
  await expectToast(page, 'Message Saved');
  const stored = await page.evaluate(async () => {
    const [message] = await (await fetch('/api/messages')).json();
    const file = await fetch(`/api/messages/${message.id}/attachment`);
    const video = document.createElement('video');
    video.src = URL.createObjectURL(await file.blob());
    await new Promise((resolve, reject) => {
      video.onloadeddata = resolve;
      video.onerror = () => reject(new Error('The stored video does not play.'));
    });
    return { type: message.attachmentMimeType, width: video.videoWidth };
  });
  expect(stored.type).toMatch(/^video\/(webm|mp4)$/);
  expect(stored.width).toBeGreaterThan(0);
});
