import type { Page } from '@playwright/test';
import {
  type ProviderPerson,
  startIdentityProvider,
  type TestIdentityProvider,
} from '#tests/support/servers/identity-provider.ts';
import type { Installation } from './support/installation.ts';
import { register, sam, verify } from './support/people.ts';
import { startCopy } from './support/ready-made.ts';
import { test as base, expect, expectToast, expectWellMade } from './support/test.ts';

const ada: ProviderPerson = {
  sub: 'ada-1',
  email: 'ada@people.example',
  email_verified: true,
  given_name: 'Ada',
  family_name: 'Shah',
};
const samThere: ProviderPerson = { sub: 'sam-1', email: sam.email, email_verified: true };

/** An installation and a provider that know each other. */
const test = base.extend<{ provider: TestIdentityProvider; site: Installation }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures a function needs from this pattern.
  provider: async ({}, use) => {
    const provider = await startIdentityProvider({ people: [ada, samThere] });
    await use(provider);
    await provider.close();
  },
  site: async ({ provider }, use) => {
    const site = await startCopy({
      GOOGLE_ISSUER: provider.issuer,
      GOOGLE_CLIENT_ID: provider.clientId,
      GOOGLE_CLIENT_SECRET: provider.clientSecret,
    });
    provider.redirectUris.push(`${site.url}/api/auth/google/callback`);
    await use(site);
    await site.stop();
  },
});

