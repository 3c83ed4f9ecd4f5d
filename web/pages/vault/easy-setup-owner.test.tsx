import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { pasteInto } from '#tests/support/paste-into.ts';
import { clearAllDrafts } from '#web/lib/drafts/draft-store.ts';
import { isoDay } from '#web/lib/format.ts';
import { currentToasts, toast } from '#web/lib/toast.ts';
import { type Device, startDevice } from '#web/pages/account/device.test-world.ts';
import { EasySetupPage } from './easy-setup.tsx';
import {
  contactOf,
  daysFromNow,
  holdAnswers,
  messageOf,
  ok,
  openPage,
  overview,
  refused,
  type Service,
  sam,
  startVault,
} from './vault.test-world.ts';

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
  inactivityDays: 365,
  hasChosenSettings: true,
};

let service: Service;
let device: Device;
beforeEach(() => {
  // In place of what the test before has left.
  toast({ title: 'Nothing yet' });
  device = startDevice();
  service = startVault();
  Object.assign(service.answers, {
    'GET /api/user-profile': ok(untouched),
    'GET /api/trusted-contacts': ok([]),
    'GET /api/messages': ok([]),
    'PUT /api/user-profile': ok(chosen),
    'POST /api/trusted-contacts': { status: 201, body: contactOf() },
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

/** Waits until the typed text is stored. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 30));
const button = (name: string) => screen.getByRole('button', { name });
const press = (name: string) => userEvent.click(button(name));
const at = (title: string) => screen.findByRole('heading', { level: 1, name: title });
const field = (label: string) => screen.getByLabelText<HTMLInputElement>(label);
const expectToast = (expected: Record<string, string>) =>
  waitFor(() => expect(currentToasts()[0]).toMatchObject(expected));
const written = () => service.calls.filter(({ key }) => !key.startsWith('GET'));

async function open() {
  const opened = openPage(EasySetupPage, { route: '/easy-setup', at: '/easy-setup' });
  await waitFor(() => expect(screen.getByText(/^Step \d of \d$/)).toBeDefined());
  return opened;
}

async function openAt(title: string, presses: number) {
  const opened = await open();
  for (let step = 0; step < presses; step += 1) await press('Continue');
  await at(title);
  return opened;
}

async function fill(words: Record<string, string>) {
  for (const [label, value] of Object.entries(words)) await pasteInto(field(label), value);
}

const priya = { 'Name *': 'Priya Shah', 'Email *': 'priya@post.example' };
const nell = { 'Title *': 'For Nell', 'Message *': 'The blue tin.', 'Recipient Email *': 'nell@ashworth.example' };

describe('Easy Setup for a signed-in owner', () => {
  it('has five steps, shows completed parts instead of their forms, and leads to the vault', async () => {
    service.answers['GET /api/user-profile'] = ok(chosen);
    service.answers['GET /api/trusted-contacts'] = ok([contactOf()]);
    service.answers['GET /api/messages'] = ok([messageOf()]);
    const { history } = await open();
    expect(screen.getByText('Step 1 of 5')).toBeDefined();
    expect(screen.getByRole('link', { name: 'Skip to Advanced Dashboard' }).getAttribute('href')).toBe('/');
    expect(screen.queryByText(/Already have an account/)).toBeNull();
    await press('Continue');
    expect(screen.getByText('Your safety settings are saved.')).toBeDefined();
    expect(
      screen.getByText(/when we have not heard from you for 365 days. Reminders also go to 07700 900123/),
    ).toBeDefined();
    expect(screen.queryByLabelText('Phone (optional, recommended)')).toBeNull();
    await press('Continue');
    expect(screen.getByText('Priya Shah is your trusted person.')).toBeDefined();
    await press('Continue');
    expect(screen.getByText('You have written 1 message.')).toBeDefined();
    expect(screen.getByText('You can read it, change it and write others under Messages.')).toBeDefined();
    await press('Continue');
    await at('All Set!');
    expect(screen.getByText('Step 5 of 5')).toBeDefined();
    expect(screen.queryByText(/Open the email we sent you/)).toBeNull();
    expect(written()).toEqual([]);
    await press('Go to My Vault');
    await waitFor(() => expect(history.at(-1)).toBe('/'));
  });

  it('speaks of several messages as several', async () => {
    service.answers['GET /api/user-profile'] = ok(chosen);
    service.answers['GET /api/trusted-contacts'] = ok([contactOf()]);
    service.answers['GET /api/messages'] = ok([messageOf(), messageOf()]);
    await openAt('Write Your First Message', 3);
    expect(screen.getByText('You have written 2 messages.')).toBeDefined();
    expect(screen.getByText('You can read them, change them and write others under Messages.')).toBeDefined();
  });

  it('asks at its end whether one is going away, and keeps the day', async () => {
    const until = isoDay(daysFromNow(30));
    service.answers['PUT /api/release/away'] = ok({ ...overview, awayUntil: until });
    await openAt('All Set!', 4);
    expect(screen.getByRole('heading', { name: 'Going away?' })).toBeDefined();
    fireEvent.change(field('Away until'), { target: { value: until } });
    service.answers['GET /api/release'] = ok({ ...overview, awayUntil: until });
    await press('Save the day');
    await screen.findByText(/^You told us that you are away until/);
    expect(written().at(-1)).toEqual({ key: 'PUT /api/release/away', body: { until } });
    expect(button('I am back')).toBeDefined();
  });

  it('says so where the vault can’t be read, and reads it again', async () => {
    service.answers['GET /api/trusted-contacts'] = refused(500, 'Broken.');
    openPage(EasySetupPage, { route: '/easy-setup', at: '/easy-setup' });
    await screen.findByText('We could not load your vault');
    service.answers['GET /api/trusted-contacts'] = ok([]);
    await press('Try again');
    await at('Welcome');
  });
});

describe('The settings step', () => {
  it('saves with its own button, says so and shows the confirmation', async () => {
    await openAt('Safety Settings', 1);
    await fill({ 'Phone (optional, recommended)': '07700 900123' });
    await userEvent.click(field('365 days'));
    service.answers['GET /api/user-profile'] = ok(chosen);
    const answer = holdAnswers();
    await userEvent.dblClick(button('Save Settings'));
    answer();
    await expectToast({ title: 'Safety settings saved!' });
    expect(written()).toEqual([
      {
        key: 'PUT /api/user-profile',
        body: { phone: '07700 900123', releaseMethod: 'inactivity', inactivityDays: 365 },
      },
    ]);
    expect(await screen.findByText('Your safety settings are saved.')).toBeDefined();
    expect(screen.queryByRole('button', { name: 'Save Settings' })).toBeNull();
  });

  it('saves the shown values on Continue, since the account would keep another period', async () => {
    await openAt('Safety Settings', 1);
    await press('Continue');
    await at('Add Your Trusted Person');
    expect(written()[0]?.body).toEqual({ phone: null, releaseMethod: 'inactivity', inactivityDays: 180 });
  });

  it('stays after a failure, keeps the typed text, and says why', async () => {
    service.answers['PUT /api/user-profile'] = refused(403, 'Confirm your email address to change your settings.');
    await openAt('Safety Settings', 1);
    await fill({ 'Phone (optional, recommended)': '07700 900123' });
    await press('Continue');
    await expectToast({ title: 'Error saving data', description: 'Please try again.', variant: 'destructive' });
    await at('Safety Settings');
    expect((await screen.findByRole('alert')).textContent).toContain(
      'Confirm your email address to change your settings.',
    );
    expect(field('Phone (optional, recommended)').value).toBe('07700 900123');
  });
});

describe('The trusted person', () => {
  beforeEach(() => {
    service.answers['GET /api/user-profile'] = ok(chosen);
  });

  it('needs a name and an email', async () => {
    await openAt('Add Your Trusted Person', 2);
    await press('Add Trusted Person');
    await expectToast({
      title: 'Please fill in required fields',
      description: 'Name and email are required for your trusted person.',
      variant: 'destructive',
    });
    expect(document.activeElement).toBe(field('Name *'));
    expect(written()).toEqual([]);
  });

  it('is saved after the password was asked for, where the sign-in is old, and stays typed until then', async () => {
    const post = 'POST /api/trusted-contacts';
    service.answers[post] = refused(403, 'Confirm that it is you.', { type: 'REAUTHENTICATION_REQUIRED' });
    await openAt('Add Your Trusted Person', 2);
    await fill(priya);
    await press('Add Trusted Person');
    const asked = within(await screen.findByRole('dialog', { name: 'Confirm that it is you' }));
    await userEvent.click(asked.getByRole('button', { name: 'Close' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(field('Name *').value).toBe('Priya Shah');
    await press('Add Trusted Person');
    await pasteInto(await screen.findByLabelText('Password'), 'lemon cake');
    service.answers['POST /api/user/reauthenticate'] = ok({ ok: true });
    service.answers[post] = { status: 201, body: contactOf() };
    await press('Go on');
    await expectToast({ title: 'Trusted person added!' });
    expect(service.calls.findLast(({ key }) => key === post)?.body).toMatchObject({ name: 'Priya Shah' });
  });

  it('may be left for later', async () => {
    await openAt('Add Your Trusted Person', 2);
    await press('Continue');
    await at('Write Your First Message');
    expect(written()).toEqual([]);
  });

  it.each([
    [true, 'They will get an email to confirm.'],
    [false, 'They will get an email to confirm, once you have confirmed your own address.'],
  ])('is added once, and told of (verified: %s)', async (emailVerified, description) => {
    service.answers['GET /api/auth/user'] = ok({ ...sam, emailVerified });
    await openAt('Add Your Trusted Person', 2);
    await fill(priya);
    service.answers['GET /api/trusted-contacts'] = ok([contactOf()]);
    const answer = holdAnswers();
    await userEvent.dblClick(button('Continue'));
    answer();
    await at('Write Your First Message');
    await expectToast({ title: 'Trusted person added!', description });
    expect(written()).toEqual([
      {
        key: 'POST /api/trusted-contacts',
        body: { name: 'Priya Shah', email: 'priya@post.example', relationship: '', phone: '' },
      },
    ]);
    await press('Previous');
    expect(await screen.findByText('Priya Shah is your trusted person.')).toBeDefined();
  });
});

describe('The first message', () => {
  beforeEach(() => {
    service.answers['GET /api/user-profile'] = ok(chosen);
    service.answers['GET /api/trusted-contacts'] = ok([contactOf()]);
  });

  it('needs a title, words and a recipient', async () => {
    await openAt('Write Your First Message', 3);
    await press('Save Message');
    await expectToast({
      title: 'Please fill in all fields',
      description: 'Title, message, and recipient email are required.',
      variant: 'destructive',
    });
    expect(document.activeElement).toBe(field('Title *'));
  });

  it('is saved as ready, of the family, its title visible to the trusted person', async () => {
    await openAt('Write Your First Message', 3);
    await fill(nell);
    await press('Save Message');
    await expectToast({ title: 'Message created!' });
    expect(written()).toEqual([
      {
        key: 'POST /api/messages',
        body: {
          title: 'For Nell',
          content: 'The blue tin.',
          recipientEmail: 'nell@ashworth.example',
          category: 'family',
          status: 'ready',
          visibleToTrustedContact: true,
        },
      },
    ]);
    expect(await screen.findByText('Your message is saved.')).toBeDefined();
    await press('Continue');
    await at('All Set!');
  });

  it('says in plain words that the plan has no room, and where there is more', async () => {
    const words = 'You have reached the plan limit of 2 messages on Free.';
    service.answers['POST /api/messages'] = refused(403, words, { upgradeRequired: true });
    await openAt('Write Your First Message', 3);
    await fill(nell);
    await press('Continue');
    await expectToast({ title: 'Error saving data' });
    expect((await screen.findByRole('alert')).textContent).toContain(words);
    expect(screen.getByRole('link', { name: 'See the plans' }).getAttribute('href')).toBe('/subscribe');
    expect(field('Message *').value).toBe('The blue tin.');
  });

  it('is not written twice where the answer to the first press was lost', async () => {
    service.answers['POST /api/messages'] = 'unreachable';
    await openAt('Write Your First Message', 3);
    await fill(nell);
    await press('Save Message');
    await screen.findByRole('alert');
    service.answers['GET /api/messages'] = ok([
      messageOf({ content: 'The blue tin.', category: 'family', visibleToTrustedContact: true }),
    ]);
    await press('Save Message');
    await expectToast({ title: 'Message created!' });
    expect(service.count('POST /api/messages')).toBe(1);
  });

  it('survives a reload while it is being written', async () => {
    await openAt('Write Your First Message', 3);
    await fill(nell);
    cleanup();
    await settle();
    await open();
    await at('Write Your First Message');
    expect(field('Message *').value).toBe('The blue tin.');
    expect(device.text()).not.toContain('blue tin');
  });
});

describe('Another message', () => {
  it('begins with a clear form, and can be left out', async () => {
    service.answers['GET /api/user-profile'] = ok(chosen);
    service.answers['GET /api/messages'] = ok([messageOf()]);
    await openAt('All Set!', 4);
    await press('Add Another Message');
    await at('Write Your First Message');
    expect(screen.getByText('Step 4 of 5')).toBeDefined();
    for (const label of Object.keys(nell)) expect(field(label).value).toBe('');
    await press('Continue');
    await at('All Set!');
    expect(written()).toEqual([]);
    expect(screen.getAllByText('Saved')).toHaveLength(2);
  });

  it('is saved beside the first', async () => {
    service.answers['GET /api/user-profile'] = ok(chosen);
    service.answers['GET /api/messages'] = ok([messageOf()]);
    await openAt('All Set!', 4);
    await press('Add Another Message');
    await fill({ ...nell, 'Title *': 'For Tom' });
    await press('Continue');
    await expectToast({ title: 'Message created!' });
    await at('All Set!');
    expect(written().map(({ body }) => (body as { title: string }).title)).toEqual(['For Tom']);
  });
});

describe('A session that has ended', () => {
  it('keeps the typed text until the next sign-in', async () => {
    service.answers['GET /api/user-profile'] = ok(chosen);
    await openAt('Add Your Trusted Person', 2);
    await fill(priya);
    service.answers['POST /api/trusted-contacts'] = refused(401, 'Sign in to continue.');
    service.answers['GET /api/auth/user'] = { status: 401, body: { message: 'Sign in.' } };
    await press('Continue');
    await expectToast({ title: 'Error saving data' });
    await screen.findByRole('link', { name: 'Already have an account? Sign In' });
    cleanup();
    await settle();
    service.answers['GET /api/auth/user'] = ok(sam);
    await open();
    await at('Add Your Trusted Person');
    expect(field('Name *').value).toBe('Priya Shah');
  });
});

test('An owner who has come to the end, and left by a link or by the address, starts again the next time', async () => {
  service.answers['GET /api/user-profile'] = ok(chosen);
  service.answers['GET /api/trusted-contacts'] = ok([contactOf()]);
  service.answers['GET /api/messages'] = ok([messageOf()]);
  await openAt('All Set!', 4);
  dispatchEvent(new Event('pagehide'));
  cleanup();
  await settle();
  await open();
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Welcome');
});
