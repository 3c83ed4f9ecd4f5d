import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { drizzle } from 'drizzle-orm/node-postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPasskey, type Question } from '#server/features/sessions/second-factors/passkey.test-world.ts';
import {
  letterSealIterations,
  letterSealNonceBytes,
  letterSealSaltBytes,
  letterSealVersion,
} from '#shared/rules/letter-seal.ts';
import { type Installation, type Sent, startInstallation } from '#tests/e2e/support/installation.ts';
import { disguises, filesBelow, newCanary } from '#tests/support/canaries.ts';
import { dumpRows } from '#tests/support/everkept.ts';
import { createVisitor, type Visitor, withDatabaseOf } from '#tests/support/visitor.ts';

/** In lower case, as addresses are stored. Contained in all text that people write to or about others. */
const canary = newCanary();
/** A phone number can hold no letters. */
const phoneDigits = String(7_400_000_000 + (randomBytes(4).readUInt32BE() % 100_000_000));
const password = `kettle ${randomBytes(6).toString('hex')} spoon`;
const ownersEmail = `sam-${randomBytes(4).toString('hex')}@ashworth.example`;
const contactsEmail = 'ada@friends.example';
const recipient = `reader-${canary}@family.example`;
/** Recipient of the letter with a file. */
const enclosedTo = `enclosed-${canary}@family.example`;
const lockedDigits = `+44${phoneDigits}`;

let root: string;
let site: Installation;
let rows: string[];
let files: Map<string, Buffer>;
let log: string;
const cookies: string[] = [];
const secrets: string[] = [];
const sent = new Map<string, Sent>();

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'everkept-canary-'));
  const [DATA_DIR, TMPDIR] = [join(root, 'data'), join(root, 'tmp')];
  await mkdir(TMPDIR);
  site = await startInstallation({ DATA_DIR, TMPDIR, LOG_LEVEL: 'debug' });
  await live();
  rows = await withDatabaseOf(DATA_DIR, async (client) => {
    await client.query('checkpoint');
    return dumpRows({ db: drizzle(client) });
  });
  files = await filesBelow(root);
  log = site.log.join('\n');
});

afterAll(async () => {
  await site.stop();
  await rm(root, { recursive: true, force: true });
});

/** From the registration to the opened letter, and a few mistakes on the way. */
async function live(): Promise<void> {
  const owner = createVisitor(() => site.url);
  await signUp(owner);
  await owner.call('PUT', '/api/user-profile', { releaseMethod: 'trusted_contact', inactivityDays: 90 });
  const letter = { title: `A ${canary} title`, content: `Dear ${canary},\n\nwords.`, recipientEmail: recipient };
  const { id } = await owner.call<{ id: string }>('POST', '/api/messages', letter);
  const changed = { ...letter, title: `B ${canary}`, status: 'ready', visibleToTrustedContact: true };
  await owner.call('PUT', `/api/messages/${id}`, changed);
  await keepFiles(owner);
  const draft = await owner.call<{ id: string }>('POST', '/api/messages', letter);
  await owner.call('DELETE', `/api/messages/${draft.id}`);

  const contact = { name: `Ada ${canary}`, email: contactsEmail, phone: lockedDigits, relationship: `Aunt ${canary}` };
  const added = await owner.call<{ id: string }>('POST', '/api/trusted-contacts', contact);
  await owner.call('PUT', `/api/trusted-contacts/${added.id}`, { ...contact, name: `Ada Ann ${canary}` });
  const anybody = createVisitor(() => site.url);
  const invitation = await tokenIn(contactsEmail, '/trusted-contact-accept/');
  await anybody.call('GET', `/api/trusted-contact-invitation/${invitation}`);
  await anybody.call('POST', `/api/trusted-contact-invitation/${invitation}`, { accept: true });
  await anybody.call('POST', '/api/complaints', {
    name: `Nell ${canary}`,
    email: `nell-${canary}@family.example`,
    words: `You wrote to ${canary} again.`,
  });
  await makeMistakes(owner, { ...letter, id });
  await owner.call('POST', '/api/reset-password', { email: ownersEmail });
  await tokenIn(ownersEmail, '/reset-password/');

  await site.everkept('clock', 'advance', '91d');
  const portal = await tokenIn(contactsEmail, '/trusted-contact-admin/');
  await anybody.call('GET', `/api/trusted-contact-admin/${portal}`);
  const reason = { confirmed: true, reason: `The funeral of ${canary} was on Monday.` };
  await anybody.call('POST', `/api/trusted-contact-admin/${portal}/confirm-release`, reason);
  const link = await tokenIn(recipient, '/message/');
  await anybody.call('POST', `/api/message-delivery/${link}/opened`);
  const opened = await anybody.call<{ content: string }>('GET', `/api/message-delivery/${link}`);
  expect(opened.content).toBe(letter.content);
  const enclosed = `/api/message-delivery/${await tokenIn(enclosedTo, '/message/')}`;
  await anybody.call('POST', `${enclosed}/opened`);
  expect(await anybody.call('GET', `${enclosed}/attachment`)).toBe(`LAST WILL of ${canary}\n`);
  await site.everkept('clock', 'advance', '8d');
  await keepOutbox();
}