test('a newcomer signs up with Google, goes, and signs in with it again', async ({ page, site, context }) => {
  await page.goto(`${site.url}/register?plan=premium`);
  await page.getByRole('link', { name: 'Sign up with Google' }).click();
  await page.getByRole('button', { name: 'Continue as ada@people.example' }).click();
  // The plan that was chosen on joining comes first, once.
  await expect(page).toHaveURL(`${site.url}/subscribe?plan=premium`);
  await expect(page.getByRole('heading', { name: 'Choose your plan', level: 1 })).toBeVisible();
  await page.goto(`${site.url}/`);
  await expect(page.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeVisible();
  await expect(page.getByText('Email verification required')).toBeHidden();
  const user = await page.evaluate(async () => (await fetch('/api/auth/user')).json());
  expect(user).toMatchObject({ email: ada.email, firstName: 'Ada', emailVerified: true, intendedPlan: 'premium' });
  // Cookies know no ports, so those of the provider are here as well.
  const ours = (await context.cookies(site.url)).filter(({ name }) => name.startsWith('everkept'));
  expect(ours.map(({ name }) => name)).toEqual(['everkept']);

  await page.getByRole('button', { name: /account menu/ }).click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await expectToast(page, 'Logged out successfully');
  await page.goto(`${site.url}/login`);
  await expect(page.getByRole('link', { name: 'Sign in with Google' })).toBeVisible();
  await expectWellMade(page);
  await page.getByRole('link', { name: 'Sign in with Google' }).click();
  // The provider still knows the browser, so it does not ask again.
  await expect(page.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeVisible();
});

test('an owner with Google alone deletes the account after Google has confirmed in another tab', async ({
  page,
  site,
  context,
}) => {
  await page.goto(`${site.url}/register`);
  await page.getByRole('link', { name: 'Sign up with Google' }).click();
  await page.getByRole('button', { name: 'Continue as ada@people.example' }).click();
  await expect(page.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeVisible();
  await site.everkept('clock', 'advance', '1h');
  await page.goto(`${site.url}/data-export`);
  await page.getByLabel(/I understand that my account/).check();
  await page.getByRole('button', { name: 'Delete My Account' }).click();
  await expect(page.getByRole('dialog', { name: 'Confirm that it is you' })).toBeVisible();
  await expectWellMade(page);

  const confirmAs = async (button: string) => {
    const opened = context.waitForEvent('page');
    await page.getByRole('link', { name: 'Confirm with Google' }).click();
    const other = await opened;
    await other.getByRole('button', { name: button }).click();
    return other;
  };
  const refused = await confirmAs('Cancel');
  await expect(refused.getByRole('heading', { name: 'Google did not confirm that it is you' })).toBeVisible();
  await expectWellMade(refused);
  await refused.close();
  const other = await confirmAs('Continue as ada@people.example');
  await expect(other.getByRole('heading', { name: 'Thank you, that is confirmed' })).toBeVisible();
  await expectWellMade(other);
  await other.close();
  await page.getByRole('button', { name: 'I have confirmed, go on' }).click();
  await expectToast(page, 'Account Deleted');
});

test('a visitor who cancels at Google gets a notice, and gets in with the password', async ({ page, site }) => {
  await register(page, site, sam);
  await page.goto(`${site.url}/login`);
  await page.getByRole('link', { name: 'Sign in with Google' }).click();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByText('Google Sign In Failed')).toBeVisible();
  const words = 'There was an issue signing in with Google. Please try again or use email/password.';
  await expect(page.getByText(words)).toBeVisible();
  await expect(page).toHaveURL(`${site.url}/login`);
  await expectWellMade(page);

  await page.getByLabel('Email').fill(sam.email);
  await page.getByLabel('Password', { exact: true }).fill(sam.password);
  await page.getByRole('button', { name: 'Sign In', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeVisible();
});

test('an account with an unverified address is handed over empty to its person, who comes with Google', async ({
  page,
  site,
}) => {
  await register(page, site, sam);
  await page.goto(`${site.url}/login`);
  await page.getByRole('link', { name: 'Sign in with Google' }).click();
  await page.getByRole('button', { name: `Continue as ${sam.email}` }).click();
  await expectToast(page, 'This vault is yours, and empty');
  await expect(page.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeVisible();
  await expect(page).toHaveURL(`${site.url}/`);
  await site.mailTo(sam.email, /can now be opened with Google/);
});

test('an owner links Google by mail, sees it in the list, removes it, and a new password removes the next link', async ({
  page,
  site,
  browser,
}) => {
  test.slow();
  await register(page, site, sam);
  await verify(page, site, sam);
  await expect(page.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeVisible();
  const tryGoogle = async (at: Page) => {
    await at.context().clearCookies();
    await at.goto(`${site.url}/login`);
    await at.getByRole('link', { name: 'Sign in with Google' }).click();
    await at.getByRole('button', { name: `Continue as ${sam.email}` }).click();
  };
  await tryGoogle(page);
  await expect(page.getByText('If this address can be linked, we have written to it.')).toBeVisible();
  await expectWellMade(page);

  // The mail is read on a machine that runs no scripts and is signed in nowhere.
  const plain = await browser.newContext({ locale: 'en-GB', javaScriptEnabled: false });
  const reader = await plain.newPage();
  const asked = await site.mailTo(sam.email, /Link Google to your account\?/);
  await reader.goto(asked.links.find((link) => link.includes('/link-sign-in/')) ?? '');
  await reader.getByRole('button', { name: 'Link Google to your account' }).click();
  await expect(reader.getByRole('heading', { name: 'Google is linked' })).toBeVisible();
  await tryGoogle(page);
  await expect(page.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeVisible();

  await page.goto(`${site.url}/privacy`);
  const ways = page.getByRole('region', { name: 'Ways to sign in' });
  await expect(ways.getByText(sam.email)).toBeVisible();
  await expectWellMade(page);
  await ways.getByRole('button', { name: 'Remove Google' }).click();
  await page.getByRole('button', { name: 'Remove it' }).click();
  await expectToast(page, 'Removed');
  await expect(ways.getByRole('button', { name: 'Remove Google' })).toBeHidden();
  await expect(ways.getByText('the only way to sign in that you have')).toBeVisible();
  await site.mailTo(sam.email, /A way to sign in was removed/);

  // From the session, with the password of just now.
  await ways.getByRole('button', { name: 'Link Google' }).click();
  await page.getByRole('dialog').getByLabel('Password', { exact: true }).fill(sam.password);
  await page.getByRole('dialog').getByRole('button', { name: 'Go on' }).click();
  await expect(page.getByText('Google is linked. You can sign in with it from now on.')).toBeVisible();

  await reader.goto(`${site.url}/login?reset`);
  await reader.getByLabel('Email').fill(sam.email);
  await reader.getByRole('button', { name: 'Send Reset Email' }).click();
  const reset = await site.mailTo(sam.email, /Choose a new password/);
  expect(reset.text.replace(/\s+/g, ' ')).toContain('removes the link with Google');
  await reader.goto(reset.links.find((link) => link.includes('/reset-password/')) ?? '');
  await reader.getByLabel('New password', { exact: true }).fill('a quiet green kettle');
  await reader.getByLabel('New password again', { exact: true }).fill('a quiet green kettle');
  await reader.getByRole('button', { name: 'Save the new password' }).click();
  await expect(reader.getByText('The link with Google was removed.')).toBeVisible();
  await tryGoogle(page);
  await expect(page.getByText('If this address can be linked, we have written to it.')).toBeVisible();

  const refused = await site.mailTo(sam.email, /can now be opened with Google/);
  await reader.goto(refused.links.find((link) => link.includes('/unlink-sign-in/')) ?? '');
  await reader.getByRole('button', { name: 'This was not me' }).click();
  await expect(reader.getByRole('heading', { name: 'Google is refused' })).toBeVisible();
  await plain.close();
});

test('the site starts while Google is out of reach, and leads back to the sign-in page', async ({
  page,
  provider,
  site,
}) => {
  await provider.close();
  await page.goto(`${site.url}/login`);
  await page.getByRole('link', { name: 'Sign in with Google' }).click();
  await expect(page.getByText('Google Sign In Failed')).toBeVisible();
  await expect(page).toHaveURL(`${site.url}/login`);
});
