import { render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, describe, expect, it } from 'vitest';
import { ContactConfirmedPage } from './contact-confirmed.tsx';

const confirmed = '/trusted-contact-confirmed?contactId=42&name=Priya+Shah';

function open(at: string, state: unknown = null) {
  history.replaceState(state, '', at);
  return render(<ContactConfirmedPage />);
}
afterEach(() => history.replaceState(null, '', '/'));

describe('the confirmation of the role', () => {
  it('waits while the address is not complete', () => {
    open('/trusted-contact-confirmed?contactId=42');
    expect(screen.getByRole('status').textContent).toContain('Loading');
    expect(screen.queryByRole('button')).toBeNull();
  });

  it('says what the role means', () => {
    open(confirmed);
    const text = screen.getByRole('main').textContent;
    for (const words of [
      'for 180 days, or for the time that they chose',
      'tell us yourself',
      'a page of your own',
      'only what the person who named you let you see',
      'an email to keep',
    ]) {
      expect(text).toContain(words);
    }
  });

  it('shows no name that stands in the address alone', () => {
    open('/trusted-contact-confirmed?contactId=42&name=%3Cb%3EYour+account+is+locked%3C%2Fb%3E');
    expect(screen.getByText('Thank you. You are a trusted contact now.')).toBeTruthy();
    expect(document.body.textContent).not.toContain('locked');
  });

  it('shows the name that the service gave in this visit, for the same contact only', () => {
    const { unmount } = open(confirmed, {
      accepted: { contactId: '42', name: 'Priya Shah', ownerName: 'Maggie Bell' },
    });
    expect(screen.getByText('Priya Shah')).toBeTruthy();
    expect(screen.getByText('Maggie Bell').closest('p')?.textContent).toBe(
      'Thank you, Priya Shah. You are a trusted contact for Maggie Bell now.',
    );
    expect(screen.getByRole('main').textContent).toContain('If we hear nothing from Maggie for 180 days');
    unmount();
    open(confirmed, { accepted: { contactId: '43', name: 'Somebody Else' } });
    expect(screen.queryByText('Somebody Else')).toBeNull();
  });

  it('closes the window, and says what to do where the browser does not let it', async () => {
    const { close } = window;
    let closed = 0;
    window.close = () => {
      closed += 1;
    };
    open(confirmed);
    await userEvent.click(screen.getByRole('button', { name: 'Close This Window' }));
    window.close = close;
    expect(closed).toBe(1);
    expect(screen.getByRole('status').textContent).toBe('You can close this tab yourself now.');
  });
});
