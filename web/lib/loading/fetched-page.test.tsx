import { act, cleanup, render, screen } from '@testing-library/react';
import { Suspense } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { takeConsoleOutput } from '#tests/support/silence.ts';
import { ErrorBoundary } from '#web/components/layout/error-boundary.tsx';
import { fetchedPage } from './fetched-page.tsx';

const Documents = () => <h1>Documents</h1>;
const lost = new Error('Unable to preload CSS for /assets/documents.css');

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

function show(Page: ReturnType<typeof fetchedPage>, path = '/documents') {
  const at = (shown: string) => (
    <ErrorBoundary path={shown}>
      <Suspense fallback="Loading...">{shown === '/' ? <h1>Dashboard</h1> : <Page />}</Suspense>
    </ErrorBoundary>
  );
  const { rerender } = render(at(path));
  return { goTo: (next: string) => act(async () => rerender(at(next))) };
}

const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

it('fetches a page a second time before it says that the page could not be loaded', async () => {
  const fetchPage = vi.fn(async () => Documents).mockRejectedValueOnce(lost);
  show(fetchedPage(fetchPage));
  await pass(900);
  expect(screen.getByText('Loading...')).toBeDefined();
  await pass(200);
  expect(screen.getByRole('heading', { name: 'Documents' })).toBeDefined();
  expect(fetchPage).toHaveBeenCalledTimes(2);
});

it('says that a page could not be loaded, leaves the others, and fetches the page again on the next visit', async () => {
  const fetchPage = vi
    .fn(async () => Documents)
    .mockRejectedValueOnce(lost)
    .mockRejectedValueOnce(lost);
  const { goTo } = show(fetchedPage(fetchPage));
  await pass(1_100);
  expect(screen.getByText(/The connection failed/)).toBeDefined();
  expect(takeConsoleOutput().join()).toContain('could not be fetched');
  await goTo('/');
  expect(screen.getByRole('heading', { name: 'Dashboard' })).toBeDefined();
  await goTo('/documents');
  await pass(0);
  expect(screen.getByRole('heading', { name: 'Documents' })).toBeDefined();
});
