import { screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pasteInto } from '#tests/support/paste-into.ts';
// The page loads these rules on first use. Here they are loaded before, so that a press is judged at once on a busy machine too.
import '#web/features/accounts/sign-in-checks.ts';
import { currentToasts } from '#web/lib/toast.ts';
import { openPage, type Service, startService } from '#web/pages/pages.test-world.tsx';
import { sam } from '#web/pages/vault/vault.test-world.ts';
import { ConfirmMailboxPage } from './confirm-mailbox.tsx';
import { ResetPasswordPage } from './reset-password.tsx';
import { VerifyExpiredPage } from './verify-expired.tsx';

let service: Service;
beforeEach(() => {
  service = startService();
});
afterEach(() => service.stop());

const complete = 'POST /api/reset-password/complete';
const waysLeft = { unlinkedProviders: [] as string[], hasSecondStep: false };

async function choosePassword(first: string, second: string) {
  openPage(ResetPasswordPage, { route: '/reset-password/:token', at: '/reset-password/the-token' });
  if (first) await pasteInto(screen.getByLabelText('New password'), first);
  if (second) await pasteInto(screen.getByLabelText('New password again'), second);
  await userEvent.click(screen.getByRole('button', { name: 'Save the new password' }));
}

describe('The link of the reset mail', () => {
  it('takes a new password, typed twice alike', async () => {
    await choosePassword('lemon cake', 'lemon tart');
    expect(screen.getByText("Passwords don't match")).toBeDefined();
    expect(service.calls).toEqual([]);
  });

  it('sets it with the token, and leads to the sign-in', async () => {
    service.answers[complete] = {
      status: 200,
      body: { message: 'Done', isHandedOver: false, isFirstSign: false, ...waysLeft },
    };
    await choosePassword('lemon cake', 'lemon cake');
    expect(await screen.findByRole('heading', { name: 'Your password is changed' })).toBeDefined();
    expect(screen.queryByText(/This was not me/)).toBeNull();
    expect(service.calls[0]).toEqual({
      key: complete,
      body: { token: 'the-token', password: 'lemon cake', confirmPassword: 'lemon cake' },
    });
    expect(screen.getByRole('link', { name: 'Go to Login' }).getAttribute('href')).toBe('/login');
  });

  it('names the providers that it removed, and the second step that stays', async () => {
    const done = { message: 'Done', isHandedOver: false, isFirstSign: false };
    const body = { ...done, unlinkedProviders: ['Google', 'Our Login'], hasSecondStep: true };
    service.answers[complete] = { status: 200, body };
    await choosePassword('lemon cake', 'lemon cake');
    expect(await screen.findByText(/The link with Google and Our Login was removed/)).toBeDefined();
    expect(screen.getByText(/Your second step stays on/)).toBeDefined();
  });

  it('suggests a check of the content if its author is unknown', async () => {
    service.answers[complete] = {
      status: 200,
      body: { message: 'Done', isHandedOver: false, isFirstSign: true, ...waysLeft },
    };
    await choosePassword('lemon cake', 'lemon cake');
    expect(await screen.findByRole('heading', { name: 'Your password is changed' })).toBeDefined();
    expect(screen.getByText(/look at the messages, the trusted contacts and the settings in it/)).toBeDefined();
  });

  it('says kindly that an unproved vault is handed over empty', async () => {
    service.answers[complete] = {
      status: 200,
      body: { message: 'Done', isHandedOver: true, isFirstSign: false, ...waysLeft },
    };
    await choosePassword('lemon cake', 'lemon cake');
    expect(await screen.findByRole('heading', { name: 'This vault is yours, and empty' })).toBeDefined();
    expect(screen.getByRole('status').textContent).toContain('we deleted everything in it');
    expect(screen.getByRole('link', { name: 'Go to Login' }).getAttribute('href')).toBe('/login');
  });

  it('offers a new link where this one is dead', async () => {
    service.answers[complete] = { status: 404, body: { message: 'Gone', type: 'NOT_FOUND' } };
    service.answers['POST /api/reset-password'] = { status: 200, body: { message: 'Sent' } };
    await choosePassword('lemon cake', 'lemon cake');
    expect(await screen.findByRole('heading', { name: 'This link no longer works' })).toBeDefined();
    await pasteInto(screen.getByLabelText('Email'), 'sam@ashworth.example');
    await userEvent.click(screen.getByRole('button', { name: 'Send Reset Email' }));
    expect(await screen.findByRole('heading', { name: 'Check Your Email' })).toBeDefined();
  });

  it('keeps the typed text if the service is out of reach', async () => {
    service.answers[complete] = 'unreachable';
    await choosePassword('lemon cake', 'lemon cake');
    expect((await screen.findByRole('alert')).textContent).toContain('We could not reach Everkept.');
    expect(screen.getByLabelText<HTMLInputElement>('New password').value).toBe('lemon cake');
  });

  it('shows beside the field what the service thinks of the password', async () => {
    service.answers[complete] = {
      status: 400,
      body: { message: 'No', type: 'VALIDATION', issues: [{ path: 'password', message: 'Choose a rarer password.' }] },
    };
    await choosePassword('password', 'password');
    expect(await screen.findByText('Choose a rarer password.')).toBeDefined();
    expect(screen.queryByText('This link no longer works')).toBeNull();
  });
});

