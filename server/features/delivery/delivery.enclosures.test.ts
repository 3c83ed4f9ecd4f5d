import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createFilesWorld, type FilesWorld } from '#server/features/documents/vault-files.test-world.ts';
import type { DeliveredMessage } from '#shared/contract/letters/delivery.ts';
import { photograph, voices } from '#tests/support/forms.ts';
import { deliverWithEnclosures } from './delivered-letter.test-world.ts';

let world: FilesWorld;
beforeAll(async () => {
  world = await createFilesWorld();
});
afterAll(() => world.close());

const get = (url: string, headers: Record<string, string> = {}) => world.app.inject({ method: 'GET', url, headers });

describe('the reader of a letter', () => {
  test('is shown its pictures and its voice in the writer’s order, and gets each as it was', async () => {
    const { token, picture, voice } = await deliverWithEnclosures(world);
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
    expect(shown.rawPayload.equals(photograph)).toBe(true);
  });

  test('gets no word and no file before the opening, and everything after it', async () => {
    const { owner, token, picture, voice } = await deliverWithEnclosures(world, { isOpened: false });
    const letter = `/api/message-delivery/${token}`;
    const { title, senderName, createdAt, deliveredAt, letters, ...shown } = (
      await get(letter)
    ).json<DeliveredMessage>();
    expect([title, senderName, letters.length]).toEqual(['For Nell', expect.any(String), 1]);
    expect([createdAt, deliveredAt]).toEqual([expect.any(String), expect.any(String)]);
    expect(shown).toMatchObject({
      content: '',
      encryptedContent: null,
      attachment: null,
      enclosures: [],
      alsoFor: [],
      openedAt: null,
    });
    const files = [`${letter}/enclosures/${picture.id}`, `${letter}/enclosures/${voice.id}`, `${letter}/attachment`];
    const refused = await Promise.all(
      Array.from({ length: 34 }, () => files)
        .flat()
        .map((url) => get(url)),
    );
    expect(new Set(refused.map(({ statusCode }) => statusCode))).toEqual(new Set([409]));
    expect((await get(letter)).json<DeliveredMessage>().openedAt).toBeNull();

    await owner.browser.send('POST', `${letter}/opened`);
    expect((await get(letter)).json<DeliveredMessage>()).toMatchObject({
      content: 'Put the kettle on first.',
      enclosures: [picture, voice],
    });
    expect((await get(files[0] ?? '')).statusCode).toBe(200);
  });

  test('gets nothing of another letter, and nothing once the link is dead', async () => {
    const one = await deliverWithEnclosures(world);
    const other = await deliverWithEnclosures(world);
    const url = (token: string, id: string) => `/api/message-delivery/${token}/enclosures/${id}`;
    expect((await get(url(one.token, other.voice.id))).statusCode).toBe(404);
    expect((await get(url('unknown', one.voice.id))).statusCode).toBe(404);
    await world.live(31);
    expect((await get(url(one.token, one.voice.id))).statusCode).toBe(404);
  });

  test('finds the enclosures as they were: a writer can change nothing in a delivered letter', async () => {
    const { owner, id, voice } = await deliverWithEnclosures(world);
    const place = `/api/messages/${id}/enclosures/${voice.id}`;
    expect((await owner.browser.send('DELETE', place)).statusCode).not.toBe(204);
  });
});
