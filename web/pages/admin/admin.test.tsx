import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AdminUser, BulkEmail, Revenue } from '#shared/contract/admin.ts';
import type { AdminState } from '#shared/contract/admin-state.ts';
import { type Complaint, complaintsPerPage } from '#shared/contract/complaints.ts';
import { pasteInto } from '#tests/support/paste-into.ts';
import { currentToasts } from '#web/lib/toast.ts';
import {
  daysFromNow,
  factors,
  holdAnswers,
  idOf,
  ok,
  openPage,
  refused,
  type Service,
  sam,
  startVault,
} from '#web/pages/vault/vault.test-world.ts';
import { AdminPage } from './admin.tsx';

const person = (number: number, given: Partial<AdminUser> = {}): AdminUser => ({
  id: idOf(100 + number),
  email: `person-${number}@people.example`,
  firstName: 'Person',
  lastName: String(number),
  plan: 'free',
  isPlanGranted: false,
  role: 'user',
  isEmailVerified: true,
  isAdministrator: false,
  createdAt: daysFromNow(-number),
  lastLoginAt: null,
  lastCheckinAt: daysFromNow(-number),
  deletesAt: null,
  ...given,
});
const una = person(1, { firstName: 'Una', lastName: 'Reed', isEmailVerified: false });
const ben = person(2, { firstName: 'Ben', lastName: 'Okri', plan: 'premium', isPlanGranted: true });
const operator = person(3, { firstName: 'Opal', lastName: 'Marsh', role: 'admin', isAdministrator: true });
const revenue: Revenue = {
  totalUsers: 1234,
  totalMonthlyRevenue: 417.5,
  accountUpgrades: 56,
  averageLifetimeValue: 61.2,
  months: Array.from({ length: 12 }, (_, index) => ({
    month: `2026-${String(index + 1).padStart(2, '0')}`,
    received: index * 10.5,
  })),
};
const bulk: BulkEmail = {
  id: idOf(200),
  subject: 'New guides',
  state: 'sending',
  createdAt: daysFromNow(0),
  endedAt: null,
  total: 70,
  sent: 12,
  failed: 1,
  leftOut: 2,
  cancelled: 0,
};

const post = {
  isSetUp: true,
  waiting: 0,
  failing: 0,
  oldestDueAt: null,
  accepted: 41,
  givenUp: 0,
  troubledSince: null,
};
const wellState: AdminState = {
  at: '2026-11-24T14:06:40.000Z',
  isOperatorSet: true,
  worker: { state: 'runs', lastBeatAt: '2026-11-24T14:06:00.000Z' },
  site: {
    state: 'answers',
    address: 'https://vault.example',
    answeredAt: '2026-11-24T14:06:10.000Z',
    silentSince: null,
    reason: null,
  },
  clock: { differenceMs: 3, isRight: true, behindUntil: null },
  mail: { ...post, refusedBy: [] },
  texts: { ...post, accepted: 1 },
  webhook: { ...post, isSetUp: false },
  releases: {
    open: [
      { state: 'asking', owners: 1 },
      { state: 'reminded', owners: 2 },
    ],
    frozen: null,
    silenceStoppedAt: null,
    frozenOwners: 0,
    heldMailboxes: 0,
    earlyReviews: 0,
  },
  seals: { checkedAt: '2026-11-22T03:00:00.000Z', isLate: false, broken: 0 },
  log: { anchoredOn: '2026-11-24' },
  backup: {
    ...{ isSetUp: true, madeAt: '2026-11-24T03:02:00.000Z', isLate: false, sizeBytes: 8_300_000 },
    ...{ failingSince: null, reason: null, practisedAt: '2026-11-24T03:03:00.000Z', lettersOpened: 41 },
  },
  alerts: [],
};

