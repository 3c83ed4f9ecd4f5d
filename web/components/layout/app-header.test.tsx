import { render, screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import type { User } from '#shared/contract/accounts.ts';
import { initialsOf } from '#web/components/layout/account-menu.tsx';
import { AppHeader } from '#web/components/layout/app-header.tsx';

const user: User = {
  id: '0190b6a0-0000-7000-8000-000000000000',
  email: 'sam@ashworth.example',
  firstName: 'Sam',
  lastName: 'Ashworth',
  profileImageUrl: null,
  phone: null,
  isPhoneProven: false,
  plan: 'free',
  intendedPlan: null,
  isPlanOffered: false,
  role: 'user',
  isAdministrator: false,
  emailVerified: true,
  isMailboxProven: true,
  releaseMethod: 'inactivity',
  inactivityDays: 90,
  checkinIntervalDays: 30,
  lastCheckinAt: '2026-11-20T09:00:00.000Z',
  isTrustedContactAccount: false,
  tempPassword: false,
};

const mainLinks = () =>
  within(screen.getByRole('navigation', { name: 'Main' }))
    .getAllByRole('link')
    .map((link) => link.textContent);

describe('the header of a signed-in person', () => {
  it('shows the links of every account', () => {
    render(<AppHeader user={user} onSignOut={() => undefined} hasPage={() => true} />);
    expect(mainLinks()).toEqual(['Dashboard', 'Messages', 'Documents', 'Trusted Contacts', 'Help & Guidance']);
  });

  it('shows the trustee and admin panels only to those whose they are', () => {
    render(
      <AppHeader
        user={{ ...user, isTrustedContactAccount: true, isAdministrator: true }}
        onSignOut={() => undefined}
        hasPage={() => true}
      />,
    );
    expect(mainLinks()).toEqual([
      'Dashboard',
      'Messages',
      'Documents',
      'Trusted Contacts',
      'Trustee Panel',
      'Help & Guidance',
      'Admin Panel',
    ]);
  });

  it('offers nothing that has no page', async () => {
    const missing = ['/help', '/account', '/data-export'];
    render(<AppHeader user={user} onSignOut={() => undefined} hasPage={(path) => !missing.includes(path)} />);
    expect(mainLinks()).toEqual(['Dashboard', 'Messages', 'Documents', 'Trusted Contacts']);
    screen.getByRole('button', { name: 'Sam Ashworth, account menu' }).focus();
    await userEvent.keyboard('{Enter}');
    const items = (await screen.findAllByRole('menuitem')).map((item) => item.textContent);
    expect(items).toEqual(['Privacy & Security', 'Dark theme', 'Log out']);
  });

  it('offers the account behind the initials, and signing out', async () => {
    let signedOut = 0;
    render(<AppHeader user={user} onSignOut={() => signedOut++} hasPage={() => true} />);
    const trigger = screen.getByRole('button', { name: 'Sam Ashworth, account menu' });
    expect(trigger.textContent).toContain('SA');
    trigger.focus();
    await userEvent.keyboard('{Enter}');
    const items = (await screen.findAllByRole('menuitem')).map((item) => item.textContent);
    expect(items).toEqual(['Account & Billing', 'Privacy & Security', 'Data Export', 'Dark theme', 'Log out']);
    expect(screen.getByText('sam@ashworth.example')).toBeTruthy();
    await userEvent.click(screen.getByRole('menuitem', { name: 'Log out' }));
    expect(signedOut).toBe(1);
  });
});

describe('initials', () => {
  it('come from the names, else the address, else are U', () => {
    expect(initialsOf(user)).toBe('SA');
    expect(initialsOf({ ...user, lastName: null })).toBe('S');
    expect(initialsOf({ firstName: null, lastName: '', email: 'nell@example.org' })).toBe('N');
    expect(initialsOf({ firstName: null, lastName: null, email: '' })).toBe('U');
  });
});
