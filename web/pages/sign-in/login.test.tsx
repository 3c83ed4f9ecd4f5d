import { screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pasteInto } from '#tests/support/paste-into.ts';
// The page loads these rules on first use. Here they are loaded before, so that a press is judged at once on a busy machine too.
import '#web/features/accounts/sign-in-checks.ts';
import { currentToasts } from '#web/lib/toast.ts';
import { openPage, type Service, startService } from '#web/pages/pages.test-world.tsx';
import { holdAnswers } from '#web/pages/vault/vault.test-world.ts';
import { LoginPage } from './login.tsx';

let service: Service;
beforeEach(() => {
  service = startService();
  service.answers['GET /api/auth/providers'] = { status: 200, body: { providers: [] } };
});
afterEach(() => service.stop());

const open = (at = '/login') => openPage(LoginPage, { route: '/login', at });
const button = (name: string) => screen.getByRole('button', { name });
const lastToast = () => currentToasts()[0];

async function fillIn(email: string, password: string) {
  if (email) await pasteInto(screen.getByLabelText('Email'), email);
  if (password) await pasteInto(screen.getByLabelText('Password'), password);
  await userEvent.click(button('Sign In'));
}

describe('Signing in', () => {
  it('asks for a real address and for a password, and puts the focus on the first that is wrong', async () => {
    open();
    expect(screen.getByText('Sign in to access your digital legacy vault')).toBeDefined();
    await fillIn('not an address', '');
    const email = screen.getByLabelText('Email');
    expect(await screen.findByText('Please enter a valid email address')).toBeDefined();
    expect(screen.getByText('Password is required')).toBeDefined();
    expect(document.getElementById(email.getAttribute('aria-describedby') ?? '')?.textContent).toBe(
      'Please enter a valid email address',
    );
    expect(document.activeElement).toBe(email);
    await waitFor(() => expect(document.title).toBe('Error: Sign in – Everkept'));
    expect(service.count('POST /api/login')).toBe(0);
  });

  it('leads to the sheet that waits with the question of a mail, and names it', async () => {
    service.answers['POST /api/login'] = { status: 200, body: { ok: true, user: { id: 'sam' } } };
    const { history } = open('/login?question=1');
    expect(screen.getByText(/What did the kitchen of your childhood smell of\?/)).toBeTruthy();
    await fillIn('sam@ashworth.example', 'lemon cake');
    await waitFor(() => expect(history?.at(-1)).toBe('/messages?question=1'));
  });

  it('keeps the question while a second step is asked for that was begun without scripts', async () => {
    service.answers['GET /api/login/second-factor'] = { status: 200, body: { secondFactor: ['recovery'] } };
    service.answers['POST /api/login/second-factor'] = { status: 200, body: { ok: true, user: { id: 'sam' } } };
    const { history } = open('/login?step=second-factor&question=1');
    await pasteInto(await screen.findByLabelText('Recovery code'), 'abcd-efgh-jkmn');
    expect(history?.at(-1)).toBe('/login?question=1');
    await userEvent.click(button('Continue'));
    await waitFor(() => expect(history?.at(-1)).toBe('/messages?question=1'));
  });

  it('leads to the dashboard and says so', async () => {
    service.answers['POST /api/login'] = { status: 200, body: { ok: true, user: { id: 'sam' } } };
    const { history } = open();
    await fillIn('sam@ashworth.example', 'lemon cake');
    await waitFor(() => expect(history?.at(-1)).toBe('/'));
    expect(service.calls.find(({ key }) => key === 'POST /api/login')?.body).toEqual({
      email: 'sam@ashworth.example',
      password: 'lemon cake',
      keepSignedIn: true,
    });
    expect(lastToast()).toMatchObject({ title: 'Success', description: 'Logged in successfully' });
  });

  it('keeps a person signed in unless they say no, in every way of signing in', async () => {
    service.answers['GET /api/auth/providers'] = {
      status: 200,
      body: { providers: [{ slug: 'google', name: 'Google' }] },
    };
    service.answers['POST /api/login'] = { status: 200, body: { ok: true, user: { id: 'sam' } } };
    open();
    const box = screen.getByLabelText<HTMLInputElement>('Keep me signed in');
    expect(box.checked).toBe(true);
    expect(screen.getByText('For 14 days on this device.')).toBeDefined();
    const google = () => screen.findByRole('link', { name: 'Sign in with Google' });
    expect((await google()).getAttribute('href')).toBe('/api/auth/google');
    await userEvent.click(box);
    expect((await google()).getAttribute('href')).toBe('/api/auth/google?keep=no');
    await fillIn('sam@ashworth.example', 'lemon cake');
    await waitFor(() => expect(service.count('POST /api/login')).toBe(1));
    expect(service.calls.find(({ key }) => key === 'POST /api/login')?.body).toMatchObject({ keepSignedIn: false });
  });

  it('never calls a sign-in saved, if a proxy has answered', async () => {
    service.answers['POST /api/login'] = { status: 200, body: { status: 'ok' } };
    open();
    await fillIn('sam@ashworth.example', 'lemon cake');
    await waitFor(() => expect(lastToast()).toMatchObject({ description: 'An error occurred during login' }));
    expect(screen.getByLabelText<HTMLInputElement>('Password').value).toBe('lemon cake');
  });

  it.each([
    [{ message: 'That account is closed.', type: 'UNAUTHENTICATED' }, 'That account is closed.'],
    [{}, 'Invalid credentials'],
    ['unreachable' as const, 'An error occurred during login'],
  ])('names the cause of a failure, and keeps the typed text: %o', async (answer, description) => {
    service.answers['POST /api/login'] = answer === 'unreachable' ? answer : { status: 401, body: answer };
    open();
    await fillIn('sam@ashworth.example', 'lemon cake');
    await waitFor(() =>
      expect(lastToast()).toMatchObject({ title: 'Login Failed', description, variant: 'destructive' }),
    );
    expect(screen.getByRole('status').textContent).toBe(description);
    expect(screen.getByLabelText<HTMLInputElement>('Email').value).toBe('sam@ashworth.example');
    expect(screen.getByLabelText<HTMLInputElement>('Password').value).toBe('lemon cake');
  });

  it('shows beside the field what the service finds wrong, where the page had nothing to check it by', async () => {
    service.answers['POST /api/login'] = {
      status: 400,
      body: {
        message: 'No',
        type: 'VALIDATION',
        issues: [{ path: 'email', message: 'Please enter a valid email address' }],
      },
    };
    open();
    await fillIn('sam@ashworth.example', 'lemon cake');
    expect(await screen.findByText('Please enter a valid email address')).toBeDefined();
    await waitFor(() => expect(document.title).toBe('Error: Sign in – Everkept'));
    expect(screen.queryByText('Login Failed')).toBeNull();
  });

  it('signs in once, however often the button is pressed', async () => {
    service.answers['POST /api/login'] = { status: 401, body: { message: 'No', type: 'UNAUTHENTICATED' } };
    const answer = holdAnswers();
    open();
    await pasteInto(screen.getByLabelText('Email'), 'sam@ashworth.example');
    await pasteInto(screen.getByLabelText('Password'), 'lemon cake');
    await userEvent.dblClick(button('Sign In'));
    answer();
    await waitFor(() => expect(lastToast()).toMatchObject({ description: 'No' }));
    expect(service.count('POST /api/login')).toBe(1);
  });

  it('shows and hides the password', async () => {
    open();
    expect(screen.getByLabelText('Password').getAttribute('type')).toBe('password');
    await userEvent.click(button('Show password'));
    expect(screen.getByLabelText('Password').getAttribute('type')).toBe('text');
    await userEvent.click(button('Hide password'));
    expect(screen.getByLabelText('Password').getAttribute('type')).toBe('password');
  });

  it('offers Google below an or, and leaves for it without the router', async () => {
    service.answers['GET /api/auth/providers'] = {
      status: 200,
      body: { providers: [{ slug: 'google', name: 'Google' }] },
    };
    const { history } = open();
    const link = await screen.findByRole('link', { name: 'Sign in with Google' });
    expect(link.getAttribute('href')).toBe('/api/auth/google');
    expect(link.previousElementSibling?.textContent).toBe('or');
    link.addEventListener('click', (event) => event.preventDefault());
    await userEvent.click(link);
    expect(history).toEqual(['/login']);
  });

  it.each([
    { status: 200, body: { providers: [] } },
    { status: 503, body: { message: 'We are very busy just now.', type: 'UNAVAILABLE' } },
    'unreachable' as const,
  ])('does not offer Google where the service does not say so: %o', async (answer) => {
    service.answers['GET /api/auth/providers'] = answer;
    open();
    await waitFor(() => expect(service.count('GET /api/auth/providers')).toBeGreaterThan(0));
    expect(screen.getByRole('button', { name: 'Sign In' })).toBeDefined();
    expect(screen.queryByRole('link', { name: /Google/ })).toBeNull();
    expect(screen.queryByText('or')).toBeNull();
  });

  it('offers each provider by its name', async () => {
    const providers = [
      { slug: 'google', name: 'Google' },
      { slug: 'our-login', name: 'Our Login' },
    ];
    service.answers['GET /api/auth/providers'] = { status: 200, body: { providers } };
    open('/login?error=our_login_auth_failed');
    const link = await screen.findByRole('link', { name: 'Sign in with Our Login' });
    expect(link.getAttribute('href')).toBe('/api/auth/our-login');
    expect(screen.getByRole('link', { name: 'Sign in with Google' })).toBeDefined();
    expect(screen.getAllByText('or')).toHaveLength(1);
    expect(screen.getByRole('alert').textContent).toContain('Our Login Sign In Failed');
  });

  it('puts no word of a link on the page where no provider is called so', async () => {
    open('/login?error=call_0800_1234_at_once_auth_failed');
    expect(screen.getByRole('alert').textContent).toBe(
      'Sign In FailedThere was an issue signing in. Please try again or use email/password.',
    );
    expect(document.body.textContent).not.toMatch(/0800/);
  });

  it('tells of a failed sign-in with Google, and clears the address', async () => {
    const { history } = open('/login?error=google_auth_failed');
    expect(screen.getByRole('alert').textContent).toBe(
      'Google Sign In FailedThere was an issue signing in with Google. Please try again or use email/password.',
    );
    await waitFor(() => expect(history?.at(-1)).toBe('/login'));
    expect(screen.getByRole('alert')).toBeDefined();
  });

  it.each([
    [
      'google_email_sent',
      /^Check Your EmailIf this address can be linked, we have written to it. Otherwise choose Forgot password.$/,
    ],
    ['google_address_unverified', /Google says that your email address there is not confirmed/],
    ['google_person_unnamed', /Google did not tell us which account there is yours/],
  ])('says for %s what to do next', (error, words) => {
    open(`/login?error=${error}`);
    expect(screen.getByRole('alert').textContent).toMatch(words);
  });

  it('shows no such notice for any other address', () => {
    open('/login?error=other');
    expect(screen.queryByRole('alert')).toBeNull();
    expect(screen.getByRole('link', { name: 'Create one here' }).getAttribute('href')).toBe('/register');
  });
});

