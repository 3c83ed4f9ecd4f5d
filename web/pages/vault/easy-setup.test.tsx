import { cleanup, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pasteInto } from '#tests/support/paste-into.ts';
import { clearAllDrafts } from '#web/lib/drafts/draft-store.ts';
import { currentToasts, toast } from '#web/lib/toast.ts';
import { type Device, startDevice } from '#web/pages/account/device.test-world.ts';
import { startService } from '#web/pages/pages.test-world.tsx';
import { EasySetupPage } from './easy-setup.tsx';
import {
  answerLetters,
  contactOf,
  factors,
  holdAnswers,
  idOf,
  messageOf,
  ok,
  openPage,
  overview,
  refused,
  type Service,
  slowDown,
  sam as verifiedSam,
} from './vault.test-world.ts';

const sam = { ...verifiedSam, emailVerified: false, plan: 'free' as const };
const untouched = {
  phone: null,
  isPhoneProven: false,
  releaseMethod: 'inactivity',
  inactivityDays: 90,
  hasChosenSettings: false,
};
const chosen = {
  phone: '07700 900123',
  isPhoneProven: true,
  releaseMethod: 'inactivity',
  inactivityDays: 180,
  hasChosenSettings: true,
};
const password = 'lemon cake on the boat';

let service: Service;
let device: Device;
beforeEach(() => {
  // In place of what the test before has left.
  toast({ title: 'Nothing yet' });
  device = startDevice();
  service = startService();
  answerLetters(service);
  Object.assign(service.answers, {
    'GET /api/auth/user': { status: 401, body: { message: 'Sign in.' } },
    'POST /api/register': { status: 201, body: { message: 'Sent' } },
    'POST /api/login': ok({ ok: true, user: sam }),
    'GET /api/user-profile': ok(untouched),
    'PUT /api/user-profile': ok(chosen),
    'GET /api/trusted-contacts': ok([]),
    'POST /api/trusted-contacts': { status: 201, body: contactOf() },
    'GET /api/messages': ok([]),
    'GET /api/release': ok(overview),
    'POST /api/messages': { status: 201, body: messageOf() },
  });
});
afterEach(async () => {
  cleanup();
  await clearAllDrafts();
  service.stop();
  device.remove();
  localStorage.clear();
});

const button = (name: string) => screen.getByRole('button', { name });
const press = (name: string) => userEvent.click(button(name));
const at = (title: string) => screen.findByRole('heading', { level: 1, name: title });
const field = (label: string) => screen.getByLabelText<HTMLInputElement>(label);
const lastToast = () => currentToasts()[0];
const expectToast = (expected: Record<string, string>) => waitFor(() => expect(lastToast()).toMatchObject(expected));
const written = () => service.calls.filter(({ key }) => !key.startsWith('GET'));
const writes = () => written().map(({ key }) => key);

async function open() {
  const opened = openPage(EasySetupPage, { route: '/easy-setup', at: '/easy-setup' });
  await waitFor(() => expect(screen.getByText(/^Step \d of \d$/)).toBeDefined());
  return opened;
}

/** A reload: the page is gone, and what it had not written yet with it. */
async function reload() {
  cleanup();
  await settle();
  return open();
}

