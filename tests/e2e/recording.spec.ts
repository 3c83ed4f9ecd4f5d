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

test('a voice is recorded with a pause, heard, written down and kept with the letter', async ({ page, site }) => {
  test.slow();
  await settle(page, site);
  await withDatabaseOf(site.dataDir, (client) => client.query("update users set plan = 'essential'"));
  await page.goto(`${site.url}/messages`);
  await page.getByRole('button', { name: 'Create Message' }).click();
  await page.getByLabel('Message Title *').fill('For Nell');
  await page.getByLabel('Message Content *').fill('Listen to this when you miss my voice.');
  await page.getByLabel('Recipient Email *').fill('nell@ashworth.example');

  await page.getByRole('button', { name: 'Record your voice' }).click();
  const recorder = page.getByRole('region', { name: 'Record your voice' });
  await recorder.getByRole('button', { name: 'Start recording' }).click();
  await expect(recorder.getByText('0:02')).toBeVisible();
  await expect(recorder.getByText('We can hear you well.')).toBeAttached();
  await recorder.getByRole('button', { name: 'Pause' }).click();
  await expect(recorder.getByText('Paused. Nothing is recorded now.')).toBeVisible();
  await recorder.getByRole('button', { name: 'Go on' }).click();
  await expect(recorder.getByText('Recording. Nothing leaves this page while you record.')).toBeVisible();
  await recorder.getByRole('button', { name: 'Stop and listen' }).click();
  await expect(recorder.getByText(/^Listen to it\./)).toBeVisible();
  await expectWellMade(page);
  await recorder.getByRole('button', { name: 'Use this recording' }).click();

  await page.getByLabel('Words above it').fill('Me, on a Sunday');
  await page.getByLabel('What you say, in words').fill('Hello, love. That is the kettle.');
  await page.getByRole('button', { name: 'Save as Draft' }).click();
  await expectToast(page, 'Message Saved');
  await expect(page.getByText('With your voice')).toBeVisible();

  const stored = await page.evaluate(async () => {
    const [message] = await (await fetch('/api/messages')).json();
    const [voice] = message.enclosures;
    const audio = document.createElement('audio');
    audio.src = `/api/messages/${message.id}/enclosures/${voice.id}`;
    await new Promise((resolve, reject) => {
      audio.onloadeddata = resolve;
      audio.onerror = () => reject(new Error('The stored voice does not play.'));
    });
    return voice;
  });
  expect(stored).toMatchObject({
    kind: 'voice',
    caption: 'Me, on a Sunday',
    transcript: 'Hello, love. That is the kettle.',
    mimeType: expect.stringMatching(/^audio\/(mp4|webm|ogg)$/),
  });

  await page.getByRole('button', { name: 'Edit For Nell' }).click();
  await expect(page.getByLabel('Words above it')).toHaveValue('Me, on a Sunday');
  await page.getByRole('button', { name: 'See it as they will' }).click();
  const player = page.locator('.reading .player');
  await player.getByRole('button', { name: 'Play: Me, on a Sunday' }).click();
  await expect(player.getByText(/^0:01/)).toBeVisible();
  await player.getByRole('button', { name: 'Pause: Me, on a Sunday' }).click();
  await expect(player.getByRole('button', { name: 'Play: Me, on a Sunday' })).toBeVisible();
  await expectWellMade(page);
});