describe('Forgetting the password', () => {
  async function askFor(email: string) {
    open();
    await userEvent.click(button('Forgot password'));
    await screen.findByRole('heading', { name: 'Reset your password' });
    if (email) await pasteInto(screen.getByLabelText('Email'), email);
    await userEvent.click(button('Send Reset Email'));
  }

  it('asks for a real address, and leads back', async () => {
    await askFor('sam@');
    expect(await screen.findByText('Please enter a valid email address')).toBeDefined();
    await userEvent.click(button('Back to Login'));
    expect(screen.getByRole('heading', { name: 'Sign in' })).toBeDefined();
  });

  it('says that the email is being sent while it is', async () => {
    service.answers['POST /api/reset-password'] = { status: 200, body: { message: 'Sent' } };
    const answer = holdAnswers();
    await askFor('sam@ashworth.example');
    expect(await screen.findByRole('button', { name: 'Sending...' })).toBeDefined();
    answer();
    expect(await screen.findByRole('heading', { name: 'Check Your Email' })).toBeDefined();
  });

  it('says that the instructions are on their way', async () => {
    service.answers['POST /api/reset-password'] = { status: 200, body: { message: 'Sent' } };
    await askFor('sam@ashworth.example');
    expect(await screen.findByRole('heading', { name: 'Check Your Email' })).toBeDefined();
    expect(screen.getByText(/We have sent password reset instructions to/)).toBeDefined();
    expect(lastToast()).toMatchObject({
      title: 'Reset Email Sent',
      description: 'Please check your email for password reset instructions.',
    });
    await userEvent.click(button('Back to Login'));
    expect(screen.getByRole('heading', { name: 'Sign in' })).toBeDefined();
  });

  it('begins with the address of the sign-in form, and hands back the corrected one', async () => {
    open();
    await userEvent.type(screen.getByLabelText('Email'), 'sam@ashwort.example');
    await userEvent.click(button('Forgot password'));
    const asked = await screen.findByRole('heading', { name: 'Reset your password' });
    const field = () => screen.getByLabelText<HTMLInputElement>('Email');
    expect([asked.isConnected, field().value]).toEqual([true, 'sam@ashwort.example']);
    await userEvent.clear(field());
    await userEvent.type(field(), 'sam@ashworth.example');
    await userEvent.click(button('Back to Login'));
    expect(field().value).toBe('sam@ashworth.example');
  });

  it('says why it failed, and keeps the address', async () => {
    service.answers['POST /api/reset-password'] = {
      status: 429,
      body: { message: 'Too many tries. Wait a minute.', type: 'RATE_LIMITED' },
    };
    await askFor('sam@ashworth.example');
    await waitFor(() =>
      expect(lastToast()).toMatchObject({ title: 'Reset Failed', description: 'Too many tries. Wait a minute.' }),
    );
    expect(screen.getByLabelText<HTMLInputElement>('Email').value).toBe('sam@ashworth.example');
  });
});
