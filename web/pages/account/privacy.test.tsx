import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deviceName } from '#shared/rules/sign-in/device-name.ts';
import { pasteInto } from '#tests/support/paste-into.ts';
import { currentToasts } from '#web/lib/toast.ts';
import { openPage, type Service, startService } from '#web/pages/pages.test-world.tsx';
import { PrivacyPage } from './privacy.tsx';

const at = '2026-11-20T10:00:00.000Z';
const factorsCall = 'GET /api/user/second-factors';
const none = {
  hasPassword: true,
  providers: [],
  identities: [],
  authenticator: null,
  passkeys: [],
  recoveryCodes: null,
  freshUntil: at,
};
const protectedBy = {
  ...none,
  authenticator: { confirmedAt: at },
  passkeys: [{ id: '1', name: 'My phone', createdAt: at, lastUsedAt: null, isBackedUp: true }],
  recoveryCodes: { left: 2, madeAt: at },
};
const here = { id: 'a', isCurrent: true, createdAt: at, lastSeenAt: at, ipAddress: '198.51.100.7', userAgent: null };
const firefox = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0';
const there = { ...here, id: 'b', isCurrent: false, userAgent: firefox };
const entry = { position: 7, at, kind: 'sign-in', words: 'You signed in', ipAddress: null, userAgent: firefox };

let service: Service;
beforeEach(() => {
  service = startService();
  service.answers['GET /api/auth/user'] = { status: 200, body: { id: 'sam', email: 'sam@ashworth.example' } };
  service.answers[factorsCall] = { status: 200, body: none };
  service.answers['GET /api/user/sessions'] = { status: 200, body: [here, there] };
  service.answers['GET /api/user/activity'] = { status: 200, body: { entries: [entry], next: null } };
});
afterEach(() => service.stop());

const open = () => openPage(PrivacyPage, { route: '/privacy', at: '/privacy' });
const button = (name: string) => screen.getByRole('button', { name });
const part = async (name: string) => within(await screen.findByRole('region', { name }));

describe('Privacy & Security', () => {
  it('has a part for each of what protects the vault, and leads to the data and the policy', async () => {
    open();
    for (const name of ['Second step', 'Password', 'Devices', 'Activity', 'Your data']) await part(name);
    expect(screen.getByRole('heading', { level: 1, name: 'Privacy & Security' })).toBeDefined();
    expect(screen.getByRole('link', { name: /delete your account/ }).getAttribute('href')).toBe('/data-export');
    expect(screen.getByRole('link', { name: /privacy policy/ }).getAttribute('href')).toBe('/privacy-policy');
  });

  it('says what can be done where it could not be loaded', async () => {
    service.answers[factorsCall] = { status: 503, body: { message: 'Busy.', type: 'UNAVAILABLE' } };
    open();
    expect(await screen.findByText('We could not load this page')).toBeDefined();
  });
});

describe('The second step', () => {
  it('is set up with an app: a code to scan, a first code, and ten codes to keep', async () => {
    const setup = { secret: 'ABCD EFGH', uri: 'otpauth://totp/Everkept:sam?secret=ABCDEFGH' };
    service.answers['POST /api/user/second-factors/authenticator'] = { status: 200, body: setup };
    const codes = Array.from({ length: 10 }, (_, index) => `AAAA-BBBB-CCCC-000${index}`);
    service.answers['POST /api/user/second-factors/authenticator/confirm'] = {
      status: 200,
      body: { recoveryCodes: codes },
    };
    open();
    expect((await part('Second step')).getByText('Off')).toBeDefined();
    await userEvent.click(button('Set up an app'));
    const code = await screen.findByRole('img', { name: 'The code for your authenticator app' });
    expect(code.querySelector('path')?.getAttribute('d')?.length).toBeGreaterThan(500);
    expect(code.outerHTML).not.toContain('style=');
    expect(screen.getByText('ABCD EFGH')).toBeDefined();

    await userEvent.type(screen.getByLabelText('Code from the app'), '12');
    await userEvent.click(button('Turn it on'));
    expect(screen.getByText('Type the six digits that the app shows')).toBeDefined();
    await userEvent.type(screen.getByLabelText('Code from the app'), '3 456');
    await userEvent.click(button('Turn it on'));
    expect(await screen.findByText('AAAA-BBBB-CCCC-0009')).toBeDefined();
    await userEvent.click(button('Done'));
    expect(screen.getByText('AAAA-BBBB-CCCC-0009')).toBeDefined();
    await userEvent.click(screen.getByLabelText('I have kept these codes'));
    await userEvent.click(button('Done'));
    expect(screen.queryByText('AAAA-BBBB-CCCC-0009')).toBeNull();
  });

  it('asks for the password where the sign-in is not fresh, and goes on', async () => {
    service.answers[factorsCall] = { status: 200, body: protectedBy };
    const stale = { message: 'Confirm that it is you.', type: 'REAUTHENTICATION_REQUIRED' };
    service.answers['POST /api/user/second-factors/recovery-codes'] = { status: 403, body: stale };
    service.answers['POST /api/user/reauthenticate'] = { status: 200, body: { ok: true } };
    open();
    expect((await part('Second step')).getByText(/2 codes left.*before they run out/)).toBeDefined();
    await userEvent.click(button('Make new codes'));
    const password = await within(await screen.findByRole('dialog')).findByLabelText('Password');
    service.answers['POST /api/user/second-factors/recovery-codes'] = {
      status: 200,
      body: { recoveryCodes: ['ONE-CODE'] },
    };
    await pasteInto(password, 'lemon cake');
    await userEvent.click(button('Go on'));
    expect(await screen.findByText('ONE-CODE')).toBeDefined();
  });

  it('is removed after a question', async () => {
    service.answers[factorsCall] = { status: 200, body: protectedBy };
    service.answers['DELETE /api/user/passkeys/1'] = { status: 200, body: null };
    open();
    await userEvent.click(await screen.findByRole('button', { name: 'Remove My phone' }));
    expect(service.count('DELETE /api/user/passkeys/1')).toBe(0);
    await userEvent.click(button('Remove it'));
    await waitFor(() => expect(service.count('DELETE /api/user/passkeys/1')).toBe(1));
  });
});

