import type { Page } from '@playwright/test';
import { bytesOf, usedBytesMax } from './support/bytes.ts';
import { operatorEmail } from './support/installation.ts';
import { followLink, register, sam, signIn, verify, writeMessage } from './support/people.ts';
import { expect, expectToast, expectWellMade, test } from './support/test.ts';

test('a newcomer reads the landing page, registers, verifies by the outbox and is in', { tag: '@first' }, async ({
  page,
  site,
}) => {
  await page.goto(site.url);
  await expect(page.getByRole('heading', { name: 'Your Digital Legacy, Protected Forever' })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'How it works' })).toBeVisible();
  await expect(page.getByRole('link', { name: operatorEmail })).toBeVisible();
  await expectWellMade(page);

  await page.goto(`${site.url}/register`);
  await expectWellMade(page);
  await register(page, site, sam);
  await expect(page.getByRole('link', { name: operatorEmail })).toBeVisible();
  await expectWellMade(page);

  await page.goto(`${site.url}/outbox`);
  await expect(page.getByText(sam.email).first()).toBeVisible();
  await expectWellMade(page);

  await verify(page, site, sam);
  await expect(page.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeVisible();
  await expect(page).toHaveURL(`${site.url}/`);
  await expect(page.getByText('Email verification required')).toBeHidden();
});

for (const address of ['/login', '/register', '/reset-password/a-link-that-is-long-dead']) {
  test(`the application comes with at most 200 kB to whoever opens ${address}`, async ({ page, site }) => {
    await page.goto(site.url + address);
    await expect(page.getByRole('button', { name: /^Show password|^Show/ }).first()).toBeVisible();
    await expectLight(page);
  });
}

test('the complaint and emergency forms come with at most 200 kB each, and name a missing value', async ({
  page,
  site,
}) => {
  for (const [path, press, fault] of [
    ['/complaint', 'Send the complaint', 'Please enter your name'],
    ['/emergency-activation', 'Send the request', 'Please enter a valid email address'],
  ] as const) {
    await page.goto(site.url + path);
    await expectLight(page);
    await page.getByRole('button', { name: press }).click();
    await expect(page.getByText(fault).first()).toBeVisible();
  }
});

/** The scripts of the page have come, and all of it is within the limit. */
async function expectLight(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle');
  const bytes = await bytesOf(page);
  expect(bytes).toBeLessThanOrEqual(usedBytesMax);
  // Else nothing was fetched that could weigh anything.
  expect(bytes).toBeGreaterThan(100_000);
}

test('a newcomer who opens the link in another browser comes to the sign-in page, with the address filled in', async ({
  page,
  browser,
  site,
}) => {
  await register(page, site, sam);
  const other = await (await browser.newContext({ locale: 'en-GB' })).newPage();
  await verify(other, site, sam);
  await expect(other.getByRole('heading', { name: 'Your email address is confirmed' })).toBeVisible();
  await expect(other).toHaveURL(`${site.url}/login`);
  await expect(other.getByLabel('Email')).toHaveValue(sam.email);
  await expectWellMade(other);
  await other.getByLabel('Password', { exact: true }).fill(sam.password);
  await other.getByRole('button', { name: 'Sign In', exact: true }).click();
  await expect(other.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeVisible();
});

test('a person whose address a stranger registered reads the content of the account, and has it removed', async ({
  page,
  browser,
  site,
}) => {
  const stranger = await (await browser.newContext({ locale: 'en-GB' })).newPage();
  await register(stranger, site, sam);
  await signIn(stranger, site, sam);
  await writeMessage(stranger, site, { title: 'For Nell', content: 'Pay him.', recipient: 'nell@family.example' });
  await stranger.goto(site.url);
  await stranger.getByRole('button', { name: 'Resend Email' }).click();
  await expectToast(stranger, 'Verification email sent');

  await expect
    .poll(async () => (await site.outbox()).filter(({ text }) => /so\s+far:\s+1\s+letter/.test(text)).length)
    .toBe(1);
  await followLink(page, site, sam.email, /Confirm your email/, '/not-me/');
  await expect(page.getByText('1 letter', { exact: true })).toBeVisible();
  await expectWellMade(page);
  await page.getByRole('button', { name: 'This was not me' }).click();
  await expect(page.getByRole('heading', { name: 'The account is gone' })).toBeVisible();
  await expectWellMade(page);

  await stranger.goto(site.url);
  await expect(stranger.getByRole('heading', { name: 'Your Digital Legacy, Protected Forever' })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('heading', { name: 'This link has ended' })).toBeVisible();
});

test('an unverified owner gets a notice and can ask for the link again', async ({ page, site }) => {
  await register(page, site, sam);
  await signIn(page, site, sam);
  await expect(page.getByText('Email verification required')).toBeVisible();
  await page.getByRole('button', { name: 'Resend Email' }).click();
  await expectToast(page, 'Verification email sent');
  await expectWellMade(page);
});

test('a wrong password is refused in words, and signing out ends the session', async ({ page, site, context }) => {
  await register(page, site, sam);
  await page.goto(`${site.url}/login`);
  await page.getByLabel('Email').fill(sam.email);
  await page.getByLabel('Password', { exact: true }).fill('not the password');
  await page.getByRole('button', { name: 'Sign In', exact: true }).click();
  await expectToast(page, 'Login Failed');
  await expect(page.getByLabel('Email')).toHaveValue(sam.email);

  await signIn(page, site, sam);
  const cookie = (await context.cookies()).find(({ name }) => name === 'everkept');
  await page.getByRole('button', { name: /account menu/ }).click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await expectToast(page, 'Logged out successfully');
  const answer = await fetch(`${site.url}/api/user`, { headers: { cookie: `everkept=${cookie?.value}` } });
  expect(answer.status).toBe(401);
});

test('a forgotten password is replaced through the mailed link, once', async ({ page, site }) => {
  await register(page, site, sam);
  await page.goto(`${site.url}/login`);
  await page.getByRole('button', { name: 'Forgot password' }).click();
  // Until this form is there, the field of the other one has the same name.
  await expect(page.getByRole('heading', { name: 'Reset your password' })).toBeVisible();
  await page.getByLabel('Email').fill(sam.email);
  await page.getByRole('button', { name: 'Send Reset Email' }).click();
  await expect(page.getByRole('heading', { name: 'Check Your Email' })).toBeVisible();

  const mail = await site.mailTo(sam.email, /password/i);
  const link = mail.links.find((address) => address.includes('/reset-password/')) ?? '';
  await page.goto(link);
  await expectWellMade(page);
  const password = 'a wholly different phrase';
  await page.getByLabel('New password', { exact: true }).fill(password);
  await page.getByLabel('New password again', { exact: true }).fill(password);
  await page
    .getByRole('button', { name: /password/i })
    .last()
    .click();
  await expect(page.getByRole('heading', { name: 'This vault is yours, and empty' })).toBeVisible();
  await signIn(page, site, { ...sam, password });

  const again = await fetch(`${site.url}/api/reset-password/complete`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: site.url },
    body: JSON.stringify({ token: link.split('/').at(-1), password, confirmPassword: password }),
  });
  expect(again.status).toBe(404);
});
