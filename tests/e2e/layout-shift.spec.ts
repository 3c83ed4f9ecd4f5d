import type { Browser, BrowserContext, Page } from '@playwright/test';
import { withDatabaseOf } from '#tests/support/visitor.ts';
import { acceptInvitation, addContact, linkIn, settle, writeMessage } from './support/people.ts';
import { expect, test } from './support/test.ts';

const publicPages = [
  '/',
  '/login',
  '/register',
  '/faq',
  '/user-guide',
  '/emergency-activation',
  '/easy-setup',
  '/trusted-contact-demo',
];
const vaultPages = [
  '/',
  '/messages',
  '/documents',
  '/contacts',
  '/rehearsal',
  '/help',
  '/account',
  '/privacy',
  '/subscribe',
  '/trustee',
  '/data-export',
  '/recently-deleted',
];
const nell = 'nell@ashworth.example';
const priya = 'priya@post.example';
const widths = [390, 1280];
/** Long enough to see the placeholder before an answer. */
const slowAnswerMs = 250;
const answerTurns = 3;
/** Some pages ask a second thing once they know the first. */
const settledMs = (2 * answerTurns + 1) * slowAnswerMs;

type State = Awaited<ReturnType<BrowserContext['storageState']>>;
type Shift = LayoutShift & { sources: { node: Node | null }[] };
type LayoutShift = PerformanceEntry & { value: number; hadRecentInput: boolean };
type Watched = Window & { shifts?: string[] };

test('nothing moves on a page while it is loaded, at 390 and 1280 pixels', async ({ page, site, browser }) => {
  test.slow();
  await settle(page, site);
  await writeMessage(page, site, {
    title: 'For Nell',
    content: 'Put the kettle on.',
    recipient: 'nell@ashworth.example',
    visible: true,
  });
  await addContact(page, site, { name: 'Priya Shah', email: 'priya@post.example', relationship: 'Friend' });
  await acceptInvitation(await (await browser.newContext({ locale: 'en-GB' })).newPage(), site, 'priya@post.example');
  // Old enough to be asked about.
  await withDatabaseOf(site.dataDir, (client) =>
    client.query("update message_recipients set address_since = now() - interval '2 years'"),
  );
  const signedIn = await page.context().storageState();
  const moved: string[] = [];
  for (const width of widths) {
    for (const [paths, storageState] of [
      [publicPages, undefined],
      [vaultPages, signedIn],
    ] as const) {
      const visitor = await watchedPage(browser, width, storageState);
      for (const path of paths) moved.push(...(await shiftsAt(visitor, site.url, path)));
      await visitor.context().close();
    }
  }
  expect(moved).toEqual([]);
});

test('nothing moves on the pages behind links, and a picture in a letter has its place before it is there', async ({
  page,
  site,
  browser,
}) => {
  test.slow();
  await settle(page, site);
  await withDatabaseOf(site.dataDir, (client) => client.query("update users set plan = 'essential'"));
  await writeMessage(page, site, { title: 'For Nell', content: 'Dear Nell,\n\nLook.\n\nDad', recipient: nell });
  await enclosePictures(page);
  await addContact(page, site, { name: 'Priya Shah', email: priya, relationship: 'Friend' });
  const contact = await (await browser.newContext({ locale: 'en-GB' })).newPage();
  await acceptInvitation(contact, site, priya);
  const places = [
    `/trusted-contact-accept/${(await linkIn(site, priya, '/trusted-contact-accept/')).split('/').at(-1)}`,
  ];

  await site.everkept('clock', 'advance', '95d');
  const portal = await linkIn(site, priya, '/trusted-contact-admin/');
  places.push(new URL(portal).pathname);
  await contact.goto(portal);
  await contact.getByLabel(/Reason/).fill('Sam died on 1 September. I was at the funeral.');
  await contact.getByRole('button', { name: 'Confirm Message Release' }).click();
  await contact.getByLabel(/Type/).fill('SEND');
  await contact.getByRole('button', { name: 'Send the messages now' }).click();
  await expect(contact.getByText('Release Confirmed')).toBeVisible();
  await expect.poll(async () => (await site.outbox()).some(({ to }) => to.address === nell)).toBe(true);
  const letter = new URL(await linkIn(site, nell, '/message/')).pathname;

  const moved: string[] = [];
  for (const width of widths) {
    const visitor = await watchedPage(browser, width);
    // Once opened, the letter is what the same address shows.
    for (const path of width === widths[0] ? [...places, letter] : places)
      moved.push(...(await shiftsAt(visitor, site.url, path)));
    if (width === widths[0]) {
      await visitor.getByRole('button', { name: 'Open it when you are ready' }).click();
      await expect(visitor.locator('figure img')).toHaveCount(2);
    }
    moved.push(...(await shiftsAt(visitor, site.url, letter)));
    await expect(visitor.locator('figure img')).toHaveCount(2);
    const shown = await visitor.locator('figure img').evaluateAll((pictures) =>
      pictures.map((picture) => {
        const { width, height } = picture.getBoundingClientRect();
        return { ratio: Math.round((100 * width) / height), isHigh: height > 640 };
      }),
    );
    expect(shown).toEqual([
      { ratio: 150, isHigh: false },
      { ratio: 50, isHigh: false },
    ]);
    await visitor.context().close();
  }
  expect(moved).toEqual([]);
});

