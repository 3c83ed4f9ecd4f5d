import { fireEvent, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useState } from 'react';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { defineRoute } from '#shared/contract/route.ts';
import { pasteInto } from '#tests/support/paste-into.ts';
import { call } from '#web/lib/api/api.ts';
import { factors, ok, openPage, refused, type Service, startVault } from '#web/pages/vault/vault.test-world.ts';
import { NotConfirmedError } from './not-confirmed.ts';
import { useFreshSignIn } from './use-fresh-sign-in.tsx';

const act = 'POST /api/grave-act';
const factorsCall = 'GET /api/user/second-factors';
const stale = refused(403, 'Confirm that it is you.', { type: 'REAUTHENTICATION_REQUIRED' });
const graveAct = defineRoute({ method: 'POST', path: '/api/grave-act', access: 'session', summary: 'For this test' });
const passkey = { id: '1', name: 'My phone', createdAt: factors.freshUntil, lastUsedAt: null, isBackedUp: true };

let service: Service;
beforeEach(() => {
  service = startVault();
  service.answers[act] = stale;
});
afterEach(() => service.stop());

/** A page on which something is typed for what asks for a fresh sign-in. */
function GravePage() {
  const { run, dialog } = useFreshSignIn('Do the grave thing');
  const [outcome, setOutcome] = useState('nothing yet');
  const go = () =>
    run(() => call(graveAct)).then(
      () => setOutcome('done'),
      (error: unknown) => setOutcome(error instanceof NotConfirmedError ? 'given up' : String(error)),
    );
  return (
    <div>
      <label>
        Words <input />
      </label>
      <button type="button" onClick={go}>
        Do it
      </button>
      <output>{outcome}</output>
      {dialog}
    </div>
  );
}

async function begin() {
  openPage(GravePage, { route: '/', at: '/' });
  await pasteInto(screen.getByLabelText('Words'), 'Lemon cake');
  await press('Do it');
  await screen.findByText(/We ask again/);
}
const press = (name: string) => userEvent.click(screen.getByRole('button', { name }));
const nothingLost = () => expect((screen.getByLabelText('Words') as HTMLInputElement).value).toBe('Lemon cake');

/** A browser with passkeys; `answer` is what the person does when it asks for one. */
function withPasskeys(answer: () => Promise<unknown>): void {
  const put = (target: object, name: string, value: unknown) => {
    const before = Object.getOwnPropertyDescriptor(target, name);
    Object.defineProperty(target, name, { configurable: true, value });
    onTestFinished(() => {
      if (before) Object.defineProperty(target, name, before);
      else Reflect.deleteProperty(target, name);
    });
  };
  put(globalThis, 'PublicKeyCredential', class {});
  put(navigator, 'credentials', { get: answer });
  const question = { options: { challenge: 'AAAA', rpId: 'localhost' }, ticket: 'one' };
  service.answers['POST /api/user/reauthenticate/passkey-options'] = ok(question);
}

const assertion = {
  id: 'AAAA',
  rawId: new Uint8Array(3).buffer,
  type: 'public-key',
  response: {
    clientDataJSON: new ArrayBuffer(3),
    authenticatorData: new ArrayBuffer(3),
    signature: new ArrayBuffer(3),
  },
  getClientExtensionResults: () => ({}),
};

