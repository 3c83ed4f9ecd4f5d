import { cleanup, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { planNames, plans } from '#shared/rules/plans.ts';
import { currentToasts } from '#web/lib/toast.ts';
import { AccountPage } from './account.tsx';
import { SubscribePage } from './subscribe.tsx';
import { limits, ok, openPage, refused, type Service, sam, startVault } from './vault.test-world.ts';

let service: Service;
beforeEach(() => {
  service = startVault();
  service.answers['GET /api/user'] = ok(sam);
});
afterEach(() => service.stop());

async function open(at = '/account') {
  const opened = openPage(AccountPage, { route: '/account', at });
  await screen.findByRole('heading', { name: 'Compare the plans' });
  return opened;
}

const card = (title: string) => screen.getByRole('article', { name: title });
const currentPlan = () => within(screen.getByRole('region', { name: 'Current plan' }));

describe('Account & Billing', () => {
  it('says that paid plans cannot be bought yet, and offers nothing to press for it', async () => {
    await open();
    expect(screen.getByRole('heading', { level: 1, name: 'Account & Billing' })).toBeDefined();
    expect(
      screen.getByText('Paid plans cannot be bought here yet. Nothing you have already stored is affected.'),
    ).toBeDefined();
    await userEvent.click(card('Premium'));
    expect(screen.queryAllByRole('button')).toEqual([]);
    expect(screen.queryAllByRole('link')).toEqual([]);
    expect(currentToasts()).toEqual([]);
  });

  it.each(planNames)('names %s as the plan of whoever has it, and marks its card alone', async (plan) => {
    service.answers['GET /api/user'] = ok({ ...sam, plan });
    await open();
    expect(currentPlan().getByText(plans[plan].title)).toBeDefined();
    const marked = screen.getAllByRole('article').filter((article) => article.getAttribute('aria-current') === 'true');
    expect(marked).toEqual([card(plans[plan].title)]);
    expect(screen.getAllByText('Your plan').map((badge) => badge.closest('article'))).toEqual(marked);
  });

  it('shows what each plan costs and holds', async () => {
    await open();
    expect(screen.getAllByRole('article')).toHaveLength(4);
    const words = (title: string) => card(title).textContent;
    expect(words('Free')).toContain('£0');
    expect(words('Essential')).toContain('£4.99 a monthor £49.99 a year');
    expect(words('Premium')).toContain('£9.99 a monthor £99.99 a year');
    expect(words('Lifetime')).toContain('£299 once');
    expect(words('Lifetime')).not.toContain('year');
    for (const { title, salesPoints } of Object.values(plans)) {
      const points = within(card(title)).getAllByRole('listitem');
      expect(points.map((point) => point.textContent)).toEqual(salesPoints);
    }
  });

  it('recommends the most popular plan only to somebody who does not have it', async () => {
    await open();
    expect(screen.queryByText('Most Popular')).toBeNull();
    cleanup();
    service.answers['GET /api/user'] = ok({ ...sam, plan: 'free' });
    await open();
    expect(screen.getByText('Most Popular').closest('article')).toBe(card('Essential'));
  });
});

describe('What is used of the plan', () => {
  it('stands beside what the plan allows, with bars', async () => {
    await open();
    expect(currentPlan().getByText('3 of 10 used')).toBeDefined();
    expect(currentPlan().getByText('12.3 MB of 500 MB used')).toBeDefined();
    const bars = currentPlan().getAllByRole('img');
    expect(bars.map((bar) => bar.getAttribute('aria-label'))).toEqual([
      'Messages: 3 of 10 used',
      'Storage: 12.3 MB of 500 MB used',
    ]);
    expect(bars.filter((bar) => bar.className.includes('bar-warn'))).toEqual([]);
  });

  it('has an amber bar from 80 percent', async () => {
    service.answers['GET /api/plan-limits'] = ok({ ...limits, messages: { current: 8, limit: 10, canCreate: true } });
    await open();
    expect(currentPlan().getByRole('img', { name: /Messages/ }).className).toContain('bar-warn');
    expect(currentPlan().getByRole('img', { name: /Storage/ }).className).not.toContain('bar-warn');
  });

  it('has no bar where there is no limit', async () => {
    service.answers['GET /api/plan-limits'] = ok({
      messages: { current: 1, limit: -1, canCreate: true },
      storage: { current: 0, limit: 5_000, canUpload: true },
    });
    await open();
    expect(currentPlan().getByText('1 message, and no limit')).toBeDefined();
    expect(currentPlan().getByText('0 bytes of 5 GB used')).toBeDefined();
    expect(currentPlan().queryByRole('img', { name: /Messages/ })).toBeNull();
  });
});

describe('A paid plan chosen on joining', () => {
  const sentence = /You chose Premium when you joined/;

  it('is named to somebody who is on the free plan', async () => {
    service.answers['GET /api/user'] = ok({ ...sam, plan: 'free', intendedPlan: 'premium' });
    await open();
    expect(currentPlan().getByText(sentence)).toBeDefined();
  });

  it('is not named once they have a paid one', async () => {
    service.answers['GET /api/user'] = ok({ ...sam, plan: 'premium', intendedPlan: 'premium' });
    await open();
    expect(screen.queryByText(sentence)).toBeNull();
  });
});

describe('A plan named in the address', () => {
  it('takes the focus, and so comes into view', async () => {
    await open('/account?plan=lifetime');
    await waitFor(() => expect(document.activeElement).toBe(card('Lifetime')));
  });

  it.each(['/account?plan=gold', '/account?plan=', '/account?plan=toString', '/account'])(
    'is passed over where there is no such plan: %s',
    async (at) => {
      await open(at);
      expect(document.activeElement?.closest('article')).toBeNull();
    },
  );

  it.each([
    ['/subscribe?plan=premium', '/account?plan=premium'],
    ['/subscribe?plan=free', '/account?plan=free'],
    ['/subscribe?plan=gold', '/account'],
    ['/subscribe', '/account'],
  ])('leads from %s to %s', async (at, to) => {
    const { history } = openPage(SubscribePage, { route: '/subscribe', at });
    await waitFor(() => expect(history).toEqual([to]));
  });
});

describe('The page while it loads', () => {
  it('says what happened where that fails, and tries again', async () => {
    service.answers['GET /api/user'] = refused(500, 'Something went wrong on our side.');
    openPage(AccountPage, { route: '/account', at: '/account' });
    expect(screen.getByRole('status', { name: 'Loading your plan' })).toBeDefined();
    await screen.findByText('We could not load your plan', undefined, { timeout: 5_000 });
    service.answers['GET /api/user'] = ok(sam);
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
    await screen.findByRole('heading', { name: 'Compare the plans' });
  });
});
