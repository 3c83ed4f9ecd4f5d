import { render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { expect, it } from 'vitest';
import type { ReleaseOverview } from '#shared/contract/release/release.ts';
import { Outcome } from './outcome.tsx';

type Delivery = ReleaseOverview['deliveries'][number];

/** Letters that count how often their titles are read. */
function sent(count: number) {
  const read = { titles: 0 };
  const deliveries = Array.from({ length: count }, (_, number) =>
    Object.defineProperty(
      {
        ...{ messageId: `${number}`, recipient: 'Nell', status: 'accepted' },
        ...{ deliveredAt: '2026-11-01T09:00:00.000Z', accessedAt: null },
      } as Delivery,
      'title',
      {
        get: () => {
          read.titles += 1;
          return `Letter ${number + 1}`;
        },
      },
    ),
  );
  return { deliveries, read };
}

const rows = () => screen.getAllByRole('row').length - 1;

it('shows fifty of 2,000 sent messages, draws no other, and adds fifty at a press', async () => {
  const { deliveries, read } = sent(2_000);
  render(<Outcome deliveries={deliveries} />);
  expect([rows(), read.titles]).toEqual([50, 50]);
  await userEvent.click(screen.getByRole('button', { name: 'Show more' }));
  expect(rows()).toBe(100);
  expect(screen.getByRole('status').textContent).toBe('100 of 2,000 shown');
  expect(document.activeElement?.textContent).toContain('Letter 51');
});

it('offers nothing more of fifty sent messages', () => {
  render(<Outcome deliveries={sent(50).deliveries} />);
  expect([rows(), screen.queryByRole('button')]).toEqual([50, null]);
});
