import { render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { App } from '#web/app.tsx';
import { queryClient } from '#web/lib/query.ts';
import { type Service, startService } from '#web/pages/pages.test-world.tsx';

const recheckDelayMs = 1_000;
/** How early a timer may seem to fire, since what is measured begins after the page was asked for. */
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
  await screen.findByRole('heading', { name: /Your Digital Legacy/ }, { timeout: 10_000 });
}

describe('Somebody signed out', () => {
  it.each(['/', '/nowhere', '/messages', '/no/such/page'])('is shown the landing page at %s', async (address) => {
    await openAt(address);
    expect(location.pathname).toBe(address);
    expect(screen.getByRole('link', { name: 'Start Your Vault (Free)' })).toBeDefined();
  });
});

describe('The return from the verification mail', () => {
  it('asks after one second, once more, who is signed in, and tidies the address', async () => {
    const openedAtMs = performance.now();
    history.replaceState(null, '', '/?verified=true');
    render(<App />);
    await waitFor(() => expect(asked()).toBe(1));
    await waitFor(() => expect(asked()).toBe(2), { timeout: 5_000, interval: 10 });
    expect(performance.now() - openedAtMs).toBeGreaterThanOrEqual(recheckDelayMs - toleranceMs);
    await waitFor(() => expect(location.search).toBe(''));
  });

  it('is the only reason for that', async () => {
    await openAt('/?verified=false');
    await new Promise((resolve) => setTimeout(resolve, recheckDelayMs + toleranceMs));
    expect(asked()).toBe(1);
    expect(location.search).toBe('?verified=false');
  });
});
