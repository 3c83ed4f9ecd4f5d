import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { withDatabaseOf } from '#tests/support/visitor.ts';
import type { Installation } from './support/installation.ts';
import {
  addContact,
  followLink,
  linkIn,
  register,
  sam,
  settle,
  verify,
  withoutScripts,
  writeMessage,
} from './support/people.ts';
import { expect, test } from './support/test.ts';

const letter = {
  title: 'For Nell, when it is time',
  // Cherokee, which no PDF can show, and letters that one can.
  content: 'Dear Nell,\n\nPut the kettle on first.\n\nᏣᎳᎩ, שלום and 你好 ❤️\n\nDad',
  recipient: 'nell@ashworth.example',
  visible: true,
};
const priya = { name: 'Priya Shah', email: 'priya@post.example', relationship: 'Friend' };

/** Puts a voice into the letter, with what it says. */
async function encloseVoice(page: Page, site: Installation): Promise<void> {
  await withDatabaseOf(site.dataDir, (client) => client.query("update users set plan = 'essential'"));
  const made = await page.evaluate(async () => {
    const [message] = await (await fetch('/api/messages')).json();
    // Half a second of silence: 8,000 samples a second of one byte each (RIFF WAVE).
    const head = new DataView(new ArrayBuffer(44));
    const write = (at: number, text: string) =>
      [...text].forEach((letter, index) => {
        head.setUint8(at + index, letter.charCodeAt(0));
      });
    write(0, 'RIFF');
    head.setUint32(4, 4_036, true);
    write(8, 'WAVEfmt ');
    head.setUint32(16, 16, true);
    head.setUint16(20, 1, true);
    head.setUint16(22, 1, true);
    head.setUint32(24, 8_000, true);
    head.setUint32(28, 8_000, true);
    head.setUint16(32, 1, true);
    head.setUint16(34, 8, true);
    write(36, 'data');
    head.setUint32(40, 4_000, true);
    const form = new FormData();
    form.set('caption', 'Dad, reading it to you');
    form.set('file', new File([head, new Uint8Array(4_000).fill(128)], 'dad.wav', { type: 'audio/wav' }));
    const url = `/api/messages/${message.id}/enclosures`;
    const { id } = await (await fetch(url, { method: 'POST', body: form })).json();
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ transcript: 'Hello, love. That is the kettle.' });
    return (await fetch(`${url}/${id}`, { method: 'PUT', headers, body })).status;
  });
  expect(made).toBe(200);
}

/** A person with an account, who is not signed in here. */
async function joinAndLeave(page: Page, site: Installation): Promise<void> {
  await register(page, site, sam);
  await verify(page, site, sam);
  await page.context().clearCookies();
}