/** Waits until the typed text is stored. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 30));

const nell = {
  'Title *': 'For Nell',
  'Message *': 'The blue tin has the photographs.',
  'Recipient Email *': 'Nell@Ashworth.example',
};
const priya = { 'Name *': 'Priya Shah', 'Email *': 'Priya@Post.example', 'Relationship (optional)': 'Friend' };
const account = { 'Email *': 'Sam@Ashworth.example', 'Password *': password, 'First Name *': 'Sam' };

async function fill(words: Record<string, string>) {
  for (const [label, value] of Object.entries(words)) {
    await userEvent.clear(field(label));
    // Pasted, not typed: key by key it would be half of the time of these tests.
    if (value) await userEvent.paste(value);
  }
}

async function toAccount({ phone = '07700 900123', contact = priya, message = nell } = {}) {
  await open();
  await press('Continue');
  await at('Safety Settings');
  await fill({ 'Phone (optional, recommended)': phone });
  await press('Continue');
  await at('Add Your Trusted Person');
  await fill(contact);
  await press('Continue');
  await at('Write Your First Message');
  await fill(message);
  await press('Continue');
  await at('Create Your Account');
}

const none = { 'Name *': '', 'Email *': '' };
const nothing = { 'Title *': '' };

describe('Easy Setup for a visitor', () => {
  it('says where one is in six steps, leads on and back, and offers to sign in', async () => {
    await open();
    const titles = [
      'Welcome',
      'Safety Settings',
      'Add Your Trusted Person',
      'Write Your First Message',
      'Create Your Account',
    ];
    expect(screen.queryByRole('button', { name: 'Previous' })).toBeNull();
    for (const [index, title] of titles.entries()) {
      const heading = await at(title);
      expect(screen.getByText(`Step ${index + 1} of 6`)).toBeDefined();
      expect(screen.getByRole('img', { name: `Progress: Step ${index + 1} of 6` })).toBeDefined();
      await waitFor(() => expect(document.title).toContain(title));
      if (index > 0) expect(document.activeElement).toBe(heading);
      if (index < 4) await press('Continue');
    }
    expect(screen.getByRole('link', { name: 'Already have an account? Sign In' }).getAttribute('href')).toBe('/login');
    expect(screen.queryByText('Skip to Advanced Dashboard')).toBeNull();
    await press('Previous');
    expect(await at('Write Your First Message')).toBeDefined();
    expect(written()).toEqual([]);
  });

  it('recommends 180 days, and says what each choice means', async () => {
    await open();
    await press('Continue');
    expect(field('180 days (recommended)').checked).toBe(true);
    expect(screen.getByText(/on day 90 and on day 170. On day 180 we ask/)).toBeDefined();
    await userEvent.click(field('365 days'));
    expect(screen.getByText(/on day 183 and on day 355. On day 365 we ask/)).toBeDefined();
    expect(field('90 days')).toBeDefined();
  });

  it('asks how long its owner is to be looked for, begins with three days, and shows how they would go', async () => {
    await open();
    await press('Continue');
    const asked = within(screen.getByRole('group', { name: /how long should we try to reach you first/ }));
    expect(asked.getByRole<HTMLInputElement>('radio', { name: /Three days.*We suggest this one/ }).checked).toBe(true);
    const line = () => asked.getAllByRole('listitem').map(({ textContent }) => textContent);
    expect(line().slice(2)).toEqual([
      'We wait for youUntil day 3One press stops everything',
      'Your letters goDay 3If we heard nothing',
    ]);
    await userEvent.click(asked.getByRole('radio', { name: /No wait/ }));
    expect(line().at(-1)).toBe('Your letters goIn the same minutesNobody can stop it');
    await userEvent.click(asked.getByRole('radio', { name: /Seven days/ }));
    expect(line().at(-1)).toContain('Day 7');
  });

  it('refuses a telephone number that is none', async () => {
    await open();
    await press('Continue');
    await fill({ 'Phone (optional, recommended)': 'by post' });
    await press('Continue');
    expect(screen.getByText('Please enter a phone number, such as 07700 900123')).toBeDefined();
    expect(document.activeElement).toBe(field('Phone (optional, recommended)'));
    await waitFor(() => expect(document.title).toMatch(/^Error: /));
    await fill({ 'Phone (optional, recommended)': '07700 900123' });
    expect(screen.queryByText(/Please enter a phone number/)).toBeNull();
  });

  it('shows the email that a trusted person gets, and lets the part wait without losing the typed text', async () => {
    await open();
    await press('Continue');
    await press('Later');
    await pasteInto(screen.getByLabelText('Name *'), 'Priya Shah');
    expect(screen.getByText('The email Priya gets')).toBeDefined();
    expect(screen.getByText('Hello', { exact: false }).textContent).toBe('Hello Priya,');
    await press('Later');
    await screen.findByRole('heading', { name: 'Write Your First Message' });
    await press('Previous');
    expect(screen.getByLabelText<HTMLInputElement>('Name *').value).toBe('Priya Shah');
  });

  it('asks for the rest of a trusted person that was begun', async () => {
    await open();
    await press('Continue');
    await press('Continue');
    await fill({ 'Name *': 'Priya Shah' });
    await press('Continue');
    await expectToast({
      title: 'Please fill in required fields',
      description: 'Name and email are required for your trusted person.',
      variant: 'destructive',
    });
    expect(document.activeElement).toBe(field('Email *'));
    await fill({ 'Email *': 'priya' });
    await press('Continue');
    expect(screen.getByText('Please enter a valid email address')).toBeDefined();
  });

  it('asks for the rest of a message that was begun', async () => {
    await open();
    for (let step = 0; step < 3; step += 1) await press('Continue');
    await fill({ 'Title *': 'For Nell', 'Message *': 'The tin.' });
    await press('Continue');
    await expectToast({
      title: 'Please fill in all fields',
      description: 'Title, message, and recipient email are required.',
    });
    expect(await at('Write Your First Message')).toBeDefined();
  });
});

describe('Creating the account', () => {
  it('needs an email, a password and a first name', async () => {
    await toAccount();
    expect(screen.getByText('At least 8 characters with letters and numbers')).toBeDefined();
    await press('Create Account');
    await expectToast({
      title: 'Please fill in required fields',
      description: 'Email, password, and first name are required.',
    });
    await fill({ ...account, 'Email *': 'priya@post.example' });
    await press('Create Account');
    expect(screen.getByText(/This is the address of your trusted person/)).toBeDefined();
    expect(written()).toEqual([]);
  });

  it('registers, signs in and saves everything once, however often it is pressed', async () => {
    await toAccount();
    await fill({ ...account, 'Last Name (optional)': 'Ashworth' });
    const answer = holdAnswers();
    await userEvent.dblClick(button('Create Account'));
    answer();
    await at('All Set!');
    expect(screen.getByText('Step 6 of 6')).toBeDefined();
    const email = 'sam@ashworth.example';
    expect(written()).toEqual([
      {
        key: 'POST /api/register',
        body: { username: email, email, password, firstName: 'Sam', lastName: 'Ashworth' },
      },
      { key: 'POST /api/login', body: { email, password } },
      {
        key: 'PUT /api/user-profile',
        body: { phone: '07700 900123', releaseMethod: 'inactivity', inactivityDays: 180 },
      },
      {
        key: 'POST /api/trusted-contacts',
        body: { name: 'Priya Shah', email: 'Priya@Post.example', relationship: 'Friend', phone: '' },
      },
      {
        key: 'POST /api/messages',
        body: {
          title: 'For Nell',
          content: 'The blue tin has the photographs.',
          recipientEmail: 'nell@ashworth.example',
          category: 'family',
          status: 'ready',
          visibleToTrustedContact: true,
        },
      },
    ]);
    expect(lastToast()).toMatchObject({
      title: 'Account created successfully!',
      description: 'Check your email to verify your address.',
    });
    expect(screen.getAllByText('Saved')).toHaveLength(3);
    expect(screen.getByText(/Open the email we sent you/)).toBeDefined();
    expect(screen.getByRole('link', { name: 'Skip to Advanced Dashboard' }).getAttribute('href')).toBe('/');
  });

  it('saves the shown period, and leaves out empty parts', async () => {
    await toAccount({ phone: '', contact: none as never, message: nothing as never });
    await fill(account);
    await press('Create Account');
    await at('All Set!');
    expect(writes()).toEqual(['POST /api/register', 'POST /api/login', 'PUT /api/user-profile']);
    expect(written()[2]?.body).toEqual({ phone: null, releaseMethod: 'inactivity', inactivityDays: 180 });
    expect(screen.getAllByText('Not yet')).toHaveLength(2);
  });

  it('leads to the vault, and holds nothing any more', async () => {
    await toAccount();
    await fill(account);
    await press('Create Account');
    await at('All Set!');
    cleanup();
    service.answers['GET /api/auth/user'] = ok(sam);
    const { history } = await open();
    await at('All Set!');
    await press('Go to My Vault');
    await waitFor(() => expect(history.at(-1)).toBe('/'));
  });

  it('starts again the next time if its end is left for the dashboard', async () => {
    await toAccount();
    await fill(account);
    await press('Create Account');
    await at('All Set!');
    service.answers['GET /api/auth/user'] = ok(sam);
    await userEvent.click(await screen.findByRole('link', { name: 'Skip to Advanced Dashboard' }));
    cleanup();
    await open();
    expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Welcome');
  });

  it('shows what the service finds wrong beside the field', async () => {
    service.answers['POST /api/register'] = refused(400, 'Look again.', {
      type: 'VALIDATION',
      issues: [{ path: 'password', message: 'Many people use this password.' }],
    });
    await toAccount();
    await fill(account);
    await press('Create Account');
    await expectToast({ title: 'Error saving data', description: 'Please try again.', variant: 'destructive' });
    expect(screen.getByText('Many people use this password.')).toBeDefined();
    await waitFor(() => expect(document.activeElement).toBe(field('Password *')));
    expect(field('Email *').value).toBe('Sam@Ashworth.example');
    expect(service.count('POST /api/login')).toBe(0);
  });

  it.each([
    ['POST /api/register', 'unreachable' as const, /We could not reach Everkept/],
    ['POST /api/login', refused(429, 'Too many wrong passwords in a row.'), /Too many wrong passwords/],
  ])('stays on the step where %s fails, and says why', async (key, answer, words) => {
    service.answers[key] = answer;
    await toAccount();
    await fill(account);
    await press('Create Account');
    await expectToast({ title: 'Error saving data', description: 'Please try again.' });
    expect((await screen.findByRole('alert')).textContent).toMatch(words);
    expect(service.count('PUT /api/user-profile')).toBe(0);
  });

  it('explains that the address may be taken, keeps everything, and takes the right password', async () => {
    service.answers['POST /api/login'] = refused(401, 'They do not belong together.', { type: 'UNAUTHENTICATED' });
    await toAccount();
    await fill(account);
    await press('Create Account');
    expect((await screen.findByRole('alert')).textContent).toContain(
      'There may already be an account with this address',
    );
    expect(lastToast()).toMatchObject({ title: 'Error saving data' });
    await reload();
    await at('Create Your Account');
    expect(field('Email *').value).toBe('Sam@Ashworth.example');
    expect(field('Password *').value).toBe('');
    service.answers['POST /api/login'] = ok({ ok: true, user: verifiedSam });
    service.answers['GET /api/user-profile'] = ok(chosen);
    await fill({ 'Password *': password });
    await press('Create Account');
    await at('All Set!');
    expect(lastToast()).toMatchObject({ title: 'You are signed in' });
    expect(service.count('POST /api/messages')).toBe(1);
  });

  it('does not undo what the owner of an account had chosen before', async () => {
    service.answers['GET /api/user-profile'] = ok({ ...chosen, inactivityDays: 365 });
    await toAccount({ phone: '' });
    await fill(account);
    await press('Create Account');
    await at('All Set!');
    expect(service.count('PUT /api/user-profile')).toBe(0);
  });
});

describe('The answers of a visitor', () => {
  it('survives a reload in the middle, and never lies in the clear; the password is not kept', async () => {
    await toAccount();
    await fill(account);
    await reload();
    await at('Create Your Account');
    expect(field('First Name *').value).toBe('Sam');
    expect(field('Password *').value).toBe('');
    for (const words of ['blue tin', 'Priya', password]) {
      expect(JSON.stringify(localStorage)).not.toContain(words);
      expect(device.text()).not.toContain(words);
    }
    await press('Previous');
    expect(field('Message *').value).toBe('The blue tin has the photographs.');
  });

  it('can be discarded', async () => {
    await open();
    await press('Continue');
    await fill({ 'Phone (optional, recommended)': '07700 900123' });
    await press('Discard it');
    await at('Welcome');
    await reload();
    await press('Continue');
    expect(field('Phone (optional, recommended)').value).toBe('');
  });

  it('are found again by a visitor who signs in instead, and saved only on their word', async () => {
    await toAccount();
    cleanup();
    await settle();
    service.answers['GET /api/auth/user'] = ok(verifiedSam);
    await open();
    await at('Safety Settings');
    expect(screen.getByText('Step 2 of 5')).toBeDefined();
    expect(field('Phone (optional, recommended)').value).toBe('07700 900123');
    expect(written()).toEqual([]);
  });

  it('is saved all the same where the browser keeps nothing', async () => {
    device.remove();
    await toAccount();
    expect(screen.getByText(/This browser can’t keep what you type/)).toBeDefined();
    await fill(account);
    await press('Create Account');
    await at('All Set!');
    expect(screen.getByText('Step 6 of 6')).toBeDefined();
    expect(service.count('POST /api/messages')).toBe(1);
  });
});

describe('A failure half-way', () => {
  async function failAt(key: string, answer: (typeof service.answers)[string]) {
    service.answers[key] = answer;
    await toAccount();
    await fill(account);
    await press('Create Account');
    await screen.findByText(/Your account is open, and you are signed in/);
    service.answers['GET /api/auth/user'] = ok(sam);
  }

  it('lists saved and unsaved parts, and continues from there after a reload', async () => {
    await failAt('POST /api/messages', 'unreachable');
    await expectToast({ title: 'Error saving data', description: 'Please try again.' });
    expect(screen.getByText('Step 5 of 6')).toBeDefined();
    expect(screen.getAllByText('Saved')).toHaveLength(2);
    expect((await screen.findByRole('alert')).textContent).toContain('We could not reach Everkept.');
    await reload();
    expect(screen.getByText(/Your account is open/)).toBeDefined();
    service.answers['POST /api/messages'] = { status: 201, body: messageOf() };
    await userEvent.dblClick(button('Save the rest'));
    await at('All Set!');
    expect(writes()).toEqual([
      'POST /api/register',
      'POST /api/login',
      'PUT /api/user-profile',
      'POST /api/trusted-contacts',
      'POST /api/messages',
      'POST /api/messages',
    ]);
    expect(lastToast()).toMatchObject({ title: 'Account created successfully!' });
  });

  it('saves no second message where only the answer was lost', async () => {
    await failAt('POST /api/messages', 'unreachable');
    service.answers['GET /api/messages'] = ok([messageOf({ category: 'family' })]);
    await press('Save the rest');
    await at('All Set!');
    expect(service.count('POST /api/messages')).toBe(1);
  });

  it('takes a contact that is there already as saved', async () => {
    await failAt('POST /api/trusted-contacts', 'unreachable');
    expect(service.count('POST /api/messages')).toBe(0);
    service.answers['POST /api/trusted-contacts'] = refused(409, 'You have named them.', { type: 'CONFLICT' });
    await press('Save the rest');
    await at('All Set!');
    expect(service.count('POST /api/messages')).toBe(1);
  });

  it('asks for the password where the sign-in has become old meanwhile', async () => {
    const post = 'POST /api/trusted-contacts';
    await failAt(post, 'unreachable');
    service.answers['GET /api/user/second-factors'] = ok(factors);
    service.answers[post] = refused(403, 'Confirm that it is you.', { type: 'REAUTHENTICATION_REQUIRED' });
    await press('Save the rest');
    await userEvent.click(await screen.findByRole('button', { name: 'Close' }));
    await waitFor(() => expect(button('Save the rest').getAttribute('aria-busy')).not.toBe('true'));
    await press('Save the rest');
    await pasteInto(await screen.findByLabelText('Password'), 'lemon cake');
    service.answers['POST /api/user/reauthenticate'] = ok({ ok: true });
    service.answers[post] = { status: 201, body: contactOf() };
    await press('Go on');
    await at('All Set!');
    expect(service.count('POST /api/messages')).toBe(1);
  });

  it('does not take a full list of contacts as saved', async () => {
    await failAt('POST /api/trusted-contacts', refused(409, 'There can be 20.', { current: 20, limit: 20 }));
    expect((await screen.findByRole('alert')).textContent).toContain('There can be 20.');
  });

  it('can be put right in the step it comes from', async () => {
    await failAt(
      'POST /api/trusted-contacts',
      refused(400, 'Look again.', { issues: [{ path: 'email', message: 'This address cannot be written to.' }] }),
    );
    expect((await screen.findByRole('alert')).textContent).toContain('This address cannot be written to.');
    await press('Previous');
    await press('Previous');
    await at('Add Your Trusted Person');
    expect(screen.queryByRole('button', { name: 'Add Trusted Person' })).toBeNull();
    await fill({ 'Email *': 'priya@other.example' });
    await press('Previous');
    expect(await screen.findByText('Your safety settings are saved.')).toBeDefined();
    for (let step = 0; step < 3; step += 1) await press('Continue');
    service.answers['POST /api/trusted-contacts'] = { status: 201, body: contactOf({ id: idOf(22) }) };
    await press('Save the rest');
    await at('All Set!');
    expect(written().at(-2)?.body).toMatchObject({ email: 'priya@other.example' });
  });

  it('is offered by the page that opens while the account is still being filled', async () => {
    slowDown();
    await toAccount();
    await fill(account);
    await press('Create Account');
    // The session shows up by itself, as when the window is looked at again.
    await waitFor(() => expect(service.count('POST /api/login')).toBe(1));
    cleanup();
    service.answers['GET /api/auth/user'] = ok(sam);
    await open();
    await at('All Set!');
    expect(service.count('POST /api/messages')).toBe(1);
    expect(service.count('POST /api/trusted-contacts')).toBe(1);
  });
});
