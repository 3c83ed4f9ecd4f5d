import type { FileOwner, FilesWorld } from '#server/features/documents/vault-files.test-world.ts';
import type { DeliveredMessage } from '#shared/contract/letters/delivery.ts';
import type { Enclosure } from '#shared/contract/letters/enclosures.ts';
import { photograph, voices } from '#tests/support/forms.ts';

const silentDays = 91;

type SmallFile = { name: string; content: Buffer };

/** An owner whose letter, with a picture and a voice in it, was delivered after their silence, and opened by its reader. */
export async function deliverWithEnclosures(
  world: FilesWorld,
  {
    content = 'Put the kettle on first.',
    more = [],
    isOpened = true,
  }: { content?: string; more?: readonly string[]; isOpened?: boolean } = {},
) {
  const owner = await world.newOwner();
  await owner.browser.send('PUT', '/api/user/release-settings', {
    body: { releaseMethod: 'trusted_contact', inactivityDays: 90 },
  });
  const reader = `nell.${owner.email}`;
  const letter = { recipientEmail: reader, status: 'ready', content } as const;
  const id = await world.write(owner, { ...letter, title: 'For Nell' });
  const picture = await enclose(owner, id, { name: 'garden.jpg', content: photograph }, 'The garden');
  const heard = await enclose(owner, id, { name: 'voice.mp3', content: voices.mp3 });
  const change = { body: { transcript: 'Hello, love.' } };
  const said = await owner.browser.send('PUT', `/api/messages/${id}/enclosures/${heard.id}`, change);
  const voice = said.json<Enclosure>();
  for (const title of more) await world.write(owner, { ...letter, title });
  await world.befriend(owner, { name: 'Ada Shah', email: `ada.${owner.email}` });
  await world.live(silentDays);
  const contact = world.tokenFor(`ada.${owner.email}`, '/trusted-contact-admin/');
  const body = { confirmed: true, reason: 'I was at the funeral.' };
  await owner.browser.send('POST', `/api/trusted-contact-admin/${contact}/confirm-release`, { body });
  await world.work();
  const token = world.tokenFor(reader, '/message/');
  const { letters } = (await owner.browser.send('GET', `/api/message-delivery/${token}`)).json<DeliveredMessage>();
  for (const each of isOpened ? letters : []) {
    await owner.browser.send('POST', `/api/message-delivery/${each.token}/opened`);
  }
  return { owner, id, picture, voice, token };
}

async function enclose(owner: FileOwner, id: string, file: SmallFile, caption = '') {
  const answer = await owner.upload({ fields: { caption }, file }, ['POST', `/api/messages/${id}/enclosures`]);
  if (answer.statusCode !== 201) throw new Error(`Nothing was enclosed: ${answer.body}`);
  return answer.json<Enclosure>();
}