/** Files with their names, a template that was filled in, a letter sealed in the browser, and exports of it all. */
async function keepFiles(owner: Visitor): Promise<void> {
  await withDatabaseOf(join(root, 'data'), (client) => client.query("update users set plan = 'essential'"));
  const words = `LAST WILL of ${canary}\n`;
  const paper = { name: `Will ${canary}`, category: 'legal', description: `For ${canary}` };
  const { id } = await owner.call<{ id: string }>('POST', '/api/documents', formOf(paper, words));
  await owner.call('PUT', `/api/documents/${id}`, { ...paper, visibleToTrustedContact: true });
  await owner.call('POST', '/api/documents', formOf({ ...paper, category: canary }, words)).catch(isRefused);
  const sealedLetter = {
    version: letterSealVersion,
    iterations: letterSealIterations,
    salt: randomBytes(letterSealSaltBytes).toString('base64url'),
    nonce: randomBytes(letterSealNonceBytes).toString('base64url'),
    ciphertext: randomBytes(64).toString('base64url'),
    hint: `What ${canary} smells of`,
  };
  const letter = { title: `C ${canary}`, recipientEmail: enclosedTo, status: 'ready' };
  await owner.call('POST', '/api/messages/with-attachment', formOf({ ...letter, content: `See ${canary}` }, words));
  const sealed = { ...letter, content: '', encryptedContent: sealedLetter };
  await owner.call('POST', '/api/messages', sealed);
  // Refused, because enclosures of a sealed letter are sealed too: the file is not stored.
  const beside = { ...sealed, encryptedContent: JSON.stringify(sealedLetter) };
  await owner.call('POST', '/api/messages/with-attachment', formOf(beside, words)).catch(isRefused);
  await owner.call('POST', '/api/messages/with-attachment', formOf({ ...letter, title: '' }, words)).catch(isRefused);
  const item = { text: `Ring ${canary}`, isListed: true, changedAtMs: 1 };
  await owner.call('PUT', '/api/first-weeks', { will: `In the ${canary} safe`, pets: `Feed ${canary}` });
  await owner.call('PUT', '/api/user/checklists/funeral', { customItems: [item], completedItems: [], resetAtMs: 0 });
  for (const format of ['encrypted-zip', 'json', 'pdf']) {
    await owner.call('POST', '/api/export-data', { format, includeAuditLogs: true });
  }
  await owner.call('POST', '/api/export-data', { format: 'html', passphrase: `The words ${canary}` });
}

/** A form with a file whose name and bytes hold what we look for. */
function formOf(fields: Record<string, string>, words: string): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('file', new File([words], `${canary}.txt`, { type: 'text/plain' }));
  return form;
}

function isRefused(error: unknown): void {
  expect(String(error)).toMatch(/was answered 4\d\d/);
}

async function signUp(owner: Visitor): Promise<void> {
  const person = { email: ownersEmail, password, confirmPassword: password, firstName: 'Sam', lastName: 'Ashworth' };
  await owner.call('POST', '/api/register', person);
  await owner.call('GET', `/api/verify-email?token=${await tokenIn(ownersEmail, '/api/verify-email')}`);
  await owner.call('POST', '/api/login', { email: ownersEmail, password });
  cookies.push(owner.cookie().split('=')[1] ?? '');
  const app = await owner.call<{ secret: string }>('POST', '/api/user/second-factors/authenticator');
  secrets.push(app.secret, app.secret.replaceAll(' ', ''));
  const passkey = createPasskey(new URL(site.url).hostname);
  const question = await owner.call<Question>('POST', '/api/user/passkeys/options');
  const made = { name: `Phone ${canary}`, ...passkey.made(question, new URL(site.url).origin) };
  const { recoveryCodes } = await owner.call<{ recoveryCodes: string[] }>('POST', '/api/user/passkeys', made);
  secrets.push(...recoveryCodes, ...recoveryCodes.map((code) => code.replaceAll('-', '')));
}

/** Refused input takes other code paths than saved input, and must not be logged either. */
async function makeMistakes(owner: Visitor, letter: { id: string; content: string }): Promise<void> {
  const mistakes: [method: string, path: string, body?: unknown][] = [
    ['POST', '/api/messages', { title: canary, content: canary, recipientEmail: `no address ${canary}` }],
    ['POST', '/api/messages', { title: [canary], content: { canary } }],
    ['POST', '/api/messages', `{"title":"${canary}"`],
    [
      'PUT',
      `/api/messages/${letter.id}`,
      { title: `${canary}\u0000`, content: letter.content, recipientEmail: recipient },
    ],
    ['PUT', `/api/messages/${canary}`, { ...letter, recipientEmail: recipient }],
    ['POST', '/api/trusted-contacts', { name: `${canary}\n`, email: contactsEmail, phone: phoneDigits }],
    [
      'POST',
      '/api/trusted-contacts',
      { name: canary, email: contactsEmail, phone: lockedDigits, relationship: canary },
    ],
    ['GET', `/api/${canary}/${canary}?q=${canary}`],
    ['GET', `/api/message-delivery/${canary}`],
    ['POST', `/api/trusted-contact-admin/${canary}/confirm-release`, { confirmed: true, reason: canary }],
    ['POST', '/api/login', { email: ownersEmail, password: `${password}${canary}` }],
    ['POST', '/api/login', { email: recipient, password }],
    ['PUT', '/api/user/password', { currentPassword: canary, password: canary, confirmPassword: canary }],
    ['GET', `/${canary}%ff`],
  ];
  for (const [method, path, body] of mistakes) {
    await owner
      .call(method, path, body)
      .then((answer) => expect([path, typeof answer]).toEqual([path, 'string']), isRefused);
  }
}