/** Puts two pictures into the one letter: one lies, and one stands higher than any page shows it. */
async function enclosePictures(page: Page): Promise<void> {
  const sizes = await page.evaluate(async () => {
    const [message] = await (await fetch('/api/messages')).json();
    const made: unknown[] = [];
    for (const [width, height] of [
      [1_200, 800],
      [900, 1_800],
    ] as const) {
      const canvas = document.createElement('canvas');
      [canvas.width, canvas.height] = [width, height];
      canvas.getContext('2d')?.fillRect(100, 100, 500, 500);
      const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
      const form = new FormData();
      form.set('file', new File([blob ?? ''], 'drawn.png', { type: 'image/png' }));
      const answer = await fetch(`/api/messages/${message.id}/enclosures`, { method: 'POST', body: form });
      made.push((await answer.json()).pictureSize);
    }
    return made;
  });
  expect(sizes).toEqual([
    { width: 1_200, height: 800 },
    { width: 900, height: 1_800 },
  ]);
}

/** A page of a browser of its own that tells what moves on it, and gets every answer late. */
async function watchedPage(browser: Browser, width: number, storageState?: State): Promise<Page> {
  const context = await browser.newContext({
    locale: 'en-GB',
    viewport: { width, height: 844 },
    ...(storageState ? { storageState } : {}),
  });
  await context.addInitScript(watchShifts);
  await context.route('**/api/**', async (route) => {
    // Answers come in an order of their own: a part that comes late must not move those that are there.
    const turn = 1 + (new URL(route.request().url()).pathname.length % answerTurns);
    await new Promise((resolve) => setTimeout(resolve, turn * slowAnswerMs));
    await route.continue();
  });
  return context.newPage();
}

/** Layout shifts at an address until the page is complete. */
async function shiftsAt(visitor: Page, origin: string, path: string): Promise<string[]> {
  await visitor.goto(origin + path);
  await expect(visitor.getByRole('heading', { level: 1 }).first()).toBeVisible();
  await visitor.waitForTimeout(settledMs);
  const shifts = await visitor.evaluate(() => (window as Watched).shifts ?? ['nothing was watched']);
  return shifts.map((what) => `${visitor.viewportSize()?.width} ${path}: ${what}`);
}

/** Runs in the page, before anything else in it. */
function watchShifts(): void {
  const shifts: string[] = [];
  (window as Watched).shifts = shifts;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as Shift[]) {
      if (entry.hadRecentInput) continue;
      const words = entry.sources.map(({ node }) => node?.textContent?.slice(0, 40) ?? '');
      shifts.push(`${entry.value.toFixed(4)} ${words.join(' | ')}`);
    }
  }).observe({ type: 'layout-shift', buffered: true });
}
