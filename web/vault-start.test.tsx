import { QueryClientProvider } from '@tanstack/react-query';
import { render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { getPlanLimits } from '#shared/contract/dashboard.ts';
import { queryClient, readOften } from '#web/lib/api/query.ts';
import { useRead } from '#web/lib/api/reads.ts';
import type { Service } from '#web/pages/pages.test-world.tsx';
import { limits, ok, refused, startVault } from '#web/pages/vault/vault.test-world.ts';
import { vaultReady } from './vault-start.ts';

let service: Service;
beforeEach(() => {
  service = startVault();
});
afterEach(() => {
  service.stop();
  queryClient.clear();
});

function Limits() {
  const { isError, refetch, data } = useRead(getPlanLimits, readOften);
  if (data) return <p>Read</p>;
  return isError ? (
    <button type="button" onClick={() => refetch()}>
      Try again
    </button>
  ) : (
    <p>Loading...</p>
  );
}

test('a first read that fails is retried once, and again only when the owner presses the button', async () => {
  const key = 'GET /api/plan-limits';
  service.answers[key] = refused(500, 'Something went wrong on our side.');
  await vaultReady('/', ['/api/plan-limits']);
  render(
    <QueryClientProvider client={queryClient}>
      <Limits />
    </QueryClientProvider>,
  );
  const button = await screen.findByRole('button', { name: 'Try again' });
  expect(service.count(key)).toBe(2);
  service.answers[key] = ok(limits);
  await userEvent.click(button);
  await screen.findByText('Read');
  expect(service.count(key)).toBe(3);
});
