import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pasteInto } from '#tests/support/paste-into.ts';
import { leaving } from '#web/features/billing/use-subscribe.ts';
import { currentToasts } from '#web/lib/toast.ts';
import { ok, openPage, refused, type Service, sam, startVault } from '#web/pages/vault/vault.test-world.ts';
import { billingOf, nothingBought } from './billing.test-world.ts';
import { SubscribePage } from './subscribe.tsx';

let service: Service;
let left: string[];
const { to } = leaving;

beforeEach(() => {
  left = [];
  leaving.to = (address) => left.push(address);
  service = startVault();
  service.answers['GET /api/payments/providers'] = ok(['sandbox']);
  service.answers['GET /api/billing'] = ok(nothingBought);
  service.answers['GET /api/auth/user'] = ok({ ...sam, plan: 'free' });
  service.answers['POST /api/subscriptions/create'] = ok({ paymentUrl: '/checkout/abc' });
});
afterEach(() => {
  leaving.to = to;
  service.stop();
});

function beVisitor() {
  service.answers['GET /api/auth/user'] = { status: 401, body: {} };
}

async function open(at = '/subscribe') {
  const opened = openPage(SubscribePage, { route: '/subscribe', at });
  await screen.findByRole('heading', { name: 'Plans and prices' });
  return opened;
}

const button = (name: string | RegExp) => screen.getByRole<HTMLButtonElement>('button', { name });
const plan = (name: RegExp) => screen.getByRole<HTMLInputElement>('radio', { name });
const ordered = () => service.calls.filter(({ key }) => key === 'POST /api/subscriptions/create');
const lastToast = () => currentToasts()[0];

async function apply(code: string) {
  await pasteInto(screen.getByLabelText('Voucher code'), code);
  await userEvent.click(button('Apply'));
}

describe('Choosing a plan', () => {
  it.each([
    ['/subscribe?plan=premium', /^Premium/],
    ['/subscribe?plan=lifetime', /^Lifetime/],
    ['/subscribe?plan=free', /^Free/],
    ['/subscribe?plan=gold', /^Essential/],
    ['/subscribe', /^Essential/],
  ])('starts with the one in the address, else the most popular: %s', async (at, name) => {
    await open(at);
    expect(plan(name).checked).toBe(true);
  });

  it('shows the prices by the month, and by the year once that is chosen', async () => {
    await open();
    expect(plan(/Essential/).getAttribute('aria-label')).toBe('Essential, £4.99 a month');
    await userEvent.click(screen.getByLabelText(/Annual/));
    expect(screen.getByText('Save 15%')).toBeDefined();
    expect(plan(/Essential/).getAttribute('aria-label')).toBe('Essential, £49.99 a year');
    await userEvent.click(button('Subscribe to Essential'));
    await waitFor(() => expect(ordered()).toHaveLength(1));
    expect(ordered()[0]?.body).toMatchObject({ billingCycle: 'annual', finalPrice: 49.99 });
  });

  it('leads a visitor who wants the free one to an account', async () => {
    beVisitor();
    await open('/subscribe?plan=free');
    expect(screen.getByRole('link', { name: 'Start Free Account' }).getAttribute('href')).toBe('/register');
    expect(screen.queryByLabelText('Voucher code')).toBeNull();
  });

  it('tells an owner who wants the free plan how long content over its limit is kept', async () => {
    await open('/subscribe?plan=free');
    expect(screen.getByText(/^To go back to the Free plan.* is kept for 6 months/s)).toBeDefined();
  });
});

describe('Without a payment provider', () => {
  beforeEach(() => {
    service.answers['GET /api/payments/providers'] = ok([]);
  });

  it('says so before anything is chosen, offers nothing to press that would fail, and leads a visitor to an account', async () => {
    beVisitor();
    await open('/subscribe?plan=premium');
    expect(screen.getByText(/Plans cannot be bought here at present/)).toBeDefined();
    expect(screen.getByRole('link', { name: 'Start on the Free plan' }).getAttribute('href')).toBe('/register');
    expect(screen.queryByRole('button', { name: /^Subscribe/ })).toBeNull();
    expect(screen.queryByLabelText('Email')).toBeNull();
  });

  it('says to a member that the plan stays, and still takes a voucher that covers the whole price', async () => {
    service.answers['POST /api/vouchers/validate'] = ok({ code: 'GIFT', discountType: 'free', discountValue: 0 });
    service.answers['POST /api/subscriptions/create'] = ok({ message: 'Essential is yours.' });
    await open();
    expect(screen.getByText(/Your plan stays as it is/)).toBeDefined();
    expect(screen.queryByRole('button', { name: /^Subscribe/ })).toBeNull();
    await apply('gift');
    await userEvent.click(await screen.findByRole('button', { name: 'Subscribe to Essential' }));
    await waitFor(() => expect(ordered()[0]?.body).toMatchObject({ voucherCode: 'GIFT', finalPrice: 0 }));
    expect(ordered()[0]?.body).not.toHaveProperty('provider');
  });
});