describe('A verification link that has expired', () => {
  const resend = 'POST /api/verify-email/resend';
  const open = (at: string) => openPage(VerifyExpiredPage, { route: '/verify-email', at });

  it('sends a new one with the old one', async () => {
    service.answers[resend] = { status: 200, body: { message: 'Sent' } };
    open('/verify-email?token=old-token');
    await userEvent.click(screen.getByRole('button', { name: 'Send a new link' }));
    expect(await screen.findByRole('heading', { name: 'Check Your Email' })).toBeDefined();
    expect(service.calls[0]).toEqual({ key: resend, body: { token: 'old-token' } });
    expect(currentToasts()[0]).toMatchObject({
      title: 'Verification email sent',
      description: 'Please check your email and click the verification link.',
    });
  });

  it('says so where that fails, and can be tried again', async () => {
    service.answers[resend] = { status: 503, body: { message: 'Come back in a minute.', type: 'UNAVAILABLE' } };
    open('/verify-email?token=old-token');
    await userEvent.click(screen.getByRole('button', { name: 'Send a new link' }));
    expect((await screen.findByRole('alert')).textContent).toBe('Come back in a minute.');
    await waitFor(() =>
      expect(currentToasts()[0]).toMatchObject({
        title: 'Error sending email',
        description: 'Please try again later.',
        variant: 'destructive',
      }),
    );
    expect(screen.getByRole('button', { name: 'Send a new link' })).toBeDefined();
  });

  it('explains itself where the address has lost the token', () => {
    open('/verify-email');
    expect(screen.getByRole('heading', { name: 'This link is not complete' })).toBeDefined();
  });
});

describe('The link that shows whose mailbox it is', () => {
  const me = 'GET /api/auth/user';
  const prove = 'POST /api/user/mailbox-proof/confirm';
  const open = () =>
    openPage(ConfirmMailboxPage, { route: '/confirm-mailbox/:token', at: '/confirm-mailbox/the-token' });
  const press = async () => userEvent.click(await screen.findByRole('button', { name: 'Yes, both are mine' }));
  beforeEach(() => {
    service.answers[me] = { status: 200, body: { ...sam, isMailboxProven: false } };
  });

  it('does nothing before a press, and then leads to the Trustee Panel', async () => {
    service.answers[prove] = { status: 200, body: { ok: true } };
    open();
    expect(await screen.findByText(sam.email)).toBeDefined();
    expect(service.count(prove)).toBe(0);
    await press();
    expect(await screen.findByRole('heading', { name: 'Thank you' })).toBeDefined();
    expect(service.calls.filter(({ key }) => key === prove)).toEqual([{ key: prove, body: { token: 'the-token' } }]);
    expect(screen.getByRole('link', { name: 'Open the Trustee Panel' }).getAttribute('href')).toBe('/trustee');
  });

  it('says why where it is another account’s, or too old', async () => {
    service.answers[prove] = { status: 404, body: { message: 'This link is for another account.', type: 'NOT_FOUND' } };
    open();
    await press();
    expect((await screen.findByRole('alert')).textContent).toContain('another account');
  });

  it('asks a visitor to sign in first, and offers no press', async () => {
    service.answers[me] = { status: 401, body: { message: 'Sign in to continue.', type: 'UNAUTHENTICATED' } };
    open();
    expect(await screen.findByRole('link', { name: 'Go to Login' })).toBeDefined();
    expect(screen.queryByRole('button')).toBeNull();
  });
});
