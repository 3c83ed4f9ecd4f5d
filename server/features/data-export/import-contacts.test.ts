import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFilesWorld, type FilesWorld } from '#server/features/documents/vault-files.test-world.ts';
import { createBrowser } from '#tests/support/app.ts';
import { ask } from './export.test-world.ts';
import { type Exported, sendImport } from './import.test-world.ts';

const landline = '020 7946 0018';
const letter = { title: 'For Nell', content: 'Words', recipientEmail: 'nell@family.example', status: 'ready' } as const;
let world: FilesWorld;

beforeAll(async () => {
  world = await createFilesWorld();
});
afterAll(() => world.close());

test('a contact who comes with a landline keeps it, is asked by email alone, and gets no other landline', async () => {
  const [from, to] = [await world.newOwner(), await world.newOwner()];
  const ada = { name: 'Ada Shah', email: 'ada@family.example' };
  await world.befriend(from, { ...ada, phone: '07700 900123' });
  const given: Exported = (await ask(from, { format: 'json' })).json();
  const contacts = given.contacts.map((contact) => ({ ...contact, phone: landline }));
  expect((await sendImport(world, to, JSON.stringify({ ...given, contacts }))).json()).toMatchObject({ contacts: 1 });

  const [listed] = (await to.browser.send('GET', '/api/trusted-contacts')).json();
  expect(listed).toMatchObject({ ...ada, phone: landline, isActive: false });
  const change = (body: object) => to.browser.send('PUT', `/api/trusted-contacts/${listed.id}`, { body });
  const other = await change({ ...ada, phone: '020 7946 0019', isActive: true });
  expect([other.statusCode, other.json().message]).toEqual([
    400,
    'We can’t text a landline. Please enter a mobile number, such as 07700 900123',
  ]);
  world.mailer.clear();
  expect((await change({ ...ada, phone: landline, isActive: true })).statusCode).toBe(200);
  await world.work();
  const invitation = world.tokenFor(ada.email, '/trusted-contact-accept/');
  const accepted = { body: { accept: true } };
  await createBrowser(world.app).send('POST', `/api/trusted-contact-invitation/${invitation}`, accepted);

  await world.write(to, letter);
  const settings = { releaseMethod: 'inactivity', inactivityDays: 90 };
  await to.browser.send('PUT', '/api/user/release-settings', { body: settings });
  world.texter.clear();
  await world.live(91);
  const asked = world.mailer.sent.filter(({ to: { address }, subject }) => {
    return address === ada.email && subject.endsWith('please tell us what you know');
  });
  expect(asked).toHaveLength(1);
  expect(world.texter.sent).toEqual([]);
});