describe('Subscribing', () => {
  it('sends the price as it stands there, once, and leaves to the payment', async () => {
    await open('/subscribe?plan=premium');
    await userEvent.dblClick(button('Subscribe to Premium'));
    await waitFor(() => expect(left).toEqual(['/checkout/abc']));
    expect(ordered().map(({ body }) => body)).toEqual([
      {
        plan: 'premium',
        billingCycle: 'monthly',
        voucherCode: null,
        finalPrice: 9.99,
        email: sam.email,
        provider: 'sandbox',
      },
    ]);
  });

  it('says that no money moves where none does', async () => {
    await open();
    expect(screen.getByText(/This is a trial: no money is taken/)).toBeDefined();
  });

  it('asks a visitor for an address', async () => {
    beVisitor();
    await open();
    await userEvent.click(button('Subscribe to Essential'));
    expect(lastToast()).toMatchObject({
      title: 'Email Required',
      description: 'Please enter your email address to proceed.',
      variant: 'destructive',
    });
    expect(ordered()).toEqual([]);
    await pasteInto(screen.getByLabelText('Email'), ' nell@post.example ');
    await userEvent.click(button('Subscribe to Essential'));
    await waitFor(() => expect(ordered()[0]?.body).toMatchObject({ email: 'nell@post.example' }));
  });

  it('lets people choose between two who take money', async () => {
    service.answers['GET /api/payments/providers'] = ok(['stripe', 'paypal']);
    await open();
    expect(screen.getByLabelText<HTMLInputElement>('Card, through Stripe').checked).toBe(true);
    await userEvent.click(screen.getByLabelText('PayPal'));
    await userEvent.click(button('Subscribe to Essential'));
    await waitFor(() => expect(ordered()[0]?.body).toMatchObject({ provider: 'paypal' }));
  });

  it('says why it failed in the service’s words, and keeps everything', async () => {
    beVisitor();
    service.answers['POST /api/subscriptions/create'] = refused(409, 'The price has changed.');
    await open();
    await pasteInto(screen.getByLabelText('Email'), 'nell@post.example');
    await userEvent.click(button('Subscribe to Essential'));
    await waitFor(() =>
      expect(lastToast()).toMatchObject({
        title: 'Subscription Error',
        description: 'The price has changed.',
        variant: 'destructive',
      }),
    );
    expect(screen.getByLabelText<HTMLInputElement>('Email').value).toBe('nell@post.example');
    expect(left).toEqual([]);
  });
});

