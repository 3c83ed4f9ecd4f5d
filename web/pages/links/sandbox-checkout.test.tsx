import { screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { goingOn } from '#web/features/sandbox-checkout/use-sandbox-checkout.ts';
import { currentToasts } from '#web/lib/toast.ts';
import { openPage, type Service, startService } from '#web/pages/pages.test-world.tsx';
import { SandboxCheckoutPage } from './sandbox-checkout.tsx';

const token = 'c'.repeat(43);
const read = `GET /api/payments/sandbox/${token}`;
const pay = 'POST /api/payments/process';

const checkout = {
  purpose: 'payment',
  status: 'open',
  plan: 'essential',
  term: 'annual',
  listPricePence: 4999,
  amountPence: 3999,
  email: 'sam@ashworth.example',
  expiresAt: '2026-11-22T09:00:00.000Z',
  cards: [
    { card: 'pays', brand: 'Visa', last4: '4242', label: 'Pays, now and later' },
    { card: 'declined', brand: 'Visa', last4: '0002', label: 'Is declined' },
  ],
  backTo: '/subscribe?plan=essential',
};

let service: Service;
let left: string[];
const { to } = goingOn;
beforeEach(() => {
  left = [];
  goingOn.to = (address) => left.push(address);
  service = startService();
  service.answers[read] = { status: 200, body: checkout };
});
afterEach(() => {
  goingOn.to = to;
  service.stop();
});

const open = () => openPage(SandboxCheckoutPage, { route: '/checkout/:token', at: `/checkout/${token}` });

describe('The practice checkout', () => {
  it('says that no money moves, and what would be paid', async () => {
    open();
    expect(screen.getByText(/No money moves here/)).toBeDefined();
    expect(await screen.findByRole('heading', { name: 'Essential, every year' })).toBeDefined();
    expect(screen.getByText('£39.99')).toBeDefined();
    expect(screen.getByText('£49.99')).toBeDefined();
    expect(screen.getByText('sam@ashworth.example')).toBeDefined();
    expect(screen.getByRole('link', { name: 'Back without paying' }).getAttribute('href')).toBe(checkout.backTo);
    expect(service.calls.map(({ key }) => key)).toEqual([read]);
  });

  it('pays once with the chosen card, and goes on', async () => {
    service.answers[pay] = { status: 200, body: { message: 'Paid.', redirectTo: '/account' } };
    open();
    await userEvent.dblClick(await screen.findByRole('button', { name: 'Pay £39.99 in practice' }));
    await waitFor(() => expect(left).toEqual(['/account']));
    expect(service.calls.filter(({ key }) => key === pay).map(({ body }) => body)).toEqual([
      { checkout: token, card: 'pays' },
    ]);
  });

  it('says that a card was declined, and takes another', async () => {
    service.answers[pay] = { status: 409, body: { message: 'The card was declined.', type: 'CONFLICT' } };
    open();
    await userEvent.click(await screen.findByLabelText(/0002/));
    await userEvent.click(screen.getByRole('button', { name: /Pay/ }));
    await waitFor(() =>
      expect(currentToasts()[0]).toMatchObject({ title: 'Payment Failed', description: 'The card was declined.' }),
    );
    expect(screen.getByRole('alert').textContent).toBe('The card was declined.');
    service.answers[pay] = { status: 200, body: { message: 'Paid.', redirectTo: '/account' } };
    await userEvent.click(screen.getByLabelText(/4242/));
    await userEvent.click(screen.getByRole('button', { name: /Pay/ }));
    await waitFor(() => expect(left).toEqual(['/account']));
  });

  it.each([
    ['paid', 'This has been paid already'],
    ['expired', 'This checkout has ended'],
  ])('has nothing to press once it is %s', async (status, title) => {
    service.answers[read] = { status: 200, body: { ...checkout, status } };
    open();
    expect(await screen.findByRole('heading', { name: title })).toBeDefined();
    expect(screen.queryByRole('button')).toBeNull();
  });

  it('knows no checkout behind a wrong address', async () => {
    service.answers[read] = { status: 404, body: { message: 'Not found.', type: 'NOT_FOUND' } };
    open();
    expect(await screen.findByRole('heading', { name: 'This checkout has ended' })).toBeDefined();
  });
});
