import { linkedPaths } from '#web/linked-paths.ts';
import { previewedPages } from '#web/previewed-pages.ts';
import { addContact, linkIn, sam, settle } from './support/people.ts';
import { expect, test } from './support/test.ts';

/** Content of an element of the head, as a reader of link previews finds it without running scripts. */
function headOf(html: string) {
  const content = (name: string) => new RegExp(`(?:property|name)="${name}" content="([^"]*)"`).exec(html)?.[1];
  const names = ['description', 'og:title', 'og:description', 'og:image', 'twitter:card'] as const;
  return Object.fromEntries(names.map((name) => [name, content(name)]));
}

const productPreview = (url: string) => ({
  'og:title': 'Everkept',
  'og:image': `${url}/pictures/preview-landing.png`,
  'twitter:card': 'summary_large_image',
});

test('every public page has a preview of its own, and every page behind a link names the product alone', async ({
  site,
  request,
}) => {
  for (const { paths, title, description, picture } of previewedPages) {
    const answer = await request.get(site.url + paths[0]);
    const html = await answer.text();
    expect(headOf(html), paths[0]).toEqual({
      ...{ description, 'og:title': title, 'og:description': description },
      ...{ 'og:image': `${site.url}/pictures/${picture}`, 'twitter:card': 'summary_large_image' },
    });
    expect(answer.headers()['x-robots-tag'], paths[0]).toBeUndefined();
    expect(html, paths[0]).toMatch(new RegExp(`<title>[^<]*${paths[0] === '/licences' ? 'Licences' : title}`));
    expect((await request.get(`${site.url}/pictures/${picture}`)).headers()['content-type']).toBe('image/png');
  }
  for (const path of [...linkedPaths, '/reset-password/:token', '/confirm-mailbox/:token', '/verify-email']) {
    const answer = await request.get(site.url + path.replace(/:token\??/, 'abc'));
    expect(headOf(await answer.text()), path).toMatchObject(productPreview(site.url));
    if (path !== '/trusted-contact-demo') expect(answer.headers()['x-robots-tag'], path).toContain('noindex');
  }
});

test('the preview of an invitation names neither its owner nor the invited contact', async ({
  page,
  site,
  playwright,
}) => {
  await settle(page, site);
  await addContact(page, site, { name: 'Priya Shah', email: 'priya@post.example', relationship: 'Friend' });
  const link = await linkIn(site, 'priya@post.example', '/trusted-contact-accept/');
  const stranger = await playwright.request.newContext();
  const head = headOf(await (await stranger.get(link)).text());
  expect(head).toMatchObject(productPreview(site.url));
  expect(Object.values(head).join(' ')).not.toMatch(new RegExp(`${sam.firstName}|${sam.lastName}|Priya|Shah`));
  await stranger.dispose();
});

test('a browser finds nothing that keeps it from installing the site, and no service worker before reminders are on', async ({
  page,
  site,
}) => {
  await page.goto(site.url);
  const devtools = await page.context().newCDPSession(page);
  const { errors, data } = await devtools.send('Page.getAppManifest');
  expect([errors, JSON.parse(data ?? '{}').start_url]).toEqual([[], '/']);
  const found = (await devtools.send('Page.getInstallabilityErrors')).installabilityErrors;
  // Every context of a test is a private window.
  expect(found.map(({ errorId }) => errorId).filter((id) => id !== 'in-incognito')).toEqual([]);
  expect(await page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length)).toBe(0);
});

test('the public header is one row at 320 pixels, in both themes, also before its typefaces have come', async ({
  page,
  site,
}) => {
  await page.setViewportSize({ width: 320, height: 700 });
  await page.route('**/*.woff2', (route) => route.abort());
  await page.goto(site.url);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  await page.unroute('**/*.woff2');
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    for (const path of ['/', '/faq', '/first-week', '/complaint', '/login', '/register']) {
      await page.goto(site.url + path);
      const header = page.locator('header.head');
      await expect(header).toBeVisible();
      const middles = await header.locator('a:visible').evaluateAll((links) =>
        links.map((link) => {
          const { top, height } = link.getBoundingClientRect();
          return Math.round(top + height / 2);
        }),
      );
      expect(Math.max(...middles) - Math.min(...middles), path).toBeLessThanOrEqual(2);
      expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBeLessThanOrEqual(320);
    }
  }
});