test('everything behind a link works in a browser that runs no scripts', async ({ page, site, browser }) => {
  test.slow();
  await settle(page, site);
  await writeMessage(page, site, letter);
  await encloseVoice(page, site);
  await addContact(page, site, priya);

  const contact = await withoutScripts(browser);
  await followLink(contact, site, priya.email, /Sam/, '/trusted-contact-accept/');
  await expect(contact.getByRole('heading', { level: 1 })).toContainText('Will you be a trusted contact for');
  await contact.getByRole('button', { name: 'Accept' }).click();
  await expect(contact.getByRole('heading', { level: 1 })).toHaveText('Role Confirmed');

  await site.everkept('clock', 'advance', '50d');
  const owner = await withoutScripts(browser);
  await owner.goto(await linkIn(site, sam.email, '/check-in/'));
  await expect(owner).toHaveTitle('Sam, are you there? – Everkept');
  await owner.getByRole('button', { name: 'Check in' }).click();
  await expect(owner.getByRole('heading', { level: 1 })).toHaveText('Thank you, Sam');
  await expect(owner.getByText('Last check-in').or(owner.getByText('First reminder')).first()).toBeVisible();
  await owner.reload();

  await site.everkept('clock', 'advance', '95d');
  const portal = await followLink(contact, site, priya.email, /heard from Sam|Sam/, '/trusted-contact-admin/');
  await expect(contact.getByRole('heading', { level: 1 })).toHaveText('Have you heard from Sam?');
  await contact.getByLabel(/Reason/).fill('Sam died on 1 September. I was at the funeral.');
  await contact.getByRole('button', { name: 'Confirm Message Release' }).click();
  // Nothing is sent before the word was typed.
  await contact.getByLabel(/Type/).fill('yes');
  await contact.getByRole('button', { name: 'Send the messages now' }).click();
  await contact.getByLabel(/Type/).fill('send');
  await contact.getByRole('button', { name: 'Send the messages now' }).click();
  await expect(contact.getByRole('heading', { level: 1 })).toHaveText('Release Confirmed');
  expect(contact.url()).toBe(portal);

  const reader = await withoutScripts(browser);
  const letterLink = await followLink(reader, site, letter.recipient, /Sam/, '/message/');
  await expect(reader.getByRole('heading', { name: 'Sam Ashworth wrote this for you' })).toBeVisible();
  await expect(reader.getByText('Put the kettle on first.')).toHaveCount(0);
  await reader.getByRole('button', { name: 'Open it when you are ready' }).click();
  await expect(reader.getByRole('heading', { name: letter.title })).toBeVisible();
  await expect(reader.getByText('Put the kettle on first.')).toBeVisible();
  await expect(reader.getByText('Dad, reading it to you')).toBeVisible();
  await reader.getByText('Read what Sam Ashworth says').click();
  await expect(reader.getByText('Hello, love. That is the kettle.')).toBeVisible();
  const voice = await reader.request.get(
    new URL((await reader.locator('audio').getAttribute('src')) ?? '', site.url).href,
  );
  expect([voice.status(), voice.headers()['content-type']]).toEqual([200, 'audio/wav']);
  const copy = reader.waitForEvent('download');
  await reader.getByRole('link', { name: 'Save a copy' }).click();
  expect((await copy).suggestedFilename()).toBe('For Nell, when it is time.pdf');
  await expect(reader.getByText('A PDF cannot show some characters of this letter.')).toBeVisible();
  const webPage = reader.waitForEvent('download');
  await reader.getByRole('link', { name: 'Save as a web page' }).click();
  expect((await webPage).suggestedFilename()).toBe('For Nell, when it is time.html');
  expect(await readFile(await (await webPage).path(), 'utf8')).toContain('ᏣᎳᎩ, שלום and 你好 ❤️');

  await site.everkept('clock', 'advance', '31d');
  await reader.goto(letterLink);
  await expect(reader.getByRole('heading', { name: 'Message Not Found' })).toBeVisible();
  const mails = async () => (await site.outbox()).filter(({ to }) => to.address === letter.recipient).length;
  const mailsBefore = await mails();
  await reader.getByRole('button', { name: 'Send me a new link' }).click();
  await expect(reader.getByText('If the message is still kept, a new link goes to the address')).toBeVisible();
  await expect.poll(mails).toBeGreaterThan(mailsBefore);
});

test('the owner of an address removes an account that a stranger opened, without scripts', async ({
  page,
  site,
  browser,
}) => {
  await register(page, site, sam);
  const visitor = await withoutScripts(browser);
  await visitor.goto(await linkIn(site, sam.email, '/not-me/'));
  await visitor.getByRole('button', { name: 'This was not me' }).click();
  await expect(visitor.getByRole('heading', { level: 1 })).toHaveText('The account is gone');
});

