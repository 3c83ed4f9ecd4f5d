import { screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pasteInto } from '#tests/support/paste-into.ts';
import { openPage, type Service, startService } from '#web/pages/pages.test-world.tsx';
import { PortalDemoPage } from './portal-demo.tsx';

let service: Service;
beforeEach(() => {
  service = startService();
  openPage(PortalDemoPage, { route: '/trusted-contact-demo', at: '/trusted-contact-demo' });
});
afterEach(() => {
  expect(service.calls).toEqual([]);
  service.stop();
});

const button = (name: string) => screen.getByRole('button', { name });

describe('the demonstration of the portal', () => {
  it('says what it is, and shows documents without a way to open one', () => {
    expect(screen.getByText('This is a demonstration.')).toBeTruthy();
    const table = screen.getByRole('table', { name: 'Documents of the account holder' });
    expect(within(table).getAllByRole('row')).toHaveLength(5);
    expect(within(table).getByText('412 KB')).toBeTruthy();
    expect(within(table).queryAllByRole('link')).toEqual([]);
  });

  it('tells how it works, with the days of the service', () => {
    const panel = screen.getByRole('region', { name: 'How it works' });
    expect(
      within(panel).getByText('SMS reminders at 90 and 170 days, then an email to trusted contacts after 180 days.'),
    ).toBeTruthy();
    expect(within(panel).getAllByRole('listitem')).toHaveLength(4);
  });

  it('can be gone through to the end and begun again, and nothing is sent', async () => {
    await pasteInto(screen.getByRole('textbox', { name: 'Reason *' }), 'I was at the funeral.');
    await userEvent.click(button('Confirm Message Release'));
    expect(document.activeElement).toBe(button('Keep waiting'));
    await userEvent.type(within(screen.getByRole('dialog')).getByRole('textbox'), 'SEND');
    await userEvent.click(button('Send the messages now'));
    expect(screen.getByRole('heading', { level: 1, name: 'Release Confirmed' })).toBeTruthy();
    expect(screen.getByText(/This was a demonstration, and nothing was sent/)).toBeTruthy();

    await userEvent.click(button('Start the demonstration again'));
    const box = screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Reason *' });
    expect(box.value).toBe('');
    await pasteInto(box, 'Sam is on a boat.');
    await userEvent.click(button('Cancel Release'));
    expect(screen.getByRole('heading', { level: 1, name: 'Release Cancelled' })).toBeTruthy();
  });
});