describe('A voucher', () => {
  it('cannot be applied while the box is empty', async () => {
    await open();
    expect(button('Apply').disabled).toBe(true);
    await userEvent.type(screen.getByLabelText('Voucher code'), '   ');
    expect(button('Apply').disabled).toBe(true);
  });

  it('takes its percentage off, is sent along, and can be removed', async () => {
    service.answers['POST /api/vouchers/validate'] = ok({
      code: 'SPRING',
      discountType: 'percentage',
      discountValue: 20,
    });
    await open();
    await apply(' spring ');
    await waitFor(() =>
      expect(lastToast()).toMatchObject({ title: 'Voucher Applied', description: '20% discount applied!' }),
    );
    expect(service.calls.find(({ key }) => key === 'POST /api/vouchers/validate')?.body).toEqual({ code: 'SPRING' });
    const choice = within(screen.getByRole('region', { name: 'Your choice' }));
    expect(choice.getByText('£3.99 a month')).toBeDefined();
    await userEvent.click(button('Subscribe to Essential'));
    await waitFor(() => expect(ordered()[0]?.body).toMatchObject({ voucherCode: 'SPRING', finalPrice: 3.99 }));
  });

  it('that is free needs no payment: the plan is there, and the account shows it', async () => {
    service.answers['POST /api/vouchers/validate'] = ok({ code: 'GIFT', discountType: 'free', discountValue: 0 });
    service.answers['POST /api/subscriptions/create'] = ok({ message: 'Essential is yours.' });
    const { history } = await open();
    await apply('gift');
    await waitFor(() => expect(lastToast()).toMatchObject({ description: 'This plan is now free!' }));
    expect(screen.queryByLabelText('Email')).toBeNull();
    await userEvent.click(button('Subscribe to Essential'));
    await waitFor(() => expect(history.at(-1)).toBe('/account'));
    expect(lastToast()).toMatchObject({ title: 'Subscription Activated', description: 'Essential is yours.' });
    expect(ordered()[0]?.body).toMatchObject({ voucherCode: 'GIFT', finalPrice: 0 });
  });

  it('that makes a visitor’s plan free still needs their address, and leads to the account', async () => {
    beVisitor();
    service.answers['POST /api/vouchers/validate'] = ok({ code: 'GIFT', discountType: 'free', discountValue: 0 });
    service.answers['POST /api/subscriptions/create'] = ok({ message: 'It waits for nell@post.example.' });
    await open();
    await apply('gift');
    await screen.findByText(/This plan is now free/);
    await pasteInto(screen.getByLabelText('Email'), 'nell@post.example');
    await userEvent.click(button('Subscribe to Essential'));
    expect(await screen.findByText('It waits for nell@post.example.')).toBeDefined();
    expect(lastToast()).toMatchObject({ title: 'Subscription Activated' });
    expect(lastToast()?.description, 'which the page says').toBeUndefined();
    expect(screen.getByRole('link', { name: 'Create your account' }).getAttribute('href')).toBe('/register');
  });

  it('that is refused says why under the box, and one that was applied is gone', async () => {
    service.answers['POST /api/vouchers/validate'] = refused(409, 'This voucher code has expired.');
    await open();
    await apply('old');
    expect(await screen.findByText('This voucher code has expired.')).toBeDefined();
    expect(screen.getByLabelText<HTMLInputElement>('Voucher code').value).toBe('old');
    expect(screen.queryByText(/discount applied/)).toBeNull();
  });

  it('that was typed and not applied is looked at before anything is bought', async () => {
    service.answers['POST /api/vouchers/validate'] = ok({
      code: 'SPRING',
      discountType: 'percentage',
      discountValue: 20,
    });
    await open();
    await pasteInto(screen.getByLabelText('Voucher code'), 'spring');
    await userEvent.click(button('Subscribe to Essential'));
    expect(await screen.findByText('£3.99 a month')).toBeDefined();
    expect(ordered()).toEqual([]);
    await userEvent.click(button('Subscribe to Essential'));
    await waitFor(() => expect(ordered()[0]?.body).toMatchObject({ voucherCode: 'SPRING', finalPrice: 3.99 }));
  });
});

describe('Coming back from the payment', () => {
  it('tells a visitor, who may not have paid, that an account with the address is needed', async () => {
    beVisitor();
    openPage(SubscribePage, { route: '/subscribe', at: '/subscribe?payment=returned' });
    expect(await screen.findByText(/^If you have just paid, your payment is being taken in/)).toBeDefined();
    expect(screen.getByText(/The plan waits for an account with the email address/)).toBeDefined();
    const leads = (name: string) => screen.getByRole('link', { name }).getAttribute('href');
    expect([leads('Create your account'), leads('Sign In')]).toEqual(['/register', '/login']);
    expect(leads('Look at the plans again')).toBe('/subscribe');
    expect(screen.queryByRole('button', { name: /^Subscribe/ })).toBeNull();
  });

  it('leads a signed-in owner to the page of their plan', async () => {
    const { history } = openPage(SubscribePage, { route: '/subscribe', at: '/subscribe?payment=returned' });
    await waitFor(() => expect(history.at(-1)).toBe('/account?payment=returned'));
  });
});

