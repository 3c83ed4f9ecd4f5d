import { withDatabaseOf } from '#tests/support/visitor.ts';
import { acceptInvitation, addContact, settle, writeMessage } from './support/people.ts';
import { expect, test } from './support/test.ts';

const publicPages = [
  '/',
  '/login',
  '/register',
  '/faq',
  '/user-guide',
  '/emergency-activation',
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
const widths = [390, 1280];
/** Long enough to see what stands there until an answer comes. */
const slowAnswerMs = 250;
/** Some pages ask a second thing once they know the first. */
const settledMs = 4 * slowAnswerMs;

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
      const context = await browser.newContext({
        locale: 'en-GB',
        viewport: { width, height: 844 },
        ...(storageState ? { storageState } : {}),
      });
      await context.addInitScript(watchShifts);
      await context.route('**/api/**', async (route) => {
        await new Promise((resolve) => setTimeout(resolve, slowAnswerMs));
        await route.continue();
      });
      const visitor = await context.newPage();
      for (const path of paths) {
        await visitor.goto(site.url + path);
        await expect(visitor.getByRole('heading', { level: 1 }).first()).toBeVisible();
        await visitor.waitForTimeout(settledMs);
        const shifts = await visitor.evaluate(() => (window as Watched).shifts ?? ['nothing was watched']);
        moved.push(...shifts.map((what) => `${width} ${path}: ${what}`));
      }
      await context.close();
    }
  }
  expect(moved).toEqual([]);
});

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