test('the header is one row at every width, also for an administrator and a trustee', async ({ page, site }) => {
  await settle(page, site);
  for (const [count, roles] of [
    [6, { isAdministrator: true, isTrustedContactAccount: false }],
    [6, { isAdministrator: false, isTrustedContactAccount: true }],
    [7, { isAdministrator: true, isTrustedContactAccount: true }],
  ] as const) {
    await page.unrouteAll();
    await page.route(/\/api\/(auth\/)?user$/, async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...(await answer.json()), ...roles } });
    });
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(site.url);
    const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link');
    await expect(links).toHaveCount(count);
    await expect(page.getByRole('button', { name: 'Find', exact: true })).toBeVisible();
    const menu = page.locator('.head summary', { hasText: 'Menu' });
    for (let width = 1024; width <= 1400; width += 16) {
      await page.setViewportSize({ width, height: 800 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth), `${width}`).toBeLessThanOrEqual(width);
      const tops = await links.evaluateAll((all) => all.map((link) => Math.round(link.getBoundingClientRect().top)));
      expect(new Set(tops).size, `${count} links at ${width} pixels`).toBeLessThanOrEqual(1);
      expect(await menu.isVisible(), `the menu at ${width} pixels`).toBe(!(await links.first().isVisible()));
    }
  }
});

test('Tab never leads to a field under the sticky buttons of a letter', async ({ page, site }) => {
  await settle(page, site);
  for (const [width, height] of [
    [320, 640],
    [1280, 800],
  ] as const) {
    await page.setViewportSize({ width, height });
    await page.goto(`${site.url}/messages`);
    await page.getByRole('button', { name: 'Create Message' }).first().click();
    await expect(page.getByLabel('Message Title *')).toBeVisible();
    for (let press = 0; press < 30; press += 1) {
      await page.keyboard.press('Tab');
      const hidden = await page.evaluate(() => {
        const [dock, focused] = [document.querySelector('dialog .dock'), document.activeElement];
        if (!dock || !focused || dock.contains(focused) || !focused.parentElement?.closest('dialog')) return null;
        const [below, above] = [focused.getBoundingClientRect(), dock.getBoundingClientRect()];
        const isCovered = below.bottom > above.top && below.top < above.bottom && below.right > above.left;
        return isCovered && below.left < above.right ? focused.outerHTML : null;
      });
      expect(hidden, `${width} px, Tab ${press + 1}`).toBeNull();
    }
  }
});

test('reminders are switched on for a device, shown by a worker that keeps nothing, and switched off', async ({
  page,
  site,
}) => {
  await page.context().grantPermissions(['notifications']);
  // No push service is reached here: this stands for the browser's own subscription.
  await page.addInitScript(() => {
    const keys = { p256dh: `B${'A'.repeat(86)}`, auth: 'A'.repeat(22) };
    const endpoint = 'https://push.example/this-browser';
    const made = {
      endpoint,
      toJSON: () => ({ endpoint, keys }),
      unsubscribe: async () => {
        sessionStorage.removeItem('subscribed');
        return true;
      },
    };
    const found = async () => (sessionStorage.getItem('subscribed') ? made : null);
    PushManager.prototype.getSubscription = found as unknown as PushManager['getSubscription'];
    PushManager.prototype.subscribe = (async ({ applicationServerKey }: { applicationServerKey: string }) => {
      if (!/^B[\w-]{86}$/.test(applicationServerKey)) throw new TypeError('No key of an installation.');
      sessionStorage.setItem('subscribed', 'yes');
      return made;
    }) as unknown as PushManager['subscribe'];
  });
  await settle(page, site);
  await page.goto(`${site.url}/privacy`);
  const card = page.getByRole('region', { name: 'Reminders on your screen' });
  await card.getByRole('button', { name: 'Show them on this device' }).click();
  await expect(card.getByText('This device')).toBeVisible();

  const devtools = await page.context().newCDPSession(page);
  const registered = new Promise<string>((resolve) => {
    devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [first] = registrations;
      if (first) resolve(first.registrationId);
    });
  });
  await devtools.send('ServiceWorker.enable');
  const push = { title: 'Everkept', body: 'Please open your vault when you have a moment.' };
  const shown = () =>
    page.evaluate(async () => {
      const registration = await navigator.serviceWorker.ready;
      return (await registration.getNotifications()).map(({ title, body, data }) => ({ title, body, data }));
    });
  for (const data of [JSON.stringify(push), 'no JSON', '']) {
    const registrationId = await registered;
    await devtools.send('ServiceWorker.deliverPushMessage', { origin: site.url, registrationId, data });
    // Each takes the place of the one before.
    await expect.poll(shown).toEqual([{ ...push, data: null }]);
  }
  await page.goto(`${site.url}/dashboard`);
  expect(await page.evaluate(() => caches.keys())).toEqual([]);

  await page.goto(`${site.url}/privacy`);
  await card.getByRole('button', { name: /^Switch off on / }).click();
  await expect(card.getByRole('button', { name: 'Show them on this device' })).toBeVisible();
  await expect(card.getByText('This device', { exact: true })).toHaveCount(0);
});
