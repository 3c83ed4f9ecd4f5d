import type { Page } from '@playwright/test';
import { codeAt } from '#server/features/sessions/second-factors/second-factors.test-world.ts';
import { withDatabaseOf } from '#tests/support/visitor.ts';
import { type Person, sam, settle } from './support/people.ts';
import { startCopy } from './support/ready-made.ts';
import { expect, expectToast, expectWellMade, test } from './support/test.ts';

const operator: Person = { ...sam, firstName: 'Opal', lastName: 'Marsh', email: 'operator@everkept.example' };

async function setUpApp(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Set up a second step' }).click();
  await page.getByRole('button', { name: 'Set up an app' }).click();
  await page.getByText('You can’t scan it?').click();
  const secret = (await page.locator('.secret-text').textContent()) ?? '';
  await page.getByLabel('Code from the app').fill(codeAt(secret, Date.now()));
  await page.getByRole('button', { name: 'Turn it on' }).click();
  await page.getByLabel('I have kept these codes').check();
  await page.getByRole('button', { name: 'Done' }).click();
}

/** Mails of the account failed, one of them permanently, and a trustee has asked for its release. Without a contact that request would end. */
const planted = `
  update notifications set status = 'pending', attempts = 2, accepted_at = null, ended_at = null, last_reply_code = 550,
      next_attempt_at = now() + interval '6 hours'
    where id = (select id from notifications where kind = 'accounts.verification' order by created_at limit 1);
  insert into notifications (id, user_id, channel, kind, dedupe_key, message_id, status, attempts, refusals, not_before,
      first_attempt_at, last_attempt_at, ended_at, last_reply_code, created_at)
    select gen_random_uuid(), id, 'email', 'release.contact_asked', 'planted', '<a@b>', 'bounced', 3, 3, now(),
      now() - interval '2 days', now() - interval '1 hour', now() - interval '1 hour', 550, now() from users;
  insert into trusted_contacts (id, user_id, name, email, is_active, is_confirmed, confirmed_at)
    select gen_random_uuid(), id, 'sealed', 'ada@people.example', true, true, now() - interval '30 days' from users;
  insert into release_requests (id, user_id, cause, inactivity_days, needed, answer_days, waiting_days, opened_at,
      opened_healthy_ms, is_silence_over, phase, phase_at, phase_healthy_ms)
    select gen_random_uuid(), id, 'trustee', 90, 1, 7, 3, now(), 0, false, 'asking', now(), 0 from users;
  update users set release_frozen_at = now();`;

test('the operator reads which emails failed and what releases wait for, and tries an email again by keyboard', async ({
  page,
}) => {
  test.slow();
  const site = await startCopy({ ADMIN_EMAIL: operator.email });
  try {
    await settle(page, site, operator);
    const panel = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Admin Panel' });
    await panel.click();
    await setUpApp(page);
    await withDatabaseOf(site.dataDir, (client) => client.query(planted));
    await panel.click();

    const mails = page.getByRole('region', { name: 'Emails that failed' });
    await expect(mails.getByRole('status')).toContainText('Still tried: 1.');
    await expect(mails.getByRole('heading', { name: operator.email })).toBeVisible();
    await expect(mails.getByText('such as by a rule or a spam list')).toBeVisible();
    await expect(mails.getByText('It has ended and is not sent again.')).toBeVisible();
    const releases = page.getByRole('region', { name: 'Releases in progress' });
    await expect(releases.getByRole('heading', { name: operator.email })).toBeVisible();
    await expect(releases.getByText('A freeze of this account')).toBeVisible();
    // The command prints these words too.
    expect(await site.everkept('release', 'show')).toContain(
      `A freeze of this account. To end it: everkept release resume ${operator.email}`,
    );
    await expectWellMade(page);
    const shots = process.env.EVERKEPT_SHOTS;
    if (shots) await takeShots(page, shots);

    await mails.getByRole('button', { name: /^Try again/ }).focus();
    await page.keyboard.press('Enter');
    await expectToast(page, 'It is tried again now.');
    await expect(mails.getByRole('button', { name: /^Try again/ })).toHaveCount(0);
    await mails.getByRole('searchbox').fill('other.example');
    await page.keyboard.press('Enter');
    await expect(mails.getByText('No email to this address or domain has failed.')).toBeVisible();
  } finally {
    await site.stop();
  }
});

/** Pictures for a person who looks at the page: at both widths, in both themes. */
async function takeShots(page: Page, folder: string): Promise<void> {
  for (const theme of ['light', 'dark']) {
    await page.evaluate((name) => {
      document.documentElement.classList.remove('light', 'dark');
      document.documentElement.classList.add(name);
    }, theme);
    for (const width of [320, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      for (const id of ['failed-mails', 'releases-under-way']) {
        const region = page.locator(`section[aria-labelledby="${id}"]`);
        await region.screenshot({ path: `${folder}/${id}-${width}-${theme}.png` });
      }
    }
  }
}