const listUrl = (query: string) => `GET /api/admin/users-temp?${query}`;
const firstPage = listUrl('sort=createdAt&direction=desc');
const bulkUrl = 'GET /api/admin/bulk-email';
const complaintsUrl = 'GET /api/admin/complaints';
const stateUrl = 'GET /api/admin/state';
const failedUrl = 'GET /api/admin/failed-mails';
const releasesUrl = 'GET /api/admin/releases?stage=asked';
const noFailures = ok({ mails: [], next: null, counts: { trying: 0, refused: 0, givenUp: 0 } });
const noReleases = ok({ releases: [], next: null });
const send = 'POST /api/admin/bulk-email';
const create = 'POST /api/admin/users';
const reauthenticate = 'POST /api/user/reauthenticate';
const factorsCall = 'GET /api/user/second-factors';
const withApp = { ...factors, authenticator: { confirmedAt: daysFromNow(-9) } };

let service: Service;
beforeEach(() => {
  service = startVault();
  Object.assign(service.answers, {
    'GET /api/auth/user': ok({ ...sam, isAdministrator: true }),
    [firstPage]: ok([una, ben, operator]),
    'GET /api/admin/revenue': ok(revenue),
    [stateUrl]: ok(wellState),
    [factorsCall]: ok(withApp),
    [bulkUrl]: ok([]),
    [complaintsUrl]: ok([]),
    [failedUrl]: noFailures,
    [releasesUrl]: noReleases,
  });
});
afterEach(() => service.stop());

const open = () => openPage(AdminPage, { route: '/admin', at: '/admin' });
const button = (name: string | RegExp) => screen.getByRole('button', { name }) as HTMLButtonElement;
const press = async (name: string | RegExp) => userEvent.click(await screen.findByRole('button', { name }));
const expectToast = (title: string, description: string) =>
  waitFor(() => expect(currentToasts()[0]).toMatchObject({ title, description }));

describe('the admin panel', () => {
  it('leads everybody but the designated administrator to the dashboard, and asks for nothing', async () => {
    service.answers['GET /api/auth/user'] = ok({ ...sam, role: 'admin' });
    const { history } = open();
    await waitFor(() => expect(history.at(-1)).toBe('/dashboard'));
    expect(service.calls.every(({ key }) => !key.includes('/api/admin/'))).toBe(true);
  });

  it('shows the four figures, and the months as a chart and as a table', async () => {
    open();
    expect(await screen.findByText('1,234')).toBeDefined();
    for (const figure of ['£417.50', '56', '£61.20']) expect(screen.getByText(figure)).toBeDefined();
    const table = screen.getByRole('table', { name: 'Received in each of the last twelve months', hidden: true });
    const rows = within(table).getAllByRole('row', { hidden: true });
    expect(rows).toHaveLength(13);
    expect(rows[1]?.textContent).toBe('December 2026£115.50');
    expect(document.querySelectorAll('.admin-chart rect')).toHaveLength(12);
  });

  it('says so where figures or users could not be fetched, and tries again', async () => {
    service.answers['GET /api/admin/revenue'] = refused(404, 'We could not find that.');
    service.answers[firstPage] = refused(404, 'We could not find that.');
    open();
    expect(await screen.findByText('Failed to fetch users')).toBeDefined();
    expect(await screen.findByText('Failed to fetch revenue data')).toBeDefined();
    await waitFor(() => expect(currentToasts()[0]).toMatchObject({ title: 'Error' }));
    service.answers[firstPage] = ok([ben]);
    await userEvent.click(screen.getAllByRole('button', { name: 'Try again' }).at(-1) as HTMLElement);
    expect(await screen.findByText('Ben Okri')).toBeDefined();
  });

  it('searches and sorts, beginning with the first page', async () => {
    service.answers[listUrl('sort=createdAt&direction=desc&search=reed')] = ok([una]);
    service.answers[listUrl('sort=lastCheckinAt&direction=asc&search=reed')] = ok([]);
    open();
    await pasteInto(await screen.findByRole('searchbox', { name: 'Search users' }), ' reed ');
    await waitFor(() => expect(screen.queryByText('Ben Okri')).toBeNull());
    expect(screen.getByText('Una Reed')).toBeDefined();
    await userEvent.selectOptions(screen.getByLabelText('Sort by'), 'Silent for longest');
    expect(await screen.findByText('Nobody found')).toBeDefined();
  });

  it('keeps the selection on other pages, and turns back', async () => {
    const many = Array.from({ length: 50 }, (_, index) => person(10 + index));
    service.answers[firstPage] = ok(many);
    service.answers[listUrl(`sort=createdAt&direction=desc&after=${many[49]?.id}`)] = ok([una]);
    open();
    await userEvent.click(await screen.findByLabelText('Select everybody on this page'));
    expect(screen.getByText('50 people selected')).toBeDefined();
    await userEvent.click(button('Next'));
    await userEvent.click(await screen.findByLabelText('Select Una Reed'));
    expect(screen.getByText('51 people selected')).toBeDefined();
    expect(screen.getByText('Page 2')).toBeDefined();
    expect(button('Next').disabled).toBe(true);
    await userEvent.click(button('Previous'));
    expect(((await screen.findByLabelText('Select Person 10')) as HTMLInputElement).checked).toBe(true);
    await userEvent.click(button('Clear the selection'));
    expect(button('Send bulk email').disabled).toBe(true);
  });
});

