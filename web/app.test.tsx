import { render, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { App } from '#web/app.tsx';
import { queryClient } from '#web/lib/api/query.ts';
import { currentToasts } from '#web/lib/toast.ts';
import { nothingBought } from '#web/pages/account/billing.test-world.ts';
import { type Service, startService } from '#web/pages/pages.test-world.tsx';
import { ok, sam, slowDown, startVault } from '#web/pages/vault/vault.test-world.ts';

const recheckDelayMs = 1_000;
/** Tolerance for timers that seem to fire early, because the measurement starts after the request. */
const toleranceMs = 100;

let service: Service;
beforeEach(() => {
  service = startService();
  const nobody = { status: 401, body: { message: 'Please sign in', type: 'UNAUTHENTICATED' } };
  Object.assign(service.answers, { 'GET /api/auth/user': nobody, 'GET /api/user': nobody });
});
afterEach(() => {
  service.stop();
  queryClient.clear();
  history.replaceState(null, '', '/');
});

const asked = () => service.count('GET /api/auth/user');

async function openAt(address: string) {
  history.replaceState(null, '', address);
  render(<App />);
  await screen.findByRole('heading', { name: /Your Digital Legacy/ });
}

describe('A visitor', () => {
  it.each(['/', '/nowhere', '/messages', '/no/such/page'])('is shown the landing page at %s', async (address) => {
    await openAt(address);
    expect(location.pathname).toBe(address);
    expect(screen.getByRole('link', { name: 'Start Your Vault (Free)' })).toBeDefined();
  });

  it.each([
    ['/nowhere', true],
    ['/messages/x', true],
    ['/messages', false],
    ['/dashboard', false],
    ['/', false],
  ])('reads at %s that there is no page: %s', async (address, isTold) => {
    await openAt(address);
    expect(screen.queryByText(/There is nothing at this address/) !== null).toBe(isTold);
    expect(document.title.startsWith('Page Not Found')).toBe(isTold);
  });
});

describe('An owner who chose a paid plan at registration', () => {
  const joined = { ...sam, plan: 'free', intendedPlan: 'premium' } as const;
  const comeHome = async () => {
    queryClient.clear();
    history.replaceState(null, '', '/');
    const { unmount } = render(<App />);
    await screen.findAllByRole('link', { name: 'Messages' });
    return unmount;
  };
  beforeEach(() => {
    service.stop();
    service = startVault();
    service.answers['GET /api/auth/user'] = ok(joined);
    service.answers['GET /api/payments/providers'] = ok(['sandbox']);
    service.answers['GET /api/billing'] = ok(nothingBought);
  });
  const noted = 'POST /api/user/plan-offered';

  it('is led to it at the first visit to the vault, and the account records that', async () => {
    service.answers[noted] = ok({ ok: true });
    const unmount = await comeHome();
    await waitFor(() => expect(location.pathname + location.search).toBe('/subscribe?plan=premium'));
    await waitFor(() => expect(service.count(noted)).toBe(1));
    unmount();
  });

  it('is not led there again in a browser that knows nothing of it', async () => {
    service.answers['GET /api/auth/user'] = ok({ ...joined, isPlanOffered: true });
    localStorage.clear();
    await comeHome();
    await screen.findByRole('heading', { level: 1, name: 'Dashboard' });
    expect(location.pathname).toBe('/');
  });

  it('is left alone once they have a plan', async () => {
    service.answers['GET /api/auth/user'] = ok({ ...joined, plan: 'essential' });
    await comeHome();
    await screen.findByRole('heading', { level: 1, name: 'Dashboard' });
    expect(location.pathname).toBe('/');
  });
});

describe('The return from the verification mail', () => {
  it('asks after one second, once more, who is signed in, and tidies the address', async () => {
    const openedAtMs = performance.now();
    history.replaceState(null, '', '/?verified=true');
    render(<App />);
    await waitFor(() => expect(asked()).toBe(1));
    await waitFor(() => expect(asked()).toBe(2), { interval: 10 });
    expect(performance.now() - openedAtMs).toBeGreaterThanOrEqual(recheckDelayMs - toleranceMs);
    await waitFor(() => expect(location.search).toBe(''));
    expect(currentToasts()[0]?.title).toBe('Email Verified');
  });

  it('leads a visitor to the sign-in page with the address filled in, never to the sales page', async () => {
    service.answers['GET /api/login/verified-address'] = ok({ email: sam.email });
    service.answers['GET /api/auth/providers'] = ok({ providers: [] });
    history.replaceState(null, '', '/?verified=true');
    render(<App />);
    await screen.findByRole('heading', { name: 'Your email address is confirmed' });
    expect(location.pathname).toBe('/login');
    await waitFor(() => expect(screen.getByLabelText<HTMLInputElement>('Email').value).toBe(sam.email));
    expect(screen.queryByRole('link', { name: 'Start Your Vault (Free)' })).toBeNull();
    await waitFor(() => expect(location.search).toBe(''));
    expect(screen.getByRole('heading', { name: 'Your email address is confirmed' })).toBeDefined();
  });

  it('leads there too if the machine is so slow that the address was cleared before the session was known', async () => {
    service.answers['GET /api/login/verified-address'] = ok({ email: sam.email });
    service.answers['GET /api/auth/providers'] = ok({ providers: [] });
    slowDown(recheckDelayMs * 1.5);
    history.replaceState(null, '', '/?verified=true');
    render(<App />);
    await waitFor(() => expect(location.search).toBe(''));
    expect(location.pathname).toBe('/');
    await screen.findByRole('heading', { name: 'Your email address is confirmed' });
    expect(location.pathname).toBe('/login');
    expect(screen.queryByRole('link', { name: 'Start Your Vault (Free)' })).toBeNull();
  });

  it('is forgotten on the next page', async () => {
    service.answers['GET /api/login/verified-address'] = ok({ email: sam.email });
    service.answers['GET /api/auth/providers'] = ok({ providers: [] });
    history.replaceState(null, '', '/login?verified=true');
    render(<App />);
    await waitFor(() => expect(location.search).toBe(''));
    await screen.findByRole('heading', { name: 'Your email address is confirmed' });
    await userEvent.click(screen.getByRole('link', { name: 'Create one here' }));
    await userEvent.click(await screen.findByRole('link', { name: 'Sign in here' }));
    await screen.findByRole('heading', { name: 'Sign in' });
  });

  it('is the only reason for that', async () => {
    await openAt('/?verified=false');
    await new Promise((resolve) => setTimeout(resolve, recheckDelayMs + toleranceMs));
    expect(asked()).toBe(1);
    expect(location.search).toBe('?verified=false');
  });
});