describe('The password', () => {
  it('is changed, and a wrong one is said beside its field', async () => {
    const message = 'That is not your current password.';
    const refusal = { message, type: 'VALIDATION', issues: [{ path: 'currentPassword', message }] };
    service.answers['PUT /api/user/password'] = { status: 400, body: refusal };
    open();
    await part('Password');
    await userEvent.type(screen.getByLabelText('Current password'), 'wrong');
    await pasteInto(screen.getByLabelText('New password'), 'a bag of eleven limes');
    await pasteInto(screen.getByLabelText('New password again'), 'a bag of eleven limes');
    await userEvent.click(button('Change the password'));
    expect(await screen.findByText(message)).toBeDefined();
    service.answers['PUT /api/user/password'] = { status: 200, body: { message: 'Your password is changed.' } };
    await userEvent.click(button('Change the password'));
    await waitFor(() => expect(currentToasts()[0]).toMatchObject({ title: 'Password changed' }));
  });

  it('is changed after the second step, where this device has not passed it, and stays typed until then', async () => {
    const put = 'PUT /api/user/password';
    const words = 'A second step.';
    const refusal = { message: words, type: 'REAUTHENTICATION_REQUIRED', issues: [{ path: 'code', message: words }] };
    service.answers[factorsCall] = { status: 200, body: protectedBy };
    service.answers[put] = { status: 403, body: refusal };
    open();
    await part('Password');
    await pasteInto(screen.getByLabelText('Current password'), 'lemon cake');
    await pasteInto(screen.getByLabelText('New password'), 'a bag of eleven limes');
    await pasteInto(screen.getByLabelText('New password again'), 'a bag of eleven limes');
    await userEvent.click(button('Change the password'));
    const asked = within(await screen.findByRole('dialog'));
    await pasteInto(await asked.findByLabelText('Password'), 'lemon cake');
    await pasteInto(asked.getByLabelText('Code from your app'), '123456');
    service.answers['POST /api/user/reauthenticate'] = { status: 200, body: { ok: true } };
    service.answers[put] = { status: 200, body: { message: 'Your password is changed.' } };
    await userEvent.click(asked.getByRole('button', { name: 'Change the password' }));
    await waitFor(() => expect(currentToasts()[0]).toMatchObject({ title: 'Password changed' }));
    expect(service.calls.findLast(({ key }) => key === put)?.body).toMatchObject({ currentPassword: 'lemon cake' });
  });

  it('names empty fields in words', async () => {
    open();
    await part('Password');
    await userEvent.click(button('Change the password'));
    expect(await screen.findByText('Type your current password')).toBeDefined();
    expect(service.calls.some(({ key }) => key === 'PUT /api/user/password')).toBe(false);
  });

  it('is set for an account that has none', async () => {
    service.answers[factorsCall] = { status: 200, body: { ...none, hasPassword: false } };
    service.answers['POST /api/user/password'] = { status: 200, body: { ok: true } };
    open();
    await part('Password');
    await pasteInto(screen.getByLabelText('New password'), 'a bag of eleven limes');
    await pasteInto(screen.getByLabelText('New password again'), 'a bag of eleven limes');
    await userEvent.click(button('Set a password'));
    await waitFor(() => expect(currentToasts()[0]).toMatchObject({ title: 'Password set' }));
    expect(service.count(factorsCall)).toBeGreaterThan(1);
  });
});