describe('Changing a plan that is paid for', () => {
  beforeEach(() => {
    service.answers['GET /api/auth/user'] = ok(sam);
    service.answers['GET /api/billing'] = ok(billingOf());
    service.answers['POST /api/subscriptions/create'] = ok({ message: 'Your plan is changing to Premium.' });
  });

  it('begins with the plan and the term there are', async () => {
    service.answers['GET /api/billing'] = ok(billingOf({ plan: 'premium', term: 'annual', pricePence: 9999 }));
    await open('/subscribe');
    expect(screen.getByLabelText<HTMLInputElement>(/^Premium, £99.99 a year/).checked).toBe(true);
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'This is your plan' }).disabled).toBe(true);
    expect(screen.queryByText(/counts towards it/)).toBeNull();
  });

  it('says of a cancelled one until when it runs, and not that it renews', async () => {
    const endsAt = '2026-12-22T09:00:00.000Z';
    service.answers['GET /api/billing'] = ok(billingOf({ cancelAtPeriodEnd: true, nextPaymentAt: null, endsAt }));
    await open('/subscribe');
    expect(screen.getByText(/It is cancelled and runs until 22 December 2026/)).toBeDefined();
    expect(screen.queryByText(/It renews/)).toBeNull();
  });

  it('is ordered like a purchase, with the provider of the present payments', async () => {
    service.answers['GET /api/payments/providers'] = ok(['paypal', 'stripe']);
    const { history } = await open('/subscribe?plan=premium');
    expect(screen.queryByRole('radio', { name: 'PayPal' })).toBeNull();
    expect(screen.getByLabelText<HTMLInputElement>('Email').value).toBe(sam.email);
    expect(screen.getByText(/You pay £4.99 a month now/)).toBeDefined();
    await userEvent.click(button('Change to Premium, by the month'));
    await waitFor(() => expect(history.at(-1)).toBe('/account'));
    expect(ordered().map(({ body }) => body)).toEqual([
      {
        plan: 'premium',
        billingCycle: 'monthly',
        voucherCode: null,
        finalPrice: 9.99,
        email: sam.email,
        provider: 'stripe',
      },
    ]);
  });

  it('takes a voucher, also for the plan that one has', async () => {
    service.answers['POST /api/vouchers/validate'] = ok({
      code: 'SPRING',
      discountType: 'percentage',
      discountValue: 20,
    });
    await open('/subscribe?plan=essential');
    expect(button('This is your plan').disabled).toBe(true);
    await apply('spring');
    const change = within(await screen.findByRole('region', { name: 'Your change' }));
    expect(change.getByText('£3.99 a month')).toBeDefined();
    await userEvent.click(button('Change to Essential, by the month'));
    await waitFor(() => expect(ordered()[0]?.body).toMatchObject({ voucherCode: 'SPRING', finalPrice: 3.99 }));
  });

  it('says that payments end where a voucher leaves nothing to pay', async () => {
    service.answers['POST /api/vouchers/validate'] = ok({ code: 'GIFT', discountType: 'free', discountValue: 0 });
    await open('/subscribe?plan=premium');
    await apply('gift');
    expect(await screen.findByText(/nothing more to pay, and your payments end/)).toBeDefined();
    expect(screen.queryByLabelText('Email')).toBeNull();
    await userEvent.click(button('Change to Premium, by the month'));
    await waitFor(() => expect(ordered()[0]?.body).toMatchObject({ voucherCode: 'GIFT', finalPrice: 0 }));
  });

  it('says that PayPal asks for the new price with the next payment', async () => {
    service.answers['GET /api/billing'] = ok(
      billingOf({ provider: 'paypal', card: null, nextPaymentAt: '2026-12-21T09:00:00.000Z' }),
    );
    await open('/subscribe?plan=premium');
    expect(screen.getByText(/PayPal asks for it with your next payment, on 21 December 2026/)).toBeDefined();
  });

  it('has nothing to press for the plan that one has', async () => {
    await open('/subscribe?plan=essential');
    expect(button('This is your plan').disabled).toBe(true);
    await userEvent.click(screen.getByLabelText(/Annual/));
    expect(button('Change to Essential, by the year').disabled).toBe(false);
  });

  it('buys a one-off plan like any other', async () => {
    service.answers['POST /api/subscriptions/create'] = ok({ paymentUrl: '/checkout/abc' });
    await open('/subscribe?plan=lifetime');
    await userEvent.click(button('Subscribe to Lifetime'));
    await waitFor(() => expect(left).toEqual(['/checkout/abc']));
    expect(ordered()[0]?.body).toMatchObject({ plan: 'lifetime', finalPrice: 299 });
  });
});

it('says what happened where the page cannot load, and tries again', async () => {
  service.answers['GET /api/billing'] = refused(500, 'Something went wrong on our side.');
  openPage(SubscribePage, { route: '/subscribe', at: '/subscribe' });
  await screen.findByText('We could not load the plans');
  service.answers['GET /api/billing'] = ok(nothingBought);
  await userEvent.click(button('Try again'));
  await screen.findByRole('heading', { name: 'Plans and prices' });
});