describe('the person in front of the panel', () => {
  const stale = refused(403, 'Confirm that it is you to go on.', { type: 'REAUTHENTICATION_REQUIRED' });
  const refuseReading = () =>
    Object.assign(service.answers, {
      [firstPage]: stale,
      'GET /api/admin/revenue': stale,
      [stateUrl]: stale,
      [bulkUrl]: stale,
      [complaintsUrl]: stale,
      [failedUrl]: stale,
      [releasesUrl]: stale,
    });
  const answerReading = () =>
    Object.assign(service.answers, {
      [firstPage]: ok([ben]),
      'GET /api/admin/revenue': ok(revenue),
      [stateUrl]: ok(wellState),
      [bulkUrl]: ok([]),
      [complaintsUrl]: ok([]),
      [failedUrl]: noFailures,
      [releasesUrl]: noReleases,
    });

  it('is asked before anything is shown, where the sign-in is old', async () => {
    refuseReading();
    service.answers[reauthenticate] = ok({ ok: true });
    open();
    expect(await screen.findByRole('heading', { name: 'Is it you?' })).toBeDefined();
    expect(screen.queryByRole('searchbox')).toBeNull();
    await press('Confirm that it is you');
    await pasteInto(await screen.findByLabelText('Password'), sam.email);
    answerReading();
    await press('Go on');
    expect(await screen.findByText('Ben Okri')).toBeDefined();
    expect(screen.queryByText('Is it you?')).toBeNull();
    expect(currentToasts().filter(({ title }) => title === 'Error')).toEqual([]);
  });

  it('is asked beside the panel, and loses no typed text', async () => {
    open();
    await press('Create a user');
    await userEvent.type(screen.getByLabelText('First name'), 'Nia');
    refuseReading();
    service.answers[listUrl('sort=createdAt&direction=desc&search=a')] = stale;
    fireEvent.change(screen.getByRole('searchbox', { name: 'Search users', hidden: true }), { target: { value: 'a' } });
    expect(await screen.findByText('What you see is from a while ago.')).toBeDefined();
    expect((screen.getByLabelText('First name') as HTMLInputElement).value).toBe('Nia');
    expect(screen.getByText('1,234')).toBeDefined();
    expect(screen.queryByText('Failed to fetch users')).toBeNull();
  });

  it('sees only where to set a second step up, where a password alone protects the account', async () => {
    service.answers[factorsCall] = ok(factors);
    open();
    const link = await screen.findByRole('link', { name: 'Set up a second step' });
    expect(link.getAttribute('href')).toBe('/privacy');
    expect(screen.queryAllByRole('button', { name: 'Create a user' })).toEqual([]);
    expect(service.calls.every(({ key }) => !key.includes('/api/admin/'))).toBe(true);
  });

  it('is not led into the panel', async () => {
    open();
    await screen.findByText('Ben Okri');
    expect(screen.queryByRole('link', { name: 'Set up a second step' })).toBeNull();
  });
});