describe('Ways to sign in', () => {
  const google = {
    id: '0198a7d2-0000-7000-8000-000000000000',
    provider: 'Google',
    isUsable: true,
    email: 'sam@gmail.example',
    linkedAt: at,
    lastUsedAt: null,
  };
  const withGoogle = { ...none, providers: [{ slug: 'google', name: 'Google' }], identities: [google] };
  const remove = `DELETE /api/user/identities/${google.id}`;

  it('name the password, each provider with its address and its days, and count passkeys and app', async () => {
    const body = {
      ...withGoogle,
      ...protectedBy,
      identities: [google, { ...google, id: '2', provider: 'old.example', isUsable: false }],
    };
    service.answers[factorsCall] = { status: 200, body };
    open();
    const ways = await part('Ways to sign in');
    expect(ways.getAllByText('sam@gmail.example')).toHaveLength(2);
    expect(ways.getAllByText(/Linked on 20 November 2026, not used yet/)).toHaveLength(2);
    expect(ways.getByText(/not set up here any more/)).toBeDefined();
    expect(ways.getByText(/You have 1 passkey and an authenticator app/)).toBeDefined();
  });

  it('are removed after a question', async () => {
    service.answers[factorsCall] = { status: 200, body: withGoogle };
    service.answers[remove] = { status: 200, body: null };
    open();
    await userEvent.click(await screen.findByRole('button', { name: 'Remove Google' }));
    expect(service.count(remove)).toBe(0);
    await userEvent.click(button('Remove it'));
    await waitFor(() => expect(service.count(remove)).toBe(1));
    await waitFor(() => expect(currentToasts()[0]).toMatchObject({ title: 'Removed' }));
  });

  it('say of the only one why it stays', async () => {
    open();
    const ways = await part('Ways to sign in');
    expect(ways.getByText(/the only way to sign in that you have/)).toBeDefined();
    expect(ways.queryByRole('button', { name: /Remove/ })).toBeNull();
  });

  it('offer a link with each provider that is not linked, after the password alone', async () => {
    service.answers['GET /api/auth/providers'] = {
      status: 200,
      body: { providers: [{ slug: 'google', name: 'Google' }] },
    };
    const words = 'Confirm it.';
    const refusal = {
      message: words,
      type: 'REAUTHENTICATION_REQUIRED',
      issues: [{ path: 'password', message: words }],
    };
    service.answers['POST /api/user/identities'] = { status: 403, body: refusal };
    open();
    await userEvent.click(await screen.findByRole('button', { name: 'Link Google' }));
    const asked = within(await screen.findByRole('dialog'));
    expect(await asked.findByLabelText('Password')).toBeDefined();
    expect(asked.queryByRole('link', { name: /Confirm with/ })).toBeNull();
  });
});

describe('Devices', () => {
  it('are named, and all but this one can be signed out, each or together', async () => {
    service.answers['DELETE /api/user/sessions/b'] = { status: 200, body: null };
    service.answers['DELETE /api/user/sessions'] = { status: 200, body: null };
    open();
    const devices = await part('Devices');
    await userEvent.click(await devices.findByRole('button', { name: 'Sign out Firefox on Windows' }));
    await waitFor(() => expect(service.count('DELETE /api/user/sessions/b')).toBe(1));
    await userEvent.click(button('Sign out all other devices'));
    await userEvent.click(button('Sign them out'));
    await waitFor(() => expect(service.count('DELETE /api/user/sessions')).toBe(1));
    expect(devices.getByText('This device')).toBeDefined();
  });

  it.each([
    [firefox, 'Firefox on Windows'],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1 Version/18.0 Mobile/15E148 Safari/604.1',
      'Safari on iPhone',
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0',
      'Edge on Mac',
    ],
    ['curl/8.0', 'Another kind of browser'],
    [null, 'A device we know nothing of'],
  ])('are called by what they say of themselves: %s', (userAgent, name) => {
    expect(deviceName(userAgent)).toBe(name);
  });
});

describe('Activity', () => {
  it('is listed, filtered, and exported with the filter', async () => {
    service.answers['GET /api/user/activity?kind=release'] = { status: 200, body: { entries: [], next: null } };
    open();
    const activity = await part('Activity');
    expect(await activity.findByText('You signed in')).toBeDefined();
    await userEvent.selectOptions(activity.getByLabelText('About'), 'Check-ins and releases');
    expect(await activity.findByText('Nothing of this kind was done in that time.')).toBeDefined();
    expect(activity.getByRole('link', { name: /CSV/ }).getAttribute('href')).toBe(
      '/api/user/activity/download?kind=release&format=csv',
    );
  });

  it('goes on with older entries', async () => {
    service.answers['GET /api/user/activity'] = { status: 200, body: { entries: [entry], next: 7 } };
    const older = { ...entry, position: 6, words: 'Your account was opened' };
    service.answers['GET /api/user/activity?before=7'] = { status: 200, body: { entries: [older], next: null } };
    open();
    await userEvent.click(await screen.findByRole('button', { name: 'Show more' }));
    expect(await screen.findByText('Your account was opened')).toBeDefined();
    expect(screen.queryByRole('button', { name: 'Show more' })).toBeNull();
  });
});
