import { render, screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, describe, expect, it } from 'vitest';
import { Router } from 'wouter';
import { memoryLocation } from 'wouter/memory-location';
import { Pricing } from '#web/components/landing/pricing.tsx';
import { currentToasts, dismissToast } from '#web/lib/toast.ts';

afterEach(() => {
  for (const { id } of currentToasts()) dismissToast(id);
});

describe('the prices', () => {
  it('are named by the month, and by the year once that is chosen', async () => {
    render(<Pricing />);
    const names = () =>
      within(screen.getByRole('radiogroup'))
        .getAllByRole('radio')
        .map((radio) => radio.getAttribute('aria-label'));
    expect(names()).toEqual(['Free, £0', 'Essential, £4.99 a month', 'Premium, £9.99 a month', 'Lifetime, £299 once']);
    await userEvent.click(screen.getByLabelText(/Annual/));
    expect(names()).toEqual(['Free, £0', 'Essential, £49.99 a year', 'Premium, £99.99 a year', 'Lifetime, £299 once']);
  });

  it('lead to the subscription page with the plan, and say so', async () => {
    const { hook, history } = memoryLocation({ path: '/', record: true });
    render(
      <Router hook={hook}>
        <Pricing />
      </Router>,
    );
    await userEvent.click(screen.getByRole('radio', { name: /Premium/ }));
    await userEvent.click(screen.getByRole('link', { name: 'Subscribe to Premium' }));
    expect(history.at(-1)).toBe('/subscribe?plan=premium');
    expect(currentToasts()).toMatchObject([
      { title: 'Plan Selected', description: 'Redirecting to subscription page...' },
    ]);
    expect(screen.getByRole('link', { name: 'Start Free Account' }).getAttribute('href')).toBe('/subscribe?plan=free');
  });
});
