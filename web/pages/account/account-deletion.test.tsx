import { render, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pasteInto } from '#tests/support/paste-into.ts';
import { App } from '#web/app.tsx';
import { queryClient } from '#web/lib/api/query.ts';
import { currentToasts } from '#web/lib/toast.ts';
import { messageOf, ok, openPage, type Service, sam, startVault } from '#web/pages/vault/vault.test-world.ts';
import { DataExportPage } from './data-export.tsx';

const call = 'DELETE /api/delete-account';
const reauthenticate = 'POST /api/user/reauthenticate';
const tick = /I understand that my account/;

let service: Service;
beforeEach(() => {
  service = startVault();
});
afterEach(() => {
  service.stop();
  queryClient.clear();
  history.replaceState(null, '', '/');
});

const open = () => openPage(DataExportPage, { route: '/data-export', at: '/data-export' });
const press = (name: string) => userEvent.click(screen.getByRole('button', { name }));
const bodies = () => service.calls.filter(({ key }) => key === call).map(({ body }) => body);

describe('The deletion of the account', () => {
  it('needs the ticked box, and says what happens and when', async () => {
    open();
    const button = screen.getByRole('button', { name: 'Delete My Account' }) as HTMLButtonElement;
    expect(button.disabled).toBe(true);
    for (const what of ['At once', 'For 30 days', 'What stays']) expect(screen.getByText(what)).toBeDefined();
    const inThirtyDays = new Date(Date.now() + 30 * 86_400_000).toLocaleDateString('en-GB', {
      dateStyle: 'long',
      timeZone: 'Europe/London',
    });
    expect(screen.getByText(`On ${inThirtyDays}`)).toBeDefined();
    await userEvent.click(screen.getByLabelText(tick));
    expect(button.disabled).toBe(false);
    expect(bodies()).toEqual([]);
  });

  it('says so, goes home and forgets the person', async () => {
    service.answers[call] = { status: 200, body: null };
    const { history } = open();
    await userEvent.click(screen.getByLabelText(tick));
    await press('Delete My Account');
    await waitFor(() => expect(currentToasts()[0]?.title).toBe('Account Deleted'));
    expect(history.at(-1)).toBe('/');
    expect(bodies()).toEqual([{}]);
  });

  it('asks about letters that wait for a day of their own', async () => {
    const tom = {
      name: 'Tom',
      relation: null,
      email: 'tom@family.example',
      status: 'waiting' as const,
      openedAt: null,
    };
    service.answers['GET /api/messages'] = ok([messageOf({ recipients: [tom] })]);
    service.answers[call] = { status: 200, body: null };
    open();
    await userEvent.click(await screen.findByLabelText(tick));
    const leave = await screen.findByRole('radio', { name: /Let each go on its day/ });
    expect((screen.getByRole('button', { name: 'Delete My Account' }) as HTMLButtonElement).disabled).toBe(true);
    await userEvent.click(leave);
    await press('Delete My Account');
    await waitFor(() => expect(bodies()).toEqual([{ letters: 'leave' }]));
  });

  it('asks for the password where the sign-in is old, and for the right one', async () => {
    service.answers[call] = { status: 403, body: { message: 'Once more.', type: 'REAUTHENTICATION_REQUIRED' } };
    open();
    await userEvent.click(screen.getByLabelText(tick));
    await press('Delete My Account');
    await pasteInto(await screen.findByLabelText('Password'), 'twelve');
    const message = 'That is not your password. Check it, then try again.';
    service.answers[reauthenticate] = {
      status: 400,
      body: { message, type: 'VALIDATION', issues: [{ path: 'password', message }] },
    };
    await press('Delete my account');
    await screen.findByText(message);
    service.answers[reauthenticate] = ok({ ok: true });
    service.answers[call] = { status: 200, body: null };
    await press('Delete my account');
    await waitFor(() => expect(currentToasts()[0]?.title).toBe('Account Deleted'));
    expect(bodies()).toEqual([{}, {}]);
  });

  it.each([
    [{ status: 503, body: { message: 'Come back later.' } }, 'Come back later.'],
    [{ status: 500, body: null }, '500: '],
  ])('says why it failed: %j', async (answer, sentence) => {
    service.answers[call] = answer;
    open();
    await userEvent.click(screen.getByLabelText(tick));
    await press('Delete My Account');
    await waitFor(() => expect(currentToasts()[0]).toMatchObject({ title: 'Deletion Failed', variant: 'destructive' }));
    expect(currentToasts()[0]?.description).toBe(sentence);
  });
});

