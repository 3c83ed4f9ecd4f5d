import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createVaultApp, type VaultApp } from '#server/features/messages/vault-app.test-world.ts';
import {
  contactSchema,
  createContact,
  deleteContact,
  getInvitation,
  listContacts,
  resendInvitation,
  updateContact,
} from '#shared/contract/contacts.ts';
import { createBrowser, linkIn, newPerson, signedIn } from '#tests/support/app.ts';

let world: VaultApp;

beforeAll(async () => {
  world = await createVaultApp();
});

afterAll(() => world.close());

let people = 0;

function newBody() {
  people += 1;
  return {
    name: 'Priya Shah',
    email: `priya${people}@friends.example`,
    phone: '+44 7700 900123',
    relationship: 'Sister',
    isActive: true,
  };
}

const at = (path: string, id: string) => path.replace(':id', id);
const invitationOf = (email: string) => linkIn(world.mails, email, '/trusted-contact-accept/').split('/').at(-1) ?? '';
const invitationPath = (token: string) => getInvitation.path.replace(':token', token);

test('a contact is named, changed, asked again and removed', async () => {
  const { browser } = await signedIn(world);
  const body = newBody();
  const made = await browser.send('POST', createContact.path, { body });
  expect(made.statusCode).toBe(201);
  const contact = contactSchema.encode(contactSchema.decode(made.json()));
  expect(contact).toMatchObject({ name: body.name, email: body.email, isConfirmed: false });
  expect(made.json()).not.toHaveProperty('confirmationToken');

  const changed = await browser.send('PUT', at(updateContact.path, contact.id), { body: { ...body, name: 'Priya' } });
  expect([changed.statusCode, changed.json().name]).toEqual([200, 'Priya']);
  const asked = await browser.send('POST', at(resendInvitation.path, contact.id));
  expect([asked.statusCode, asked.json()]).toEqual([200, { message: expect.any(String) }]);
  expect((await browser.send('GET', listContacts.path)).json()).toMatchObject([{ id: contact.id, name: 'Priya' }]);
  expect((await browser.send('DELETE', at(deleteContact.path, contact.id))).statusCode).toBe(204);
  expect((await browser.send('GET', listContacts.path)).json()).toEqual([]);
});

test('the contact answers without an account, by pressing only', async () => {
  const { browser, person } = await signedIn(world);
  const body = newBody();
  const { id } = (await browser.send('POST', createContact.path, { body })).json();
  const path = invitationPath(invitationOf(body.email));
  const contact = createBrowser(world.app, { 'sec-fetch-site': 'same-origin' });

  for (const method of ['GET', 'HEAD', 'GET'] as const) {
    expect((await contact.send(method, path)).statusCode).toBe(200);
  }
  expect((await contact.send('GET', path)).json()).toEqual({
    ownerName: `${person.firstName} ${person.lastName}`,
    contactName: body.name,
    contactEmail: body.email,
    state: 'open',
    answerableUntil: expect.stringMatching(/^\d{4}-.*Z$/),
  });
  expect((await browser.send('GET', listContacts.path)).json()).toMatchObject([{ isConfirmed: false }]);

  const accepted = await contact.send('POST', path, { body: { accept: true } });
  expect([accepted.statusCode, accepted.json()]).toEqual([
    200,
    { contactId: id, name: body.name, isConfirmed: true, answerableUntil: null },
  ]);
  expect((await browser.send('GET', listContacts.path)).json()).toMatchObject([{ isConfirmed: true }]);
  const declined = await contact.send('POST', path, { body: { accept: false } });
  expect(declined.json()).toMatchObject({ isConfirmed: false });
});

test('a held invitation goes out when the owner follows their own link', async () => {
  const person = newPerson();
  const { browser } = await signedIn(world, { verified: false, person });
  const body = newBody();
  const made = await browser.send('POST', createContact.path, { body });
  expect([made.statusCode, made.json().confirmationSentAt]).toEqual([201, null]);
  expect(world.mails.filter(({ to }) => to.address === body.email)).toEqual([]);

  const second = await browser.send('POST', createContact.path, { body: newBody() });
  expect([second.statusCode, second.json().type]).toEqual([403, 'EMAIL_VERIFICATION_REQUIRED']);
  const forbidden = [
    await browser.send('PUT', at(updateContact.path, made.json().id), { body }),
    await browser.send('DELETE', at(deleteContact.path, made.json().id)),
    await browser.send('POST', at(resendInvitation.path, made.json().id)),
  ];
  expect(forbidden.map((answer) => [answer.statusCode, answer.json().type])).toEqual(
    Array(3).fill([403, 'EMAIL_VERIFICATION_REQUIRED']),
  );

  await browser.send('GET', linkIn(world.mails, person.email, '/api/verify-email'));
  expect((await createBrowser(world.app).send('GET', invitationPath(invitationOf(body.email)))).statusCode).toBe(200);
});

test('an address that is taken or one’s own is refused in plain words', async () => {
  const { browser, person } = await signedIn(world);
  const body = newBody();
  await browser.send('POST', createContact.path, { body });
  const twice = await browser.send('POST', createContact.path, { body: { ...body, email: body.email.toUpperCase() } });
  expect([twice.statusCode, twice.json().type]).toEqual([409, 'CONFLICT']);
  const own = await browser.send('POST', createContact.path, { body: { ...body, email: person.email } });
  expect([own.statusCode, own.json()]).toEqual([
    400,
    { type: 'VALIDATION', message: expect.any(String), issues: [{ path: 'email', message: expect.any(String) }] },
  ]);
});