test('an owner without scripts counts as active by signing in, and sets a new password', async ({
  page,
  site,
  browser,
}) => {
  await register(page, site, sam);
  await verify(page, site, sam);
  const owner = await withoutScripts(browser);
  const isSignedIn = async () => (await owner.request.get(`${site.url}/api/user`)).status() === 200;
  await owner.goto(`${site.url}/login`);
  await expect(owner).toHaveTitle('Sign in – Everkept');
  await owner.getByLabel('Email').fill(sam.email);
  await owner.getByLabel('Password', { exact: true }).fill('not the one');
  await owner.getByRole('button', { name: 'Sign In', exact: true }).click();
  await expect(owner.getByRole('alert')).toBeVisible();
  await expect(owner).toHaveTitle('Error: Sign in – Everkept');
  expect(await isSignedIn()).toBe(false);
  // The typed text is there again, except the password.
  await expect(owner.getByLabel('Email')).toHaveValue(sam.email);
  await owner.getByLabel('Password', { exact: true }).fill(sam.password);
  await owner.getByRole('button', { name: 'Sign In', exact: true }).click();
  await expect(owner.getByRole('heading', { name: 'Your vault needs scripts' })).toBeVisible();
  expect(await isSignedIn()).toBe(true);

  await owner.context().clearCookies();
  await owner.goto(`${site.url}/login`);
  await owner.getByRole('link', { name: 'Forgot password' }).click();
  await owner.getByLabel('Email').fill(sam.email);
  await owner.getByRole('button', { name: 'Send Reset Email' }).click();
  await expect(owner.getByRole('heading', { name: 'Check Your Email' })).toBeVisible();
  await expect(owner.getByText(sam.email)).toBeVisible();
  await site.mailTo(sam.email, /password/i);
  const link = await linkIn(site, sam.email, '/reset-password/');
  await owner.goto(link);
  await owner.getByLabel('New password', { exact: true }).fill('a new pear tree by the wall');
  await owner.getByLabel('New password again', { exact: true }).fill('another one');
  await owner.getByRole('button', { name: 'Save the new password' }).click();
  await expect(owner).toHaveTitle('Error: Choose a new password – Everkept');
  await owner.getByLabel('New password', { exact: true }).fill('a new pear tree by the wall');
  await owner.getByLabel('New password again', { exact: true }).fill('a new pear tree by the wall');
  await owner.getByRole('button', { name: 'Save the new password' }).click();
  await expect(owner.getByRole('heading', { name: 'Your password is changed' })).toBeVisible();
  await owner.goto(link);
  await owner.getByLabel('New password', { exact: true }).fill('one more pear tree by the wall');
  await owner.getByLabel('New password again', { exact: true }).fill('one more pear tree by the wall');
  await owner.getByRole('button', { name: 'Save the new password' }).click();
  await expect(owner.getByRole('heading', { name: 'This link no longer works' })).toBeVisible();
});

test('text typed before the scripts ran is there afterwards, and the cursor stays', async ({ page, site }) => {
  await joinAndLeave(page, site);
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/\/assets\/.*\.js$/, async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(`${site.url}/login`, { waitUntil: 'commit' });
  await page.getByLabel('Email').fill(sam.email);
  await page.getByLabel('Password', { exact: true }).pressSequentially(sam.password);
  release();
  await expect(page.locator('#root:not([data-entry])')).toBeVisible();
  await expect(page.getByLabel('Password', { exact: true })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeVisible();
});

test.describe('if a part of the page can’t be fetched', () => {
  test.use({ mayComplain: /The page that was asked for could not be fetched/ });

  test('a person who forgot a password asks for a new one on the server’s page', async ({ page, site }) => {
    await joinAndLeave(page, site);
    const refused = page.waitForEvent('requestfailed', (request) => /login-step/.test(request.url()));
    await page.route(/\/assets\/login-step.*\.js$/, (route) => route.abort());
    await page.goto(`${site.url}/login?reset`);
    await refused;
    await page.getByLabel('Email').fill(sam.email);
    await page.getByRole('button', { name: 'Send Reset Email' }).click();
    await expect(page.getByRole('heading', { name: 'Check Your Email' })).toBeVisible();
    await site.mailTo(sam.email, /password/i);
  });
});
