import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pasteInto } from '#tests/support/paste-into.ts';
// The page loads these rules on first use. Here they are loaded before, so that a press is judged at once on a busy machine too.
import '#web/features/accounts/sign-in-checks.ts';
import { currentToasts } from '#web/lib/toast.ts';
import { openPage, type Service, startService } from '#web/pages/pages.test-world.tsx';
import { holdAnswers } from '#web/pages/vault/vault.test-world.ts';
import { RegisterPage } from './register.tsx';

let service: Service;
beforeEach(() => {
  service = startService();
  service.answers['GET /api/auth/providers'] = { status: 200, body: { providers: [] } };
});
const posted = () => service.calls.filter(({ key }) => key.startsWith('POST '));
afterEach(() => service.stop());

const open = (at = '/register') => openPage(RegisterPage, { route: '/register', at });
const create = () => userEvent.click(screen.getByRole('button', { name: 'Create Account' }));
const chosen = () => within(screen.getByRole('region', { name: 'Your Selected Plan' }));

const sam = {
  'First Name': 'Sam',
  'Last Name': 'Ashworth',
  Email: 'sam@ashworth.example',
  Password: 'lemon cake on the boat',
  'Confirm Password': 'lemon cake on the boat',
};

async function fillIn(changes: Partial<typeof sam> = {}) {
  for (const [label, value] of Object.entries({ ...sam, ...changes })) {
    if (value) await pasteInto(screen.getByLabelText(label), value);
  }
}

describe('Registering', () => {
  it('says what it is for, and leads to the sign-in', () => {
    open();
    expect(screen.getByText('Start your digital legacy journey today')).toBeDefined();
    const panel = within(screen.getByRole('region', { name: 'Account Information' }));
    expect(panel.getByRole('heading', { name: 'Account Information' })).toBeDefined();
    expect(panel.getByRole('link', { name: 'Sign in here' }).getAttribute('href')).toBe('/login');
  });

  it('says that the account is being created while it is', async () => {
    service.answers['POST /api/register'] = { status: 201, body: { message: 'Sent' } };
    open();
    await fillIn();
    const answer = holdAnswers();
    await create();
    expect(await screen.findByRole('button', { name: 'Creating Account...' })).toBeDefined();
    answer();
    expect(await screen.findByRole('heading', { name: 'Check Your Email' })).toBeDefined();
  });

  it('names every field that is missing, each beside itself, and puts the focus on the first', async () => {
    open();
    await create();
    for (const words of [
      'First name is required',
      'Last name is required',
      'Please enter a valid email address',
      'Password must be at least 8 characters',
    ]) {
      expect(screen.getByText(words)).toBeDefined();
    }
    expect(document.activeElement).toBe(screen.getByLabelText('First Name'));
    expect(posted()).toEqual([]);
  });

  it('wants the same password twice', async () => {
    open();
    await fillIn({ 'Confirm Password': 'lemon cake' });
    await create();
    expect(screen.getByText("Passwords don't match")).toBeDefined();
    expect(document.activeElement).toBe(screen.getByLabelText('Confirm Password'));
    await userEvent.clear(screen.getByLabelText('Password'));
    await pasteInto(screen.getByLabelText('Password'), 'lemon cake');
    await waitFor(() => expect(screen.queryByText("Passwords don't match")).toBeNull());
  });

  it('says how strong the password is while it is typed', async () => {
    open();
    const password = screen.getByLabelText('Password');
    await userEvent.type(password, 'short');
    expect(screen.getByText(/Password strength: too short/)).toBeDefined();
    await userEvent.clear(password);
    await pasteInto(password, 'lemon cake on the boat');
    expect(screen.getByText(/Password strength: strong/)).toBeDefined();
  });

  it('sends the form once, and tells the person to look for the mail', async () => {
    service.answers['POST /api/register'] = { status: 201, body: { message: 'Sent' } };
    open('/register?plan=premium');
    await fillIn();
    await userEvent.dblClick(screen.getByRole('button', { name: 'Create Account' }));
    expect(await screen.findByRole('heading', { name: 'Check Your Email' })).toBeDefined();
    expect(posted()).toEqual([
      {
        key: 'POST /api/register',
        body: {
          firstName: 'Sam',
          lastName: 'Ashworth',
          email: 'sam@ashworth.example',
          password: 'lemon cake on the boat',
          confirmPassword: 'lemon cake on the boat',
          plan: 'premium',
        },
      },
    ]);
    expect(currentToasts()[0]).toMatchObject({
      title: 'Registration Successful',
      description: 'Please check your email to verify your account.',
    });
    expect(screen.getByText(/A verification link was sent/).textContent).toContain('sam@ashworth.example');
    expect(screen.getByText(/check your spam folder or contact support/)).toBeDefined();
    expect(screen.getByRole('link', { name: 'Go to Login' }).getAttribute('href')).toBe('/login');
  });

  it('says why it failed, keeps everything, and shows what the service found wrong beside the field', async () => {
    service.answers['POST /api/register'] = {
      status: 400,
      body: {
        message: 'Some fields need another look.',
        type: 'VALIDATION',
        issues: [{ path: 'password', message: 'This password is one of the most used. Choose another.' }],
      },
    };
    open();
    await fillIn();
    await create();
    expect(await screen.findByText('This password is one of the most used. Choose another.')).toBeDefined();
    expect(currentToasts()[0]).toMatchObject({
      title: 'Registration Failed',
      description: 'Some fields need another look.',
      variant: 'destructive',
    });
    for (const [label, value] of Object.entries(sam)) {
      expect(screen.getByLabelText<HTMLInputElement>(label).value).toBe(value);
    }
  });
});

describe('The plan chosen at registration', () => {
  it.each([
    ['/register', 'Free', '£0'],
    ['/register?plan=essential', 'Essential', '£4.99'],
    ['/register?plan=premium', 'Premium', '£9.99'],
    ['/register?plan=lifetime', 'Free', '£0'],
    ['/register?plan=nonsense', 'Free', '£0'],
  ])('at %s is %s', (at, title, price) => {
    open(at);
    expect(chosen().getByRole('heading', { name: title })).toBeDefined();
    expect(chosen().getByText(new RegExp(price))).toBeDefined();
    expect(chosen().getByText(/change your plan anytime from your account settings/)).toBeDefined();
  });

  it('can be changed, and the panel follows', async () => {
    open();
    const plan = screen.getByLabelText<HTMLSelectElement>('Plan');
    expect([...plan.options].map(({ text }) => text)).toEqual([
      'Free - £0',
      'Essential - £4.99/month',
      'Premium - £9.99/month',
    ]);
    await userEvent.selectOptions(plan, 'essential');
    expect(chosen().getByRole('heading', { name: 'Essential' })).toBeDefined();
    expect(chosen().getByText('500 MB of storage')).toBeDefined();
  });

  it('goes with a visitor who signs up with Google', async () => {
    service.answers['GET /api/auth/providers'] = {
      status: 200,
      body: { providers: [{ slug: 'google', name: 'Google' }] },
    };
    open('/register?plan=premium');
    const link = await screen.findByRole('link', { name: 'Sign up with Google' });
    expect(link.getAttribute('href')).toBe('/api/auth/google?plan=premium');
    expect(link.previousElementSibling?.textContent).toBe('or');
    await userEvent.selectOptions(screen.getByLabelText('Plan'), 'essential');
    expect(link.getAttribute('href')).toBe('/api/auth/google?plan=essential');
  });
});