describe('who may', () => {
  const calls = [
    ['GET', listContacts.path, undefined],
    ['POST', createContact.path, newBody()],
    ['PUT', at(updateContact.path, randomUUID()), newBody()],
    ['DELETE', at(deleteContact.path, randomUUID()), undefined],
    ['POST', at(resendInvitation.path, randomUUID()), undefined],
  ] as const;

  test.each(calls)('a visitor is refused %s %s', async (method, path, body) => {
    const answer = await createBrowser(world.app).send(method, path, { body });
    expect([answer.statusCode, answer.json().type]).toEqual([401, 'UNAUTHENTICATED']);
  });

  test('another owner’s contact, a missing one and no id at all are answered with one body', async () => {
    const [owner, stranger] = [await signedIn(world), await signedIn(world)];
    const { id } = (await owner.browser.send('POST', createContact.path, { body: newBody() })).json();
    const forms = [
      ['PUT', '', newBody()],
      ['DELETE', '', undefined],
      ['POST', '/resend-invitation', undefined],
    ] as const;
    for (const [method, rest, body] of forms) {
      const answers = await Promise.all(
        [id, randomUUID(), 'nonsense', '%00'].map((wanted) =>
          stranger.browser.send(method, `/api/trusted-contacts/${wanted}${rest}`, { body }),
        ),
      );
      expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array(4).fill(404));
      expect(new Set(answers.map((answer) => answer.body)).size).toBe(1);
    }
    expect((await owner.browser.send('GET', listContacts.path)).json()).toMatchObject([{ id }]);
  });

  test('what is not an owner’s to say is dropped', async () => {
    const { browser } = await signedIn(world);
    const forbidden = {
      id: randomUUID(),
      isConfirmed: true,
      confirmedAt: '2020-01-01T00:00:00.000Z',
      confirmationToken: 'x',
    };
    const made = await browser.send('POST', createContact.path, { body: { ...newBody(), ...forbidden } });
    expect(made.json()).toMatchObject({ isConfirmed: false, confirmedAt: null });
    expect(made.json().id).not.toBe(forbidden.id);
  });
});

const malformed: [string, unknown][] = [
  ['no body', undefined],
  ['null', 'null'],
  ['a list', []],
  ['broken JSON', '{'],
  ['no name', { ...newBody(), name: ' ' }],
  ['a name of two lines', { ...newBody(), name: 'Priya\nBcc: x@y.example' }],
  ['a name with a line separator', { ...newBody(), name: 'Priya\u2028Shah' }],
  ['a long name', { ...newBody(), name: 'x'.repeat(101) }],
  ['NUL in the name', { ...newBody(), name: 'a\0b' }],
  ['no address', { ...newBody(), email: undefined }],
  ['an address that is none', { ...newBody(), email: 'priya@' }],
  ['two addresses', { ...newBody(), email: 'a@b.example,c@d.example' }],
  ['an object for an address', { ...newBody(), email: { $gt: '' } }],
  ['letters for a phone number', { ...newBody(), phone: 'call me' }],
  ['a long relationship', { ...newBody(), relationship: 'x'.repeat(101) }],
  ['text for the switch', { ...newBody(), isActive: 'true' }],
];

test.each(malformed)('%s is refused and changes nothing', async (_, sent) => {
  const { browser } = await signedIn(world);
  const { id } = (await browser.send('POST', createContact.path, { body: newBody() })).json();
  const before = (await browser.send('GET', listContacts.path)).body;
  const answers = [
    await browser.send('POST', createContact.path, { body: sent }),
    await browser.send('PUT', at(updateContact.path, id), { body: sent }),
  ];
  for (const answer of answers) {
    expect([400, 415]).toContain(answer.statusCode);
    expect(answer.json()).toMatchObject({ message: expect.any(String), type: expect.any(String) });
  }
  expect((await browser.send('GET', listContacts.path)).body).toBe(before);
});

test('a malformed answer or token is refused alike, and changes nothing', async () => {
  const { browser } = await signedIn(world);
  const body = newBody();
  await browser.send('POST', createContact.path, { body });
  const path = invitationPath(invitationOf(body.email));
  const bodies = [undefined, 'null', {}, { accept: 'yes' }, { accept: 1 }, { accept: null }, [true], '{"accept":'];
  for (const sent of bodies) {
    const answer = await createBrowser(world.app).send('POST', path, { body: sent });
    expect([400, 415]).toContain(answer.statusCode);
  }
  const tokens = ['x', 'x'.repeat(43), 'x'.repeat(300), '%00', '..%2f..', encodeURIComponent("' or 1=1")];
  for (const token of tokens) {
    const visitor = createBrowser(world.app);
    expect((await visitor.send('GET', invitationPath(token))).statusCode).toBe(404);
    expect((await visitor.send('POST', invitationPath(token), { body: { accept: true } })).statusCode).toBe(404);
  }
  expect((await browser.send('GET', listContacts.path)).json()).toMatchObject([
    { isConfirmed: false, hasDeclined: false },
  ]);
});