describe('An owner whose account is being deleted', () => {
  const deletionAt = '2026-12-21T10:00:00.000Z';
  const openAt = async (address: string, more = {}) => {
    service.answers['GET /api/auth/user'] = ok({ ...sam, deletionAt, ...more });
    history.replaceState(null, '', address);
    render(<App />);
    await screen.findByRole('heading', { name: 'Your account is being deleted' });
  };

  it.each(['/', '/messages', '/data-export'])('is asked at %s whether to restore it, and nothing else', async (at) => {
    await openAt(at);
    expect(screen.getByText('21 December 2026')).toBeDefined();
    const vault = service.calls.map(({ key }) => key).filter((key) => key !== 'GET /api/auth/user');
    expect(vault).toEqual([]);
  });

  it('is back in the vault after restoring it', async () => {
    await openAt('/help');
    service.answers['POST /api/user/restore'] = ok(sam);
    await press('Restore my account');
    await waitFor(() => expect(currentToasts()[0]?.title).toBe('Account Restored'));
    await waitFor(() => expect(screen.queryByText('Your account is being deleted')).toBeNull());
  });

  it('asks for a mailbox proof first, if the mailbox has reported the account as not its own', async () => {
    await openAt('/', { isDisowned: true, isMailboxProven: false });
    expect(screen.queryByRole('button', { name: 'Restore my account' })).toBeNull();
    service.answers['POST /api/user/mailbox-proof'] = ok({ message: 'The link is on its way.' });
    await press('Send the link to my address');
    expect(await screen.findByText('The link is on its way.')).toBeDefined();
  });

  it('can open that link while nothing else opens, and is led on to restore the account', async () => {
    service.answers['GET /api/auth/user'] = ok({ ...sam, deletionAt, isDisowned: true, isMailboxProven: false });
    service.answers['POST /api/user/mailbox-proof/confirm'] = ok({ ok: true });
    history.replaceState(null, '', '/confirm-mailbox/the-token');
    render(<App />);
    await userEvent.click(await screen.findByRole('button', { name: 'Yes, both are mine' }));
    expect(await screen.findByRole('link', { name: 'Go on to restore my account' })).toBeDefined();
  });

  it('can take a copy with them, and stays where they are', async () => {
    await openAt('/');
    service.answers['POST /api/export-data'] = { status: 500, body: { message: 'Come back later.' } };
    await press('Take a copy with me');
    expect(screen.getByRole('heading', { name: 'Export your data' })).toBeDefined();
    await press('Export Data');
    await waitFor(() => expect(currentToasts()[0]?.title).toBe('Export Failed'));
    const asked = service.calls.filter(({ key }) => key === 'POST /api/export-data').map(({ body }) => body);
    expect(asked).toEqual([{ format: 'encrypted-zip', includeDocuments: true, includeAuditLogs: false }]);
    expect(screen.getByRole('button', { name: 'Restore my account' })).toBeDefined();
  });

  it('gets a notice when it is too late', async () => {
    await openAt('/');
    service.answers['POST /api/user/restore'] = { status: 409, body: { message: 'The 30 days are over.' } };
    await press('Restore my account');
    await waitFor(() => expect(currentToasts()[0]?.description).toBe('The 30 days are over.'));
  });
});