async function keepOutbox(): Promise<void> {
  for (const mail of await site.outbox()) sent.set(mail.id, mail);
}

async function tokenIn(address: string, path: string): Promise<string> {
  for (let tries = 0; tries < 200; tries += 1) {
    await keepOutbox();
    const link = [...sent.values()]
      .filter(({ to }) => to.address === address)
      .toSorted((one, other) => one.createdAt.localeCompare(other.createdAt))
      .flatMap(({ links }) => links)
      .findLast((each) => new URL(each).pathname.startsWith(path));
    if (link) return link.split(/[/=]/).at(-1) ?? '';
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`No mail to ${address} with ${path}.`);
}

function placesOf(text: string): string[] {
  const needles = disguises(text);
  const inFiles = [...files].filter(([, bytes]) => needles.some((needle) => bytes.includes(needle)));
  return [
    ...rows.filter((row) => needles.some((needle) => row.includes(needle))).map((row) => `row ${row.split(':')[0]}`),
    ...inFiles.map(([path]) => `file ${path}`),
    ...(needles.some((needle) => log.includes(needle)) ? ['log'] : []),
  ];
}

describe('after a whole life, nowhere in the tables, the files or the log', () => {
  test('is what we look for missed: the addresses that stand there in the clear are found', () => {
    const places = placesOf(ownersEmail);
    expect(places).toContain('row public.users');
    expect(places.some((place) => place.startsWith('file data/postgres/cluster/base/'))).toBe(true);
    expect(places.some((place) => place.startsWith('file data/postgres/cluster/pg_wal/'))).toBe(true);
    expect(placesOf(contactsEmail)).toContain('row public.trusted_contacts');
    expect(rows.some((row) => row.startsWith('public.task_runs: '))).toBe(true);
    expect(log).toContain('"route":"/api/message-delivery/:token"');
    expect(disguises('abcdefghi').slice(2)).toEqual(['YWJjZGVmZ2hp', 'FiY2RlZmdoa', 'hYmNkZWZnaG']);
  });

  test('stands a title, a text, a recipient, a reason, or a name or relationship of a contact', () => {
    expect(placesOf(canary)).toEqual([]);
  });

  test('stands the name or the content of a file, what helps to remember a passphrase, or an item of a list', () => {
    const stored = [...files].filter(([path]) => path.startsWith('data/') && !path.startsWith('data/postgres/'));
    expect(stored.length).toBeGreaterThan(2);
    expect(stored.filter(([path]) => path.includes(canary))).toEqual([]);
    expect(placesOf(`${canary}.txt`)).toEqual([]);
    expect([...files.keys()].filter((path) => path.startsWith('tmp/'))).toEqual([]);
  });

  test('stands the phone number of a contact', () => {
    expect(placesOf(phoneDigits)).toEqual([]);
  });

  test('stands a token of a link that was sent', () => {
    const links = [...sent.values()].flatMap((mail) => mail.links);
    const tokens = [...new Set(links.flatMap((link) => link.match(/[\w-]{43}$/)?.[0] ?? []))];
    const kinds = new Set(links.map((link) => new URL(link).pathname.split('/')[1]));
    expect([...kinds]).toEqual(
      expect.arrayContaining([
        'api',
        'trusted-contact-accept',
        'reset-password',
        'check-in',
        'trusted-contact-admin',
        'message',
      ]),
    );
    expect(tokens.length).toBeGreaterThan(5);
    expect(tokens.flatMap((token) => placesOf(token).map((place) => [token, place]))).toEqual([]);
    // Nor the bytes that a token is the text of.
    const bytes = tokens.map((token) => Buffer.from(token, 'base64url'));
    expect([...files].filter(([, file]) => bytes.some((each) => file.includes(each))).map(([path]) => path)).toEqual(
      [],
    );
  });

  test('stands a password or the cookie of a session', () => {
    expect(placesOf(password)).toEqual([]);
    expect(cookies).toEqual([expect.stringMatching(/^[\w-]{43}$/)]);
    expect(cookies.flatMap((cookie) => placesOf(cookie))).toEqual([]);
  });

  test('stands the secret of an authenticator app or a recovery code', () => {
    expect(secrets).toHaveLength(22);
    expect(secrets.flatMap((secret) => placesOf(secret))).toEqual([]);
  });

  test('and the owner is not named in the log', () => {
    expect(log).not.toContain(ownersEmail);
    expect(log).not.toContain('Ashworth');
    expect(log).not.toContain(contactsEmail);
  });
});
