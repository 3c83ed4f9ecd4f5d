import { render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, expect, it } from 'vitest';
import type { ReleaseOverview } from '#shared/contract/release/release.ts';
import { sentLettersPerPage } from '#shared/contract/release/sent-letters.ts';
import { ok, refused, type Service, startVault } from '#web/pages/vault/vault.test-world.ts';
import { Outcome } from './outcome.tsx';

type Delivery = ReleaseOverview['deliveries'][number];

/** Letters of one answer, from this one on. */
const letters = (from: number): Delivery[] =>
  Array.from({ length: sentLettersPerPage }, (_, at) => ({
    ...{ messageId: `${from + at}`, title: `Letter ${from + at + 1}`, recipient: 'Nell', hasOthers: false },
    ...{ status: 'accepted', deliveredAt: '2026-11-01T09:00:00.000Z', accessedAt: null },
  }));
const sent = (count: number) => ({ letters: count, delivered: count, opened: 0, lastAt: '2026-11-01T09:00:00.000Z' });
const rows = () => screen.getAllByRole('row').length - 1;
const press = (name: string) => userEvent.click(screen.getByRole('button', { name }));

let service: Service | undefined;
afterEach(() => service?.stop());

it('shows the fifty that came with the overview, and reads fifty more of 2,000 at a press', async () => {
  service = startVault();
  render(<Outcome deliveries={letters(0)} sent={sent(2_000)} />);
  expect([rows(), service.calls.length]).toEqual([50, 0]);
  service.answers['GET /api/release/deliveries?from=50'] = refused(500, 'Not now.');
  await press('Show more');
  expect(screen.getByRole('status').textContent).toBe('We could not load more messages. 50 of 2,000 shown');

  service.answers['GET /api/release/deliveries?from=50'] = ok({ deliveries: letters(50) });
  await press('Try again');
  expect(await screen.findByText('100 of 2,000 shown')).toBeDefined();
  expect(rows()).toBe(100);
  expect(document.activeElement?.textContent).toContain('Letter 51');
});

it('offers nothing more of fifty sent messages', () => {
  render(<Outcome deliveries={letters(0)} sent={sent(50)} />);
  expect([rows(), screen.queryByRole('button')]).toEqual([50, null]);
});

it('says of a message that has not left only that it is not sent, or the day until which it waits', () => {
  const [letter] = letters(0);
  if (!letter) throw new Error('There is no letter.');
  const unsent = { ...letter, deliveredAt: null };
  const waiting = { ...unsent, messageId: 'later', status: 'waiting', waitsUntil: '2031-05-04T07:00:00.000Z' };
  render(<Outcome deliveries={[{ ...unsent, status: 'pending' }, waiting]} sent={sent(2)} />);
  const words = screen.getAllByRole('row').map((row) => row.querySelectorAll('td')[1]?.textContent);
  expect(words.slice(1)).toEqual(['Not sent yet', 'Waits until 4 May 2031']);
});
