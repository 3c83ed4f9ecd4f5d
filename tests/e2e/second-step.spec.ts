import type { Page } from '@playwright/test';
import { codeAt } from '#server/features/sessions/second-factors/second-factors.test-world.ts';
import type { Installation } from './support/installation.ts';
import { sam, settle } from './support/people.ts';
import { expect, expectToast, expectWellMade, test } from './support/test.ts';

/** An authenticator of the browser's own, which answers as if a finger lay on it (WebAuthn Level 3 §11). */
async function withAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      // Only a press asks for it. Otherwise the address field would be answered before the page is visible.
      automaticPresenceSimulation: true,
    },
  });
}

async function logOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /account menu/ }).click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await expectToast(page, 'Logged out successfully');
}

async function givePassword(page: Page, site: Installation): Promise<void> {
  await page.goto(`${site.url}/login`);
  await page.getByLabel('Email').fill(sam.email);
  await page.getByLabel('Password', { exact: true }).fill(sam.password);
  await page.getByRole('button', { name: 'Sign In', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'One more step' })).toBeVisible();
}

const atHome = (page: Page) => expect(page.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeVisible();

test('an owner sets an app up, loses the phone, and comes in with a recovery code', async ({ page, site }) => {
  test.slow();
  await settle(page, site);
  await page.getByRole('button', { name: /account menu/ }).click();
  await page.getByRole('menuitem', { name: 'Privacy & Security' }).click();
  await expect(page.getByText('You signed in').first()).toBeVisible();
  await expectWellMade(page);

  await page.getByRole('button', { name: 'Set up an app' }).click();
  await expect(page.getByRole('img', { name: 'The code for your authenticator app' })).toBeVisible();
  await page.getByText('You can’t scan it?').click();
  const secret = (await page.locator('.secret-text').textContent()) ?? '';
  await expectWellMade(page);
  await page.getByLabel('Code from the app').fill(codeAt(secret, Date.now()));
  await page.getByRole('button', { name: 'Turn it on' }).click();
  const codes = page.locator('.recovery-codes li');
  await expect(codes).toHaveCount(10);
  const code = (await codes.first().textContent()) ?? '';
  await expectWellMade(page);
  await page.getByLabel('I have kept these codes').check();
  await page.getByRole('button', { name: 'Done' }).click();

  await logOut(page);
  await givePassword(page, site);
  await expectWellMade(page);
  await page.getByRole('button', { name: 'Use a recovery code' }).click();
  await page.getByLabel('Recovery code').fill(code);
  await page.getByRole('button', { name: 'Continue' }).click();
  await atHome(page);
});

test('a passkey opens the vault by itself, and after the password', async ({ page, site }) => {
  await withAuthenticator(page);
  // Its presses are made by itself, so the quiet offer in the field would sign in before a button is pressed.
  await page.addInitScript(() => {
    Object.defineProperty(PublicKeyCredential, 'isConditionalMediationAvailable', { value: async () => false });
  });
  await settle(page, site);
  await page.goto(`${site.url}/privacy`);
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByLabel('A name for it').fill('My phone');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByLabel('I have kept these codes').check();
  await page.getByRole('button', { name: 'Done' }).click();
  await expect(page.getByText('My phone', { exact: true })).toBeVisible();

  await logOut(page);
  await page.goto(`${site.url}/login`);
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await atHome(page);
  await logOut(page);
  await givePassword(page, site);
  await page.getByRole('button', { name: 'Use your passkey' }).click();
  await atHome(page);
});
