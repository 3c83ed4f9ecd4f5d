import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createFilesWorld,
  type FileOwner,
  type FilesWorld,
} from '#server/features/documents/vault-files.test-world.ts';
import type { DeliveredMessage } from '#shared/contract/letters/delivery.ts';
import type { Enclosure } from '#shared/contract/letters/enclosures.ts';
import { samples, voices } from '#tests/support/forms.ts';

let world: FilesWorld;
beforeAll(async () => {
  world = await createFilesWorld();
});
afterAll(() => world.close());

const days = 91;

/** Somebody whose letter, with a picture and a voice in it, was delivered after their silence. */
async function delivered() {
  const owner = await world.newOwner();
  await owner.browser.send('PUT', '/api/user/release-settings', {
    body: { releaseMethod: 'trusted_contact', inactivityDays: 90 },
  });
  const reader = `nell.${owner.email}`;
  const id = await world.write(owner, { recipientEmail: reader, status: 'ready' });
  const picture = await enclose(owner, id, { name: 'garden.png', content: samples.png }, 'The garden');
  const voice = await enclose(owner, id, { name: 'voice.mp3', content: voices.mp3 });
  await world.befriend(owner, { name: 'Ada Shah', email: `ada.${owner.email}` });
  await world.live(days);
  const contact = world.tokenFor(`ada.${owner.email}`, '/trusted-contact-admin/');
  const body = { confirmed: true, reason: 'I was at the funeral.' };
  await owner.browser.send('POST', `/api/trusted-contact-admin/${contact}/confirm-release`, { body });
  await world.work();
  return { owner, id, picture, voice, token: world.tokenFor(reader, '/message/') };
}

async function enclose(owner: FileOwner, id: string, file: { name: string; content: Buffer }, caption = '') {
  const answer = await owner.upload({ fields: { caption }, file }, ['POST', `/api/messages/${id}/enclosures`]);
  expect(answer.statusCode, answer.body).toBe(201);
  return answer.json<Enclosure>();
}

const get = (url: string, headers: Record<string, string> = {}) => world.app.inject({ method: 'GET', url, headers });

describe('the reader of a letter', () => {
  test('is shown its pictures and its voice in the writer’s order, and gets each as it was', async () => {
    const { token, picture, voice } = await delivered();
    const letter = (await get(`/api/message-delivery/${token}`)).json<DeliveredMessage>();
    expect(letter.enclosures).toEqual([picture, voice]);
    expect(letter.letters).toMatchObject([{ token, enclosures: 2 }]);
    const url = `/api/message-delivery/${token}/enclosures/${voice.id}`;
    const whole = await get(url);
    expect([whole.headers['content-type'], whole.rawPayload.equals(voices.mp3)]).toEqual(['audio/mpeg', true]);
    // Old telephones play nothing that they can't ask for in parts.
    const part = await get(url, { range: 'bytes=4-' });
    expect([part.statusCode, part.headers['content-range']]).toEqual([
      206,
      `bytes 4-${voices.mp3.length - 1}/${voices.mp3.length}`,
    ]);
    const shown = await get(`/api/message-delivery/${token}/enclosures/${picture.id}`);
    expect(shown.rawPayload.equals(samples.png)).toBe(true);
  });

  test('gets nothing of another letter, and nothing once the link is dead', async () => {
    const one = await delivered();
    const other = await delivered();
    const url = (token: string, id: string) => `/api/message-delivery/${token}/enclosures/${id}`;
    expect((await get(url(one.token, other.voice.id))).statusCode).toBe(404);
    expect((await get(url('unknown', one.voice.id))).statusCode).toBe(404);
    await world.live(31);
    expect((await get(url(one.token, one.voice.id))).statusCode).toBe(404);
  });

  test('finds them as they were: their writer can change nothing of a letter that somebody has', async () => {
    const { owner, id, voice } = await delivered();
    const place = `/api/messages/${id}/enclosures/${voice.id}`;
    expect((await owner.browser.send('DELETE', place)).statusCode).not.toBe(204);
  });
});