describe('a fresh sign-in', () => {
  it('is not asked for where the service does not want it', async () => {
    service.answers[act] = ok(null);
    openPage(GravePage, { route: '/', at: '/' });
    await press('Do it');
    await screen.findByText('done');
    expect(service.count(factorsCall)).toBe(0);
  });

  it('is the password, told when it is wrong, and then the act is done', async () => {
    service.answers['POST /api/user/reauthenticate'] = refused(400, 'That is not your password.', {
      type: 'VALIDATION',
    });
    await begin();
    const password = await screen.findByLabelText('Password');
    expect(document.activeElement).toBe(password);
    expect(screen.queryByRole('button', { name: 'Use a passkey' })).toBeNull();
    expect(screen.queryByRole('link', { name: 'Confirm with Google' })).toBeNull();
    await userEvent.type(password, 'wrong');
    await press('Do the grave thing');
    await screen.findByText('That is not your password.');
    service.answers['POST /api/user/reauthenticate'] = ok({ ok: true });
    service.answers[act] = ok(null);
    await press('Do the grave thing');
    await screen.findByText('done');
    expect(service.count(act)).toBe(2);
    nothingLost();
  });

  it('can be given up, and then nothing was done', async () => {
    await begin();
    await press('Close');
    await screen.findByText('given up');
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(service.count(act)).toBe(1);
    nothingLost();
  });

  it('is a passkey for an owner who has nothing else', async () => {
    let tries = 0;
    withPasskeys(async () => {
      tries += 1;
      if (tries === 1) throw new DOMException('No.', 'NotAllowedError');
      return assertion;
    });
    service.answers[factorsCall] = ok({ ...factors, hasPassword: false, passkeys: [passkey] });
    service.answers['POST /api/user/reauthenticate/passkey'] = ok({ ok: true });
    await begin();
    await screen.findByRole('button', { name: 'Use a passkey' });
    expect(screen.queryByLabelText('Password')).toBeNull();
    await press('Use a passkey');
    await screen.findByText(/No passkey was used/);
    service.answers[act] = ok(null);
    await press('Use a passkey');
    await screen.findByText('done');
    expect(service.calls.find(({ key }) => key.endsWith('/reauthenticate/passkey'))?.body).toMatchObject({
      ticket: 'one',
    });
    nothingLost();
  });

  it('is Google, in another tab, for an owner who has nothing else', async () => {
    service.answers[factorsCall] = ok({
      ...factors,
      hasPassword: false,
      providers: [{ slug: 'google', name: 'Google' }],
    });
    await begin();
    const link = await screen.findByRole('link', { name: 'Confirm with Google' });
    expect(link.getAttribute('href')).toBe('/api/auth/google?purpose=confirm');
    expect(link.getAttribute('target')).toBe('_blank');
    fireEvent.click(link);
    await press('I have confirmed, go on');
    await screen.findByText(/Google has not confirmed it yet/);
    service.answers[act] = ok(null);
    service.answers[factorsCall] = ok({
      ...factors,
      hasPassword: false,
      providers: [{ slug: 'google', name: 'Google' }],
      freshUntil: passkey.id,
    });
    await press('I have confirmed, go on');
    await screen.findByText('done');
    nothingLost();
  });

  it('continues automatically when the owner comes back from Google', async () => {
    service.answers[factorsCall] = ok({
      ...factors,
      hasPassword: false,
      providers: [{ slug: 'google', name: 'Google' }],
    });
    await begin();
    fireEvent.click(await screen.findByRole('link', { name: 'Confirm with Google' }));
    service.answers[act] = ok(null);
    service.answers[factorsCall] = ok({
      ...factors,
      hasPassword: false,
      providers: [{ slug: 'google', name: 'Google' }],
      freshUntil: passkey.id,
    });
    fireEvent(document, new Event('visibilitychange', { bubbles: true }));
    await screen.findByText('done');
  });

  it('is the password with a code of the app, in a session that is older than the second step', async () => {
    const words = 'That code is not right.';
    const app = { confirmedAt: factors.freshUntil };
    service.answers[act] = refused(403, 'A second step.', {
      type: 'REAUTHENTICATION_REQUIRED',
      issues: [{ path: 'code', message: 'A second step.' }],
    });
    service.answers[factorsCall] = ok({
      ...factors,
      authenticator: app,
      providers: [{ slug: 'google', name: 'Google' }],
    });
    service.answers['POST /api/user/reauthenticate'] = refused(400, words, {
      type: 'VALIDATION',
      issues: [{ path: 'code', message: words }],
    });
    openPage(GravePage, { route: '/', at: '/' });
    await pasteInto(screen.getByLabelText('Words'), 'Lemon cake');
    await press('Do it');
    await screen.findByText(/this device has not passed it yet/);
    expect(screen.queryByRole('link', { name: 'Confirm with Google' })).toBeNull();
    await pasteInto(await screen.findByLabelText('Password'), 'a bag of limes');
    expect((screen.getByRole('button', { name: 'Do the grave thing' }) as HTMLButtonElement).disabled).toBe(true);
    await pasteInto(screen.getByLabelText('Code from your app'), '123 456');
    await press('Do the grave thing');
    await screen.findByText(words);
    expect(screen.getByLabelText('Code from your app').getAttribute('aria-invalid')).toBe('true');
    service.answers['POST /api/user/reauthenticate'] = ok({ ok: true });
    service.answers[act] = ok(null);
    await press('Do the grave thing');
    await screen.findByText('done');
    expect(service.calls.findLast(({ key }) => key.endsWith('/reauthenticate'))?.body).toEqual({
      password: 'a bag of limes',
      code: '123 456',
    });
    nothingLost();
  });

  it('says what to do where this browser has none of the ways', async () => {
    service.answers[factorsCall] = ok({ ...factors, hasPassword: false, passkeys: [passkey] });
    await begin();
    expect(await screen.findByText(/Sign out, sign in again/)).toBeDefined();
  });

  it('says so where the ways could not be asked for, and asks again', async () => {
    service.answers[factorsCall] = refused(403, 'Not now.', { type: 'FORBIDDEN' });
    await begin();
    await waitFor(() => expect(screen.getByRole('alert').textContent).toBe('Not now.'));
    service.answers[factorsCall] = ok(factors);
    await press('Try again');
    expect(await screen.findByLabelText('Password')).toBeDefined();
  });
});