describe('creating a user', () => {
  async function fill() {
    open();
    await press('Create a user');
    const dialog = within(screen.getByRole('dialog'));
    await userEvent.type(dialog.getByLabelText('First name'), 'Nia');
    await userEvent.type(dialog.getByLabelText('Last name'), 'Reed');
    await pasteInto(dialog.getByLabelText('Email address'), 'nia@people.example');
    await pasteInto(dialog.getByLabelText('First password'), 'eleven limes');
    await userEvent.selectOptions(dialog.getByLabelText('Plan'), 'Essential');
  }

  it('names the faults of the fields', async () => {
    open();
    await press('Create a user');
    await pasteInto(screen.getByLabelText('Email address'), 'nobody');
    await press('Create the user');
    for (const sentence of [
      'Please enter a valid email address',
      'Password must be at least 8 characters',
      'First name is required',
      'Last name is required',
    ]) {
      expect(await screen.findByText(sentence)).toBeDefined();
    }
    expect(service.count(create)).toBe(0);
  });

  it('is done once and told', async () => {
    service.answers[create] = ok(una);
    await fill();
    const answer = holdAnswers();
    await userEvent.dblClick(button('Create the user'));
    answer();
    await expectToast('Success', 'User created successfully');
    expect(service.calls.filter(({ key }) => key === create).map(({ body }) => body)).toEqual([
      {
        email: 'nia@people.example',
        password: 'eleven limes',
        firstName: 'Nia',
        lastName: 'Reed',
        plan: 'essential',
        role: 'user',
      },
    ]);
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  it('asks for the password if the sign-in is old, keeps the typed text, and continues', async () => {
    service.answers[create] = refused(403, 'Type your password once more.', { type: 'REAUTHENTICATION_REQUIRED' });
    const issue = { path: 'password', message: 'That is not your password. Check it, then try again.' };
    service.answers[reauthenticate] = refused(400, issue.message, { type: 'VALIDATION', issues: [issue] });
    await fill();
    await press('Create the user');
    await userEvent.type(await screen.findByLabelText('Password'), 'wrong');
    await press('Go on');
    expect(await screen.findByText(issue.message)).toBeDefined();
    service.answers[reauthenticate] = ok({ ok: true });
    service.answers[create] = ok(una);
    await press('Go on');
    await expectToast('Success', 'User created successfully');
    expect(service.count(create)).toBe(2);
  });

  it('says in the words of the service why it was refused, or that it failed', async () => {
    const message = 'There is already an account with this address.';
    service.answers[create] = refused(409, message, { type: 'CONFLICT', issues: [{ path: 'email', message }] });
    await fill();
    await press('Create the user');
    await expectToast('Error', message);
    expect(screen.getByText(message)).toBeDefined();
    service.answers[create] = { status: 500, body: {} };
    await press('Create the user');
    await expectToast('Error', 'Failed to create user');
  });
});

describe('a user in the list', () => {
  it('is edited: plan, role and verification', async () => {
    const update = `PUT /api/admin/users/${ben.id}`;
    service.answers[update] = ok(ben);
    open();
    await press('Edit Ben Okri');
    await userEvent.selectOptions(screen.getByLabelText('Plan'), 'Lifetime');
    await userEvent.click(screen.getByLabelText('The email address is verified'));
    await press('Save the changes');
    await expectToast('Success', 'User updated successfully');
    expect(service.calls.find(({ key }) => key === update)?.body).toEqual({
      plan: 'lifetime',
      role: 'user',
      isEmailVerified: false,
    });
  });

  it('is verified by one press', async () => {
    service.answers[`POST /api/admin/verify-user/${una.id}`] = ok({ ...una, isEmailVerified: true });
    open();
    await press('Verify Una Reed');
    await expectToast('Success', 'User verified successfully');
    expect(screen.queryByRole('button', { name: 'Verify Ben Okri' })).toBeNull();
  });

  it('is deleted after a question; the designated administrator is not offered for it', async () => {
    const remove = `DELETE /api/admin/users/${ben.id}`;
    service.answers[remove] = refused(503, 'We cannot reach our records just now. Try again in a few seconds.');
    open();
    await press('Delete Ben Okri');
    expect(screen.getByText('Are you sure you want to delete this user? This action cannot be undone.')).toBeDefined();
    await press('Delete the user');
    await expectToast('Error', 'We cannot reach our records just now. Try again in a few seconds.');
    service.answers[remove] = ok(null);
    await press('Delete the user');
    await expectToast('Success', 'User deleted successfully');
    expect(screen.queryByRole('button', { name: 'Delete Opal Marsh' })).toBeNull();
  });
});

describe('the state of the service', () => {
  /** Each thing that is looked at, as `name: in short. In a sentence.` and whether it asks to be looked at. */
  const shown = (region: HTMLElement) =>
    [...region.querySelectorAll('.vital')].map((vital) => {
      const [name, how, sentence] = [...vital.querySelectorAll('dt, dd')].map(({ textContent }) => textContent);
      return `${vital.classList.contains('look') ? 'LOOK ' : ''}${name}: ${how}. ${sentence}`;
    });
  const section = () => screen.findByRole('region', { name: 'State of the service' });
  async function showing(given: Partial<AdminState>) {
    service.answers[stateUrl] = ok({ ...wellState, ...given });
    open();
    await screen.findByRole('button', { name: 'Look again' });
    return shown(await section());
  }

  it('says of everything in one plain sentence how it is', async () => {
    expect(await showing({})).toEqual([
      'Worker: Running. It last reported 40 seconds ago.',
      'Site: Answers. A worker last reached https://vault.example 30 seconds ago.',
      'Mail: Going out. 41 emails accepted in the last 24 hours, none waiting.',
      'Texts: Going out. 1 text accepted in the last 24 hours, none waiting.',
      'Releases: Nothing stopped. 3 owners followed up (1 contacts asked, 2 reminded once).',
      'Clock: Right. Within a second of the database’s.',
      'Seals: None is broken. Everything was last checked on 22 November 2026.',
      'Backup: Every night. The last was made 11 hours ago, 8.3 MB. One was read back 11 hours ago, and opened 41 letters.',
      'Audit log: Kept. Its last line is that of 24 November 2026.',
    ]);
    const region = await section();
    expect(within(region).getByRole('status').textContent).toBe('Everything is running.');
    expect(region.querySelector('time')?.textContent).toBe('24 November 2026 at 14:06');
  });

  it('names the stopped parts, since when, and the notice to the operator', async () => {
    const vitals = await showing({
      worker: { state: 'silent', lastBeatAt: '2026-11-24T12:06:00.000Z' },
      site: { ...wellState.site, state: 'silent', silentSince: '2026-11-24T13:00:00.000Z', reason: 'CERT_HAS_EXPIRED' },
      alerts: [
        { trouble: 'worker', since: '2026-11-24T12:06:00.000Z', toldAt: '2026-11-24T12:22:00.000Z' },
        { trouble: 'site', since: '2026-11-24T13:00:00.000Z', toldAt: null },
      ],
    });
    expect(vitals.slice(0, 2)).toEqual([
      'LOOK Worker: Stopped. It last reported 2 hours ago. Nothing is sent until one runs. You were emailed on 24 November 2026 at 12:22.',
      'LOOK Site: No answer. No worker reaches https://vault.example since 24 November 2026 at 13:00 (CERT_HAS_EXPIRED). The email to you was not accepted yet.',
    ]);
    expect(within(await section()).getByRole('status').textContent).toBe('Please look at: worker and site.');
  });

  it('says who stopped releases, and since when', async () => {
    const since = '2026-11-23T09:00:00.000Z';
    const releases = {
      ...wellState.releases,
      frozen: { since, by: 'operator' as const, reason: 'A look at the clock.' },
    };
    expect((await showing({ releases }))[4]).toBe(
      'LOOK Releases: Stopped. All are stopped since 23 November 2026 at 9:00, by the operator: A look at the clock. Run everkept release resume after your check.',
    );
  });

  it('counts the early releases that wait for a review', async () => {
    expect((await showing({ releases: { ...wellState.releases, earlyReviews: 2 } }))[4]).toMatch(
      /An early release waits.*2 early releases to many new mailboxes wait for you: run everkept release show\./,
    );
  });

  it('says that the breaker stopped releases by silence', async () => {
    const releases = { ...wellState.releases, silenceStoppedAt: '2026-11-23T09:00:00.000Z' };
    expect((await showing({ releases }))[4]).toMatch(
      /^LOOK Releases: Stopped by the breaker\. The breaker stopped those by silence on 23 November 2026 at 9:00/,
    );
  });

  it('counts failing and failed mails, and the age of the oldest', async () => {
    const mail = { ...wellState.mail, waiting: 3, failing: 2, oldestDueAt: '2026-11-24T13:06:40.000Z', givenUp: 1 };
    expect((await showing({ mail }))[2]).toBe(
      'LOOK Mail: 2 failing. 41 emails accepted in the last 24 hours, 3 waiting, 2 of them failing so far; the oldest was due 1 hour ago; 1 given up in the last 7 days.',
    );
  });

  it('names the domains that refuse mail, with counts', async () => {
    const refused = { domain: 'mail.example', mails: 12, mailboxes: 9, isMassRefusal: false };
    const closing = { domain: 'post.example', mails: 1, mailboxes: 1, isMassRefusal: true };
    const mail = { ...wellState.mail, refusedBy: [refused, closing] };
    expect((await showing({ mail }))[2]).toMatch(
      /^LOOK Mail: Refused\. Refused in the last 24 hours, for reasons that are not about one mailbox: mail\.example \(12 emails\); post\.example \(1 email, so many mailboxes at once that none counts as closed\)\./,
    );
  });

  it.each([
    ['nobody to be told', { isOperatorSet: false }, 2, /^LOOK Mail: You are not emailed\. ADMIN_EMAIL is not set/],
    [
      'mail that is stuck',
      { mail: { ...wellState.mail, troubledSince: '2026-11-24T09:00:00.000Z' } },
      2,
      /^LOOK Mail: Stuck\. None was accepted since 24 November 2026 at 9:00/,
    ],
    ['no mail server', { mail: { ...wellState.mail, isSetUp: false } }, 2, /^Mail: Stays here\./],
    ['events that were given up', { webhook: { ...post, givenUp: 2 } }, 4, /^LOOK Webhook: 2 given up\./],
    ['no texts', { texts: { ...post, isSetUp: false } }, 3, /^Texts: Not set up\./],
    ['a first day', { worker: { state: 'never', lastBeatAt: null } }, 0, /^LOOK Worker: None yet\./],
    [
      'a site nobody asked',
      { site: { ...wellState.site, state: 'unknown', answeredAt: null } },
      1,
      /^Site: Not known\. No worker has reached/,
    ],
    [
      'a wrong clock',
      { clock: { differenceMs: 90_000, isRight: false, behindUntil: null } },
      5,
      /^LOOK Clock: Wrong\. 90 seconds from/,
    ],
    [
      'a clock that was ahead',
      { clock: { differenceMs: 0, isRight: false, behindUntil: '2027-01-01T00:00:00.000Z' } },
      5,
      /^LOOK Clock: Behind\. .* run everkept clock accept\. You are emailed if it goes on\.$/,
    ],
    [
      'a broken seal',
      { seals: { checkedAt: null, isLate: false, broken: 1 } },
      6,
      /^LOOK Seals: 1 broken\. 1 place no longer matches its seal/,
    ],
    ['a check that is late', { seals: { ...wellState.seals, isLate: true } }, 6, /^LOOK Seals: Check is late\./],
    ['no backups by themselves', { backup: { ...wellState.backup, isSetUp: false } }, 7, /^Backup: Not set up\./],
    ['a first night', { backup: { ...wellState.backup, madeAt: null } }, 7, /^Backup: None yet\. There is none yet\./],
    [
      'a night without one',
      { backup: { ...wellState.backup, isLate: true } },
      7,
      /^LOOK Backup: Late\. The last was made/,
    ],
    [
      'backups that fail',
      { backup: { ...wellState.backup, failingSince: '2026-11-24T03:00:00.000Z', reason: 'AccessDenied' } },
      7,
      /^LOOK Backup: Failing\. This has failed since 24 November 2026 at 3:00 \(AccessDenied\)\. The last was made/,
    ],
    ['a log without a line', { log: { anchoredOn: null } }, 8, /^Audit log: No line yet\./],
  ] as [string, Partial<AdminState>, number, RegExp][])('tells of %s', async (_, given, index, words) => {
    expect((await showing(given))[index]).toMatch(words);
  });

  it('keeps its place while it loads, and then says that it could not be fetched, and tries again', async () => {
    service.answers[stateUrl] = refused(404, 'We could not find that.');
    open();
    expect(await screen.findByRole('status', { name: 'Loading the state of the service' })).toBeDefined();
    expect(await screen.findByText('Failed to fetch the state of the service')).toBeDefined();
    service.answers[stateUrl] = ok(wellState);
    const region = await section();
    await userEvent.click(within(region).getByRole('button', { name: 'Try again' }));
    expect(await within(region).findByText('Running')).toBeDefined();
  });

  it('looks again by a press, by keyboard too, and says so where that fails', async () => {
    open();
    const look = await screen.findByRole('button', { name: 'Look again' });
    service.answers[stateUrl] = ok({
      ...wellState,
      worker: { state: 'silent', lastBeatAt: '2026-11-24T12:00:00.000Z' },
    });
    look.focus();
    await userEvent.keyboard('{Enter}');
    expect(await screen.findByText('Stopped')).toBeDefined();
    expect(document.activeElement).toBe(look);
    service.answers[stateUrl] = refused(404, 'We could not find that.');
    await userEvent.keyboard('{Enter}');
    expect(await screen.findByText(/^The newest state could not be loaded/)).toBeDefined();
    expect(screen.getByText('Stopped')).toBeDefined();
  });
});

describe('complaints about the use of data', () => {
  const complaint: Complaint = {
    id: idOf(300),
    reference: 'EK-1A2B3C4D',
    name: 'Nell Ames',
    email: 'nell@family.example',
    words: 'You wrote to my old address again.',
    receivedAt: '2026-11-20T09:00:00.000Z',
    acknowledgedAt: null,
    receiptFailedAt: null,
    acknowledgeBy: '2026-12-20T09:00:00.000Z',
    closedAt: null,
  };

  it('are shown with their next step, and marked as answered by one press', async () => {
    service.answers[complaintsUrl] = ok([complaint]);
    service.answers[`POST /api/admin/complaints/${complaint.id}/close`] = ok(complaint);
    open();
    const list = within(await screen.findByRole('region', { name: 'Complaints about the use of data' }));
    expect(list.getByText('You wrote to my old address again.')).toBeDefined();
    expect(list.getByText('The receipt is on its way. They must have it by 20 December 2026.')).toBeDefined();
    expect(list.getByRole('link', { name: complaint.email }).getAttribute('href')).toBe(
      'mailto:nell%40family.example?subject=EK-1A2B3C4D',
    );
    service.answers[complaintsUrl] = ok([{ ...complaint, closedAt: '2026-11-21T09:00:00.000Z' }]);
    await press('EK-1A2B3C4D is answered');
    await expectToast('Success', 'Noted as answered.');
    expect(await list.findByText('Answered on 21 November 2026.')).toBeDefined();
    expect(list.queryByRole('button')).toBeNull();
  });

  it('say where the receipt did not get through, and where words were damaged', async () => {
    const failed = { ...complaint, receiptFailedAt: '2026-11-22T09:00:00.000Z' };
    const damaged = {
      ...complaint,
      id: idOf(301),
      name: 'This could not be opened',
      email: '',
      words: '',
      isDamaged: true,
    };
    service.answers[complaintsUrl] = ok([failed, damaged]);
    open();
    expect(
      await screen.findByText('The receipt did not get through. Tell them in another way by 20 December 2026.'),
    ).toBeDefined();
    expect(screen.getByText(/^The data stored here is damaged/)).toBeDefined();
  });

  it('are read page by page, so that many new ones hide no old one', async () => {
    const many = Array.from({ length: complaintsPerPage }, (_, index) => ({ ...complaint, id: idOf(400 + index) }));
    service.answers[complaintsUrl] = ok(many);
    service.answers[`${complaintsUrl}?after=${many.at(-1)?.id}`] = ok([{ ...complaint, words: 'The oldest of all.' }]);
    open();
    const list = within(await screen.findByRole('region', { name: 'Complaints about the use of data' }));
    const pages = within(list.getByRole('navigation', { name: 'Pages of complaints' }));
    await userEvent.click(pages.getByRole('button', { name: 'Next' }));
    expect(await list.findByText('The oldest of all.')).toBeDefined();
    expect(pages.getByText('Page 2')).toBeDefined();
    expect(pages.getByRole('button', { name: 'Next' })).toHaveProperty('disabled', true);
    await userEvent.click(pages.getByRole('button', { name: 'Previous' }));
    expect(await list.findAllByText(complaint.words)).toHaveLength(complaintsPerPage);
  });

  it('take no room while there is none', async () => {
    open();
    await screen.findByLabelText('Select Una Reed');
    expect(screen.queryByRole('region', { name: 'Complaints about the use of data' })).toBeNull();
  });
});

describe('a bulk email', () => {
  it('goes to the people who are selected, and needs a subject and a message', async () => {
    service.answers[send] = ok({ message: 'Bulk email sent successfully', id: bulk.id, total: 2, leftOut: 0 });
    open();
    expect(((await screen.findByRole('button', { name: 'Send bulk email' })) as HTMLButtonElement).disabled).toBe(true);
    await userEvent.click(await screen.findByLabelText('Select Una Reed'));
    await userEvent.click(screen.getByLabelText('Select Ben Okri'));
    await press('Send bulk email');
    await press('Send the email');
    expect(await screen.findByText('Subject is required')).toBeDefined();
    expect(screen.getByText('Message is required')).toBeDefined();
    await pasteInto(screen.getByLabelText('Subject'), 'New guides');
    await pasteInto(screen.getByLabelText('Message'), 'We wrote them.');
    service.answers[bulkUrl] = ok([bulk]);
    await press('Send the email');
    await expectToast('Success', 'Bulk email sent successfully');
    expect(service.calls.find(({ key }) => key === send)?.body).toEqual({
      subject: 'New guides',
      message: 'We wrote them.',
      recipients: [una.email, ben.email],
    });
    expect(await screen.findByText('Select people to write to them.')).toBeDefined();
    expect(await screen.findByText('12 of 70 sent, 1 came back, 2 people left out')).toBeDefined();
  });

  it('can be cancelled while it is on its way', async () => {
    service.answers[bulkUrl] = ok([bulk]);
    service.answers[`POST /api/admin/bulk-email/${bulk.id}/cancel`] = ok({ ...bulk, state: 'cancelled' });
    open();
    const cancel = await screen.findByRole('button', { name: 'Cancel the rest' });
    service.answers[bulkUrl] = ok([{ ...bulk, state: 'cancelled', cancelled: 55 }]);
    await userEvent.click(cancel);
    await expectToast('Success', 'Nobody else is written to.');
    expect(await screen.findByText('12 of 70 sent, 1 came back, 2 people left out, 55 cancelled')).toBeDefined();
    expect(screen.queryByRole('button', { name: 'Cancel the rest' })).toBeNull();
  });
});
