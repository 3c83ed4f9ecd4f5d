import { cleanup, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { planNames, plans } from '#shared/rules/plans.ts';
import { leaving } from '#web/features/billing/use-subscribe.ts';
import { currentToasts, dismissToast } from '#web/lib/toast.ts';
import {
  daysFromNow,
  limits,
  ok,
  openPage,
  refused,
  type Service,
  sam,
  startVault,
} from '#web/pages/vault/vault.test-world.ts';
import { AccountPage } from './account.tsx';
import { billingOf, nothingBought, payment } from './billing.test-world.ts';

let service: Service;
beforeEach(() => {
  service = startVault();
  service.answers['GET /api/user'] = ok(sam);
  service.answers['GET /api/billing'] = ok(billingOf());
});
afterEach(() => {
  service.stop();
  for (const { id } of currentToasts()) dismissToast(id);
});

async function open(at = '/account') {
  const opened = openPage(AccountPage, { route: '/account', at });
  await screen.findByRole('heading', { name: 'Compare the plans' });
  return opened;
}

const card = (title: string) => screen.getByRole('article', { name: title });
const currentPlan = () => within(screen.getByRole('region', { name: 'Current plan' }));

describe('Account & Billing', () => {
  it('leads from a larger plan to its purchase, with a notice and half a second later', async () => {
    const { history } = await open();
    await userEvent.click(within(card('Premium')).getByRole('button', { name: 'Upgrade to Premium' }));
    expect(currentToasts()).toMatchObject([
      { title: 'Upgrade Plan', description: 'Redirecting to subscription page...' },
    ]);
    expect(history.at(-1)).toBe('/account');
    await waitFor(() => expect(history.at(-1)).toBe('/subscribe?plan=premium'));
  });

  it('offers no way down on a card, and does nothing for the free one', async () => {
    const { history } = await open();
    const free = within(card('Free')).getByRole<HTMLButtonElement>('button', { name: 'Downgrade' });
    expect(free.disabled).toBe(true);
    await userEvent.click(card('Free'));
    expect(currentToasts().filter(({ isOpen }) => isOpen)).toEqual([]);
    expect(history).toEqual(['/account']);
    expect(within(card('Essential')).queryByRole('button')).toBeNull();
  });

  it.each(planNames)('names %s as the plan of an owner who has it, and marks its card alone', async (plan) => {
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

  it('recommends the most popular plan only to an owner who does not have it', async () => {
    await open();
    expect(screen.queryByText('Most Popular')).toBeNull();
    cleanup();
    service.answers['GET /api/user'] = ok({ ...sam, plan: 'free' });
    await open();
    expect(screen.getByText('Most Popular').closest('article')).toBe(card('Essential'));
    cleanup();
    service.answers['GET /api/user'] = ok({ ...sam, plan: 'lifetime' });
    await open();
    expect(screen.queryByText('Most Popular')).toBeNull();
  });
});

describe('The usage of the plan', () => {
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

  it('shows less than a tenth of a megabyte too', async () => {
    const storage = { current: 0, currentBytes: 4_240, limit: 5_000, canUpload: true };
    service.answers['GET /api/plan-limits'] = ok({ ...limits, storage });
    await open();
    expect(currentPlan().getByText('4.2 KB of 5 GB used')).toBeDefined();
  });

  it('has no bar where there is no limit', async () => {
    service.answers['GET /api/plan-limits'] = ok({
      messages: { current: 1, limit: -1, canCreate: true },
      storage: { current: 0, currentBytes: 0, limit: 5_000, canUpload: true },
    });
    await open();
    expect(currentPlan().getByText('1 message, and no limit')).toBeDefined();
    expect(currentPlan().getByText('0 bytes of 5 GB used')).toBeDefined();
    expect(currentPlan().queryByRole('img', { name: /Messages/ })).toBeNull();
  });
});

describe('A paid plan chosen on joining', () => {
  const sentence = /You chose Premium when you joined/;

  it('is named to an owner on the free plan', async () => {
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
});

describe('Billing information', () => {
  const billing = () => within(screen.getByRole('region', { name: 'Billing information' }));
  const factOf = (name: string) => billing().getByText(name).nextElementSibling?.textContent;
  const dialog = () => within(screen.getByRole('alertdialog'));

  it('is not shown to an owner who never bought anything', async () => {
    service.answers['GET /api/user'] = ok({ ...sam, plan: 'free' });
    service.answers['GET /api/billing'] = ok(nothingBought);
    await open();
    expect(screen.queryByRole('region', { name: 'Billing information' })).toBeNull();
    expect(screen.queryByRole('region', { name: 'Payments' })).toBeNull();
  });

  it('names the real next payment and card', async () => {
    service.answers['GET /api/billing'] = ok(billingOf({ nextPaymentAt: '2026-12-21T09:00:00.000Z' }));
    await open();
    expect([factOf('Price'), factOf('Next payment'), factOf('Card'), factOf('Paid through')]).toEqual([
      '£4.99 a month',
      '21 December 2026',
      'Visa ending in 4242',
      'Stripe',
    ]);
  });

  it('says that there is none where there is none', async () => {
    service.answers['GET /api/user'] = ok({ ...sam, plan: 'lifetime' });
    const once = { plan: 'lifetime', term: 'once', pricePence: 0, provider: 'voucher' } as const;
    service.answers['GET /api/billing'] = ok(billingOf({ ...once, nextPaymentAt: null, card: null }));
    await open();
    expect([factOf('Next payment'), factOf('Card'), factOf('Paid through')]).toEqual([
      'None. You paid once.',
      'We have no card of yours',
      'A voucher',
    ]);
  });

  it.each([
    [
      { status: 'past_due', graceUntil: '2026-11-28T09:00:00.000Z' },
      /goes on until 28 November 2026\. Change your card before then/,
    ],
    [{ status: 'past_due', provider: 'paypal' }, /Check how you pay at PayPal before then/],
    [{ status: 'active', cancelAtPeriodEnd: true, endsAt: '2026-12-21T09:00:00.000Z' }, /runs until 21 December 2026/],
    [{ status: 'cancelled' }, /has ended/],
    [
      {
        nextPaymentAt: '2026-12-21T09:00:00.000Z',
        nextChange: { plan: 'premium', term: 'monthly', pricePence: 999 },
      },
      /^Your plan changes to Premium on 21 December 2026, with your next payment. It is then £9.99 a month.$/,
    ],
    [
      {
        nextPaymentAt: '2026-12-21T09:00:00.000Z',
        nextChange: { plan: 'essential', term: 'annual', pricePence: 4999 },
      },
      /^From 21 December 2026 you pay £49.99 a year.$/,
    ],
    [
      {
        cancelAtPeriodEnd: true,
        endsAt: '2026-12-21T09:00:00.000Z',
        refusedChange: { plan: 'essential', term: 'annual', pricePence: 3999 },
      },
      /^You agreed at PayPal to Essential for £39.99 a year, but by then the voucher had no use left. So the change is not made, and nothing more is taken. Your plan runs until 21 December 2026. To go on, choose a plan again.$/,
    ],
    [{ status: 'lapsed' }, /was not paid/],
  ] as const)('says first what matters: %j', async (state, words) => {
    service.answers['GET /api/billing'] = ok(billingOf(state));
    await open();
    expect(billing().getByText(words)).toBeDefined();
  });

  it('says that a release ended the renewal, and when the plan renews again', async () => {
    const endsAt = '2026-12-21T09:00:00.000Z';
    const ended = { cancelAtPeriodEnd: true, isEndedByRelease: true, nextPaymentAt: null, endsAt };
    service.answers['GET /api/billing'] = ok(billingOf(ended));
    await open();
    const notice = billing().getByText(/^Your plan does not renew after 21 December 2026, because your messages were/);
    expect(notice.textContent).toContain('It renews again as soon as you tell us on your dashboard that you are back');
    expect(billing().queryByText(/Your plan is cancelled/)).toBeNull();
  });

  it('cancels in two clicks, and says what that means', async () => {
    service.answers['GET /api/billing'] = ok(billingOf({ nextPaymentAt: '2026-12-21T09:00:00.000Z' }));
    service.answers['POST /api/subscriptions/cancel'] = ok({ message: 'Your plan runs until 21 December 2026.' });
    await open();
    await userEvent.click(billing().getByRole('button', { name: 'Cancel the plan' }));
    expect(dialog().getByText(/runs until 21 December 2026, then you are on the Free plan/)).toBeDefined();
    expect(dialog().getByText(/above the limits of the Free plan is kept for 6 months/)).toBeDefined();
    const endsAt = '2026-12-21T09:00:00.000Z';
    service.answers['GET /api/billing'] = ok(billingOf({ cancelAtPeriodEnd: true, nextPaymentAt: null, endsAt }));
    await userEvent.click(dialog().getByRole('button', { name: 'Cancel the plan' }));
    await waitFor(() =>
      expect(billing().getByText(/^Your plan is cancelled and runs until 21 December/)).toBeDefined(),
    );
    expect(service.count('POST /api/subscriptions/cancel')).toBe(1);
    expect(screen.queryByRole('alertdialog')).toBeNull();
    // The card has said it, so no notice says it again.
    expect(currentToasts().map(({ title }) => title)).not.toContain('Account & Billing');
  });

  it('takes a cancellation back in two clicks', async () => {
    const can = { cancel: false, resume: true, change: false, changeCard: true };
    service.answers['GET /api/billing'] = ok(billingOf({ cancelAtPeriodEnd: true, endsAt: daysFromNow(9), can }));
    service.answers['POST /api/subscriptions/resume'] = ok({ message: 'Your plan goes on.' });
    await open();
    await userEvent.click(billing().getByRole('button', { name: 'Keep my plan' }));
    await userEvent.click(dialog().getByRole('button', { name: 'Keep my plan' }));
    await waitFor(() => expect(currentToasts()).toMatchObject([{ description: 'Your plan goes on.' }]));
  });

  it('changes between month and year at the price of the catalogue', async () => {
    service.answers['POST /api/subscriptions/change'] = ok({ message: 'You pay by the year now.' });
    await open();
    await userEvent.click(billing().getByRole('button', { name: 'Pay by the year' }));
    expect(dialog().getByText(/£49.99 a year/)).toBeDefined();
    await userEvent.click(dialog().getByRole('button', { name: 'Pay by the year' }));
    await waitFor(() => expect(service.count('POST /api/subscriptions/change')).toBe(1));
    const sent = service.calls.find(({ key }) => key === 'POST /api/subscriptions/change');
    expect(sent?.body).toEqual({ plan: 'essential', billingCycle: 'annual', finalPrice: 49.99 });
  });

  it('leaves to the provider for another card', async () => {
    const left: string[] = [];
    const { to } = leaving;
    leaving.to = (address) => left.push(address);
    service.answers['POST /api/subscriptions/card'] = ok({ paymentUrl: '/checkout/abc' });
    await open();
    await userEvent.click(billing().getByRole('button', { name: 'Change the card' }));
    await waitFor(() => expect(left).toEqual(['/checkout/abc']));
    leaving.to = to;
  });

  it('says why something could not be done', async () => {
    service.answers['POST /api/subscriptions/cancel'] = refused(409, 'There is nothing to cancel.');
    await open();
    await userEvent.click(billing().getByRole('button', { name: 'Cancel the plan' }));
    await userEvent.click(dialog().getByRole('button', { name: 'Cancel the plan' }));
    const description = 'There is nothing to cancel.';
    await waitFor(() => expect(currentToasts()).toMatchObject([{ title: 'Subscription Error', description }]));
  });
});

describe('Payments', () => {
  it('are listed with their refunds, and a receipt each', async () => {
    const back = { ...payment, status: 'partly_refunded' as const, refundedPence: 100 };
    service.answers['GET /api/billing'] = ok(billingOf({ payments: [back] }));
    await open();
    const row = within(screen.getByRole('region', { name: 'Payments' })).getAllByRole('row')[1];
    expect(row?.textContent).toBe('21 Oct 2026Essential, by the month£4.99Partly refunded, £1EK-000123');
    expect(screen.getByRole('link', { name: 'EK-000123' }).getAttribute('href')).toBe(
      `/api/billing/payments/${payment.id}/receipt`,
    );
  });
});

describe('Coming back from the payment', () => {
  const activated = { title: 'Subscription Activated', description: 'You are on the Essential plan now.' };
  const waiting = /^If you have just paid, your payment is being taken in/;
  const told = () => currentToasts().filter(({ isOpen }) => isOpen);

  it('is waited for where the provider has told nothing yet, and announced when it has', async () => {
    service.answers['GET /api/billing'] = ok({ ...nothingBought, isAwaitingPayment: true });
    service.answers['GET /api/user'] = ok({ ...sam, plan: 'free' });
    const { history } = await open('/account?payment=returned');
    expect(screen.getByText(waiting)).toBeDefined();
    service.answers['GET /api/billing'] = ok(billingOf());
    await waitFor(() => expect(told()).toMatchObject([activated]));
    expect(screen.queryByText(waiting)).toBeNull();
    expect(history.at(-1)).toBe('/account');
  });

  it('is announced once where the provider was faster, and the address is tidied', async () => {
    const { history } = await open('/account?payment=returned');
    await waitFor(() => expect(told()).toMatchObject([activated]));
    expect(history.at(-1)).toBe('/account');
    dismissToast(told()[0]?.id ?? 0);
    await open('/account');
    expect(told()).toEqual([]);
  });

  it('says nothing to an owner who typed the address and has bought nothing', async () => {
    service.answers['GET /api/user'] = ok({ ...sam, plan: 'free' });
    service.answers['GET /api/billing'] = ok(nothingBought);
    const { history } = await open('/account?payment=returned');
    await waitFor(() => expect(history.at(-1)).toBe('/account'));
    expect([told(), screen.queryByText(waiting)]).toEqual([[], null]);
  });

  it('leaves a change that begins later to the card', async () => {
    const nextChange = { plan: 'premium', term: 'monthly', pricePence: 999 } as const;
    service.answers['GET /api/billing'] = ok(billingOf({ provider: 'paypal', nextChange }));
    const { history } = await open('/account?payment=returned');
    await waitFor(() => expect(history.at(-1)).toBe('/account'));
    expect(screen.getByText(/^Your plan changes to Premium/)).toBeDefined();
    expect(told()).toEqual([]);
  });

  it('says nothing of a payment to an owner who left the checkout', async () => {
    service.answers['GET /api/billing'] = ok({ ...nothingBought, isAwaitingPayment: true });
    await open();
    expect(screen.queryByText(waiting)).toBeNull();
  });
});

describe('The page while it loads', () => {
  it('says what happened where that fails, and tries again', async () => {
    service.answers['GET /api/user'] = refused(500, 'Something went wrong on our side.');
    openPage(AccountPage, { route: '/account', at: '/account' });
    expect(screen.getByRole('status', { name: 'Loading your plan' })).toBeDefined();
    await screen.findByText('We could not load your plan');
    service.answers['GET /api/user'] = ok(sam);
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
    await screen.findByRole('heading', { name: 'Compare the plans' });
  });
});
