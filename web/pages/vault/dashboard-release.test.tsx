import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ReleaseOverview } from '#shared/contract/release/release.ts';
import { pasteInto } from '#tests/support/paste-into.ts';
import { dayAndMonth, isoDay, longDate } from '#web/lib/format.ts';
import { currentToasts } from '#web/lib/toast.ts';
import { DashboardPage } from './dashboard.tsx';
import {
  cameBack,
  daysFromNow,
  holdAnswers,
  idOf,
  limits,
  ok,
  openPage,
  outcomeOf,
  overview,
  refused,
  type Service,
  sam,
  startVault,
} from './vault.test-world.ts';

let service: Service;
beforeEach(() => {
  service = startVault();
});
afterEach(() => service.stop());

async function open() {
  const opened = openPage(DashboardPage, { route: '/', at: '/' });
  await screen.findByRole('heading', { name: 'Quick actions' });
  await screen.findByRole('heading', { name: 'Message Release Settings' });
  return opened;
}

const button = (name: string | RegExp) => screen.getByRole('button', { name });
const checkInButton = () => screen.getAllByRole('button', { name: /^Check In/ })[0] as HTMLElement;
const lastToast = () => currentToasts()[0];
const readAgain = ['/api/dashboard/stats', '/api/plan-limits', '/api/release', '/api/user/release-settings'];

describe('The status sheet', () => {
  it('says when we heard from its owner, until when to check in, and what would happen after', async () => {
    await open();
    expect(screen.getByRole('heading', { name: 'We heard from you 4 days ago.' })).toBeDefined();
    expect(screen.getByText(longDate(daysFromNow(26)))).toBeDefined();
    const line = within(screen.getByRole('list', { name: 'What would happen, and when' }));
    expect(line.getAllByRole('listitem').map((item) => item.querySelector('.tl-w')?.textContent)).toEqual([
      undefined,
      'Today',
      'Next check-in',
      'First reminder',
      'Last reminder',
      'We ask Priya and Tom',
      '2 letters go',
    ]);
    expect(line.getByText('Your line begins today.')).toBeDefined();
  });

  it.each([
    ['reminded', 'We have sent you a reminder.', 'Check In'],
    ['warned', 'We have sent the last reminder.', 'Check In'],
    ['asking', 'Your contacts have been asked.', 'Stop'],
    ['paused', 'A trusted contact has paused this.', 'Stop'],
    ['holding', 'A release has been confirmed.', 'Stop'],
    ['releasing', 'Your messages are being delivered.', 'Stop'],
    ['released', 'Your messages have been delivered.', 'Check In'],
    ['halted', 'The release was stopped.', 'Check In'],
  ] as const)('in the state %s says “%s” and offers %s', async (state, title, action) => {
    service.answers['GET /api/release'] = ok({ ...overview, state });
    await open();
    const sheet = within(screen.getByRole('region', { name: title }));
    expect(sheet.getByRole('button').textContent).toBe(action);
  });

  it.each([
    [[], 'Your contacts have been asked.', /We are writing to your contacts/],
    [['Tom'], 'One of your contacts has been asked.', /We have asked Tom about you/],
    [['Priya', 'Tom'], 'Your contacts have been asked.', /We have asked Priya and Tom about you/],
  ])('names those alone who were asked: %j', async (toldNames, title, words) => {
    service.answers['GET /api/release'] = ok({ ...overview, state: 'asking', toldNames });
    await open();
    expect(within(screen.getByRole('region', { name: title })).getByText(words)).toBeDefined();
  });

  it('says after a no when contacts are asked again, and when letters leave without further answers', async () => {
    const timeline = [
      { what: 'last_activity', at: daysFromNow(-92), isPast: true },
      { what: 'paused_until', at: daysFromNow(30), isPast: false },
      { what: 'automatic_delivery', at: daysFromNow(37), isPast: false },
    ];
    service.answers['GET /api/release'] = ok({ ...overview, state: 'paused', timeline });
    await open();
    const words = `Nothing has been sent. We ask again on ${longDate(daysFromNow(30))}, unless you check in.`;
    expect(screen.getByText(words)).toBeDefined();
    const line = within(screen.getByRole('list', { name: 'What would happen, and when' }));
    expect(line.getByText('We ask again').nextSibling?.textContent).toBe(dayAndMonth(daysFromNow(30)));
    expect(line.getByText('2 letters go').nextSibling?.textContent).toBe(longDate(daysFromNow(37)));
  });

  it('tells after a release which messages were opened', async () => {
    service.answers['GET /api/release'] = ok({
      ...overview,
      state: 'released',
      ...outcomeOf([
        {
          messageId: idOf(10),
          title: 'For Nell',
          status: 'accepted',
          deliveredAt: daysFromNow(-2),
          accessedAt: daysFromNow(-1),
        },
        { messageId: idOf(99), title: null, status: 'accepted', deliveredAt: daysFromNow(-2), accessedAt: null },
      ]),
    });
    await open();
    expect(screen.getByText(/^2 letters were sent, 1 of them opened\. If you are here, check in/)).toBeDefined();
    const rows = within(screen.getByRole('table', { name: 'What has been sent' })).getAllByRole('row');
    expect(rows[1]?.textContent).toContain('For Nell');
    expect(rows[1]?.textContent).toContain(`Opened ${longDate(daysFromNow(-1))}`);
    expect(rows[2]?.textContent).toContain('A message you have deleted');
    expect(rows[2]?.textContent).toContain('Not opened');
  });

  it('stops the open release, once, and welcomes its owner back', async () => {
    service.answers['GET /api/release'] = ok({ ...overview, state: 'asking', toldNames: ['Priya', 'Tom'] });
    const stopped = { ...overview, cameBack };
    service.answers['POST /api/release/stop'] = ok(stopped);
    await open();
    const answer = holdAnswers();
    service.answers['GET /api/release'] = ok(stopped);
    await userEvent.dblClick(button('Stop'));
    answer();
    await screen.findByRole('heading', { name: 'Welcome back, Sam.' });
    expect(service.count('POST /api/release/stop')).toBe(1);
  });
});

describe('Coming back from silence', () => {
  const readIt = 'POST /api/release/came-back/read';

  it('comes before everything else: nothing was sent, the notified people, the next step and its time', async () => {
    service.answers['GET /api/release'] = ok({ ...overview, cameBack });
    service.answers['GET /api/plan-limits'] = ok({ ...limits, messages: { current: 2, limit: 2, canCreate: false } });
    openPage(DashboardPage, { route: '/', at: '/' });
    await screen.findByRole('heading', { level: 1, name: 'Welcome back, Sam.' });
    expect(screen.getByText('Nothing was sent. We have told Priya and Tom you are here.')).toBeDefined();
    const line = within(screen.getByRole('list', { name: 'While we did not hear from you' }));
    expect(line.getAllByRole('listitem').map((item) => item.querySelector('.tl-w')?.textContent)).toEqual([
      'We last heard from you',
      'We wrote to you',
      'We asked Priya and Tom',
      'You came back',
      '2 letters would have gone',
    ]);
    expect(line.getByText('2 letters would have gone').nextSibling?.textContent).toContain(dayAndMonth(daysFromNow(3)));
    expect(screen.queryByText(/plan limits/), 'no plan stands above it').toBeNull();
    expect(screen.queryByRole('heading', { name: 'Quick actions' })).toBeNull();
  });

  it('says which contact gave which other address of the owner', async () => {
    const given = { ...cameBack, givenAddresses: [{ byName: 'Priya', address: 'sam@new.example' }] };
    service.answers['GET /api/release'] = ok({ ...overview, cameBack: given });
    openPage(DashboardPage, { route: '/', at: '/' });
    const sentence = 'and Priya gave us another email address of yours: sam@new.example.';
    expect(await screen.findByText(`Our emails came back to us, ${sentence}`)).toBeDefined();
  });

  it('says which contact answered for the owner, when and why', async () => {
    const aliveAnswers = [{ byName: 'Priya', at: '2026-03-05T10:00:00.000Z', reason: 'He was in a coma.' }];
    service.answers['GET /api/release'] = ok({ ...overview, cameBack: { ...cameBack, aliveAnswers } });
    openPage(DashboardPage, { route: '/', at: '/' });
    expect(await screen.findByText(/On 5 March 2026, Priya answered for you/)).toBeTruthy();
    expect(screen.getByText('He was in a coma.')).toBeTruthy();
  });

  it('offers to remove the contact who asked early, and only then', async () => {
    const asked = { ...cameBack, isEarly: true, askedByName: 'Tom' };
    service.answers['GET /api/release'] = ok({ ...overview, cameBack: asked });
    openPage(DashboardPage, { route: '/', at: '/' });
    const link = await screen.findByRole('link', { name: 'remove them' });
    expect(link.getAttribute('href')).toBe('/contacts');
    const words = 'We had been asked to release your messages in the name of Tom.';
    expect(link.closest('p')?.textContent).toContain(words);
  });

  it('is put away on the server, once, and the dashboard follows', async () => {
    service.answers['GET /api/release'] = ok({ ...overview, cameBack });
    service.answers[readIt] = ok({ ok: true });
    openPage(DashboardPage, { route: '/', at: '/' });
    const leave = await screen.findByRole('button', { name: 'Go to my dashboard' });
    service.answers['GET /api/release'] = ok(overview);
    const answer = holdAnswers();
    await userEvent.dblClick(leave);
    answer();
    await screen.findByRole('heading', { name: 'Quick actions' });
    expect(service.count(readIt)).toBe(1);
  });

  it('stays where putting it away fails', async () => {
    service.answers['GET /api/release'] = ok({ ...overview, cameBack });
    service.answers[readIt] = refused(503, 'Try again in a moment.');
    openPage(DashboardPage, { route: '/', at: '/' });
    await userEvent.click(await screen.findByRole('button', { name: 'Go to my dashboard' }));
    await waitFor(() => expect(lastToast()?.description).toBe('Try again in a moment.'));
    expect(screen.getByRole('heading', { name: 'Welcome back, Sam.' })).toBeDefined();
  });

  it('lists the sent and read letters of a stopped delivery', async () => {
    service.answers['GET /api/release'] = ok({
      ...overview,
      state: 'halted',
      cameBack: { ...cameBack, next: null },
      ...outcomeOf([
        {
          messageId: idOf(10),
          title: 'For Nell',
          status: 'accepted',
          deliveredAt: daysFromNow(-2),
          accessedAt: daysFromNow(-1),
        },
      ]),
    });
    openPage(DashboardPage, { route: '/', at: '/' });
    await screen.findByText(/^We have stopped the delivery\. 1 letter was sent, and it was opened\. We have told/);
    expect(screen.getByRole('table', { name: 'What has been sent' })).toBeDefined();
  });

  it.each(['asking', 'halted'] as const)('in the state %s no limit of the plan is shown', async (state) => {
    service.answers['GET /api/plan-limits'] = ok({ ...limits, messages: { current: 2, limit: 2, canCreate: false } });
    service.answers['GET /api/release'] = ok({ ...overview, state });
    await open();
    expect(screen.queryByText(/plan limits/)).toBeNull();
  });
});

describe('Going away', () => {
  const put = 'PUT /api/release/away';
  const until = isoDay(daysFromNow(60));
  const away: ReleaseOverview = {
    ...overview,
    awayUntil: until,
    timeline: [
      { what: 'last_activity', at: daysFromNow(-4), isPast: true },
      { what: 'away_until', at: until, isPast: false },
      { what: 'first_reminder', at: daysFromNow(105), isPast: false },
    ],
  };
  const field = () => screen.getByLabelText<HTMLInputElement>('Away until');
  const typeDay = (value: string) => fireEvent.change(field(), { target: { value } });

  it('takes a day within the next 180, and shows it on the line of time', async () => {
    service.answers[put] = ok(away);
    await open();
    expect([field().min, field().max]).toEqual([isoDay(daysFromNow(1)), isoDay(daysFromNow(180))]);
    typeDay(until);
    service.answers['GET /api/release'] = ok(away);
    await userEvent.click(button('Save the day'));
    await screen.findByRole('heading', { name: 'You’re away.' });
    expect(service.calls.find(({ key }) => key === put)?.body).toEqual({ until });
    expect(screen.getByText(/^You told us .* and send you no reminder before/).textContent).toContain(longDate(until));
    const line = within(screen.getByRole('list', { name: 'What would happen, and when' }));
    expect(line.getByText('Away until').nextSibling?.textContent).toBe(dayAndMonth(until));
    expect(screen.getByText(/The first reminder would go out on/).textContent).toContain(longDate(daysFromNow(105)));
  });

  it('is taken back with one press', async () => {
    service.answers['GET /api/release'] = ok(away);
    service.answers[put] = ok(overview);
    await open();
    expect(field().value).toBe(until);
    expect(screen.getByText(/they are told so, and we try to reach you for at least 14 days/)).toBeDefined();
    const answer = holdAnswers();
    service.answers['GET /api/release'] = ok(overview);
    await userEvent.dblClick(button('I am back'));
    answer();
    await screen.findByRole('heading', { name: 'We heard from you 4 days ago.' });
    expect(service.calls.filter(({ key }) => key === put).map(({ body }) => body)).toEqual([{ until: null }]);
    expect(field().value).toBe('');
    expect(screen.queryByRole('button', { name: 'I am back' })).toBeNull();
  });

  it('asks for the password where the sign-in is old, and keeps the day meanwhile', async () => {
    service.answers[put] = refused(403, 'Confirm that it is you.', { type: 'REAUTHENTICATION_REQUIRED' });
    await open();
    typeDay(until);
    await userEvent.click(button('Save the day'));
    await pasteInto(await screen.findByLabelText('Password'), 'lemon cake');
    Object.assign(service.answers, {
      'POST /api/user/reauthenticate': ok({ ok: true }),
      [put]: ok(away),
      'GET /api/release': ok(away),
    });
    await userEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Save the day' }));
    await screen.findByText(/^You told us .* and send you no reminder before/);
  });

  it('shows a fault beside its day, and sends none that was not chosen', async () => {
    const message = 'Choose a day within the next 180 days.';
    service.answers[put] = refused(400, message, { type: 'VALIDATION', issues: [{ path: 'until', message }] });
    await open();
    await userEvent.click(button('Save the day'));
    expect(screen.getByText('Choose a day.')).toBeDefined();
    expect(service.count(put)).toBe(0);
    typeDay(isoDay(daysFromNow(181)));
    await userEvent.click(button('Save the day'));
    expect(await screen.findByText(message)).toBeDefined();
    expect(field().getAttribute('aria-invalid')).toBe('true');
  });
});

describe('The obstacles of a release', () => {
  it.each(['address_bounced', 'own_mail_refused', 'nobody_to_ask'])(
    'is red where our mail did not reach its owner: %s',
    async (type) => {
      const problems = [
        { type: 'no_ready_message', message: 'No message is ready.' },
        { type, message: 'Your mailbox refused our mail.' },
      ];
      service.answers['GET /api/release'] = ok({ ...overview, problems });
      await open();
      expect(screen.getByText('Your mailbox refused our mail.').closest('.banner-bad')).not.toBeNull();
    },
  );

  it('leads to the contacts if there is no contact to ask', async () => {
    const problems = [{ type: 'nobody_to_ask', message: 'You have nobody whom we could ask.' }];
    service.answers['GET /api/release'] = ok({ ...overview, problems });
    await open();
    expect(screen.getByRole('link', { name: 'Go to your contacts' }).getAttribute('href')).toBe('/contacts');
  });

  it('is said in the service’s own words, red where nothing could ever be released', async () => {
    service.answers['GET /api/release'] = ok({
      ...overview,
      problems: [
        { type: 'nothing_could_ever_be_released', message: 'Nothing could ever be released.' },
        { type: 'letter_bounced', message: 'A message could not be delivered.' },
      ],
    });
    await open();
    expect(screen.getByText('Nothing could ever be released.').closest('.banner-bad')).not.toBeNull();
    expect(screen.getByText('1 more thing to see to').closest('details')?.open).toBe(false);
  });

  it('is no warning where something is merely not done yet: the one sentence and the list of first steps say it', async () => {
    service.answers['GET /api/auth/user'] = ok({ ...sam, emailVerified: false });
    service.answers['GET /api/release'] = ok({
      ...overview,
      problems: [
        { type: 'email_not_verified', message: 'Your email address is not verified.' },
        { type: 'no_ready_message', message: 'No message is ready.' },
        { type: 'no_confirmed_contact', message: 'Nobody has accepted.' },
      ],
      standing: 'Your email address is not confirmed yet.',
      readyMessages: 0,
      readyLetters: 0,
      laterLetters: 0,
      contactNames: [],
    });
    await open();
    await screen.findByText('Email verification required');
    expect(document.querySelectorAll('.banner')).toHaveLength(1);
    expect(screen.queryByText('No message is ready.')).toBeNull();
    expect(screen.getAllByText('Your email address is not confirmed yet.').length).toBeGreaterThan(0);
    const steps = within(screen.getByRole('region', { name: 'What makes your vault whole' }));
    expect(steps.getByText('Two small things are left, and there is no hurry.')).toBeDefined();
    expect(steps.getByRole('link', { name: 'Go on writing' }).className).toContain('btn-2');
    expect(steps.getByRole('link', { name: 'See your contacts' }).className).toContain('btn-3');
    expect(steps.getByText(/^2 of 4 are done\./)).toBeDefined();
  });

  it('is nothing once all is done: no banner, and no list', async () => {
    await open();
    expect(document.querySelector('.attention')).toBeNull();
    expect(screen.queryByRole('region', { name: 'What makes your vault whole' })).toBeNull();
    expect(screen.getAllByText(overview.standing), 'the same over the line of time and in the settings').toHaveLength(
      2,
    );
  });
});

describe('Checking in', () => {
  it('records it once, says so, and reads everything again', async () => {
    service.answers['POST /api/checkin'] = ok({ ok: true, lastCheckinAt: daysFromNow(0) });
    await open();
    const answer = holdAnswers();
    const before = readAgain.map((url) => service.count(`GET ${url}`));
    await userEvent.dblClick(checkInButton());
    answer();
    await waitFor(() =>
      expect(lastToast()).toMatchObject({
        title: 'Check-in successful',
        description: 'Your activity has been recorded',
      }),
    );
    expect(service.count('POST /api/checkin')).toBe(1);
    await waitFor(() =>
      expect(readAgain.map((url) => service.count(`GET ${url}`))).toEqual(before.map((count) => count + 1)),
    );
  });

  it('says so where it fails', async () => {
    service.answers['POST /api/checkin'] = refused(500, 'Something went wrong on our side.');
    await open();
    await userEvent.click(checkInButton());
    await waitFor(() =>
      expect(lastToast()).toMatchObject({
        title: 'Check-in failed',
        description: 'Please try again',
        variant: 'destructive',
      }),
    );
  });
});

describe('Message Release Settings', () => {
  const days = () =>
    within(screen.getByRole('table', { name: /What these settings mean/ }))
      .getAllByRole('row')
      .map((row) => row.textContent);

  it.each([
    ['90', ['day 45', 'day 80', 'day 90', 'day 97']],
    ['180', ['day 90', 'day 170', 'day 180', 'day 187']],
    ['365', ['day 183', 'day 355', 'day 365', 'day 372']],
  ])('show the days of a period of %s days before it is saved', async (period, expected) => {
    await open();
    await userEvent.selectOptions(screen.getByLabelText('Inactivity period'), period);
    expect(days()).toEqual([
      `First reminder to you${expected[0]}`,
      `Last reminder to you${expected[1]}`,
      `Priya and Tom asked${expected[2]}`,
      `Delivered, if nobody answers${expected[3]}`,
    ]);
    expect(service.count('PUT /api/user/release-settings')).toBe(0);
  });

  it('that were changed elsewhere are not overwritten: both are shown, and the choice of this window can be saved', async () => {
    const put = 'PUT /api/user/release-settings';
    const stored = { releaseMethod: 'inactivity', inactivityDays: 180 };
    service.answers[put] = refused(409, 'Changed elsewhere.', { type: 'CHANGED_ELSEWHERE', stored });
    await open();
    await userEvent.selectOptions(screen.getByLabelText('Inactivity period'), '365');
    service.answers['GET /api/user/release-settings'] = ok(stored);
    await userEvent.click(button('Save Settings'));
    const notice = await screen.findByText(/Nothing was overwritten. Your choices above are not saved yet/);
    await waitFor(() => expect(notice.closest('[role=alert]')?.textContent).toContain('Inactivity period180 days'));
    expect(notice.closest('[role=alert]')?.textContent).not.toContain('Release method');
    expect(screen.getByLabelText<HTMLSelectElement>('Inactivity period').value).toBe('365');
    service.answers[put] = ok({ ...stored, inactivityDays: 365 });
    await userEvent.click(button('Save Settings'));
    await waitFor(() => expect(lastToast()?.title).toBe('Settings Updated'));
    expect(service.calls.findLast(({ key }) => key === put)?.body).toMatchObject({ before: stored });
    expect(screen.queryByText(/Nothing was overwritten/)).toBeNull();
  });

  it('that were changed elsewhere can be taken in place of the choices of this window', async () => {
    service.answers['PUT /api/user/release-settings'] = ok({ releaseMethod: 'inactivity', inactivityDays: 90 });
    service.answers['PUT /api/release/preferences'] = refused(409, 'Changed elsewhere.', { type: 'CHANGED_ELSEWHERE' });
    await open();
    await userEvent.selectOptions(screen.getByLabelText('Who must confirm a release'), '3');
    service.answers['GET /api/release'] = ok({ ...overview, quorum: 2 });
    await userEvent.click(button('Save Settings'));
    expect(await screen.findByText('Two of my contacts', { selector: 'dd' })).toBeDefined();
    await userEvent.click(button('Take the saved settings'));
    expect(screen.queryByText(/Nothing was overwritten/)).toBeNull();
    expect(screen.getByLabelText<HTMLSelectElement>('Who must confirm a release').value).toBe('2');
  });

  it('have no period where a trusted contact decides', async () => {
    await open();
    await userEvent.selectOptions(screen.getByLabelText('Release method'), 'trusted_contact');
    expect(screen.queryByLabelText('Inactivity period')).toBeNull();
    expect(days().at(-1)).toBe('Delivered, when they confirmany day');
  });

  it('are saved with both fields', async () => {
    const chosen = { releaseMethod: 'inactivity', inactivityDays: 365 };
    service.answers['PUT /api/user/release-settings'] = ok(chosen);
    await open();
    service.answers['GET /api/user/release-settings'] = ok(chosen);
    await userEvent.selectOptions(screen.getByLabelText('Inactivity period'), '365');
    await userEvent.click(button('Save Settings'));
    await waitFor(() =>
      expect(lastToast()).toMatchObject({
        title: 'Settings Updated',
        description: 'Your message release preferences have been saved.',
      }),
    );
    const before = { releaseMethod: 'inactivity', inactivityDays: 90 };
    expect(service.calls.find(({ key }) => key.startsWith('PUT'))?.body).toEqual({ ...chosen, before });
    expect(screen.getByLabelText<HTMLSelectElement>('Inactivity period').value).toBe('365');
  });

  it('hold what few people change under More choices, with what it means, and save it with the rest', async () => {
    service.answers['PUT /api/user/release-settings'] = ok({ releaseMethod: 'inactivity', inactivityDays: 90 });
    service.answers['PUT /api/release/preferences'] = ok(overview);
    await open();
    await userEvent.selectOptions(screen.getByLabelText('Who must confirm a release'), '3');
    expect(screen.getByText(/2 contacts can confirm now, so two are enough/)).toBeDefined();
    const answer = screen.getByLabelText('Days your contacts have to answer');
    await userEvent.clear(answer);
    expect(screen.getByText('Please give a whole number of days, from 0 to 30.')).toBeDefined();
    expect(button('Save Settings').hasAttribute('disabled')).toBe(true);
    await userEvent.type(answer, '14');
    expect(days().at(-1)).toBe('Delivered, if nobody answersday 104');
    await userEvent.click(button('Save Settings'));
    await waitFor(() => expect(service.count('PUT /api/release/preferences')).toBe(1));
    const saved = service.calls.find(({ key }) => key === 'PUT /api/release/preferences');
    const before = { quorum: 1, waitingDays: 0, answerDays: 7 };
    expect(saved?.body).toEqual({ quorum: 3, waitingDays: 0, answerDays: 14, before });
  });

  it('say whether a release would work, and lead to its rehearsal', async () => {
    service.answers['GET /api/release'] = ok({
      ...overview,
      ready: false,
      problems: [{ type: 'no_ready_message', message: 'No message is ready.' }],
    });
    await open();
    expect(screen.getByText('Not ready')).toBeDefined();
    expect(screen.getByRole('link', { name: 'Rehearse' }).getAttribute('href')).toBe('/rehearsal');
  });

  it('ask for the password if the sign-in is old, and are then saved with the fields under More choices', async () => {
    const [put, more] = ['PUT /api/user/release-settings', 'PUT /api/release/preferences'];
    service.answers[put] = refused(403, 'Confirm that it is you.', { type: 'REAUTHENTICATION_REQUIRED' });
    await open();
    await userEvent.selectOptions(screen.getByLabelText('Inactivity period'), '365');
    await userEvent.selectOptions(screen.getByLabelText('Who must confirm a release'), '3');
    await userEvent.click(button('Save Settings'));
    await pasteInto(await screen.findByLabelText('Password'), 'lemon cake');
    Object.assign(service.answers, {
      'POST /api/user/reauthenticate': ok({ ok: true }),
      [put]: ok({ releaseMethod: 'inactivity', inactivityDays: 365 }),
      [more]: ok(overview),
    });
    await userEvent.click(button('Save the settings'));
    await waitFor(() => expect(lastToast()).toMatchObject({ title: 'Settings Updated' }));
    expect(service.calls.find(({ key }) => key === more)?.body).toMatchObject({ quorum: 3 });
  });

  it('say why they could not be saved, and keep the choice', async () => {
    service.answers['PUT /api/user/release-settings'] = refused(403, 'Verify your email first.', {
      type: 'EMAIL_VERIFICATION_REQUIRED',
    });
    await open();
    await userEvent.selectOptions(screen.getByLabelText('Inactivity period'), '365');
    await userEvent.click(button('Save Settings'));
    await waitFor(() =>
      expect(lastToast()).toMatchObject({
        title: 'Update Failed',
        description: 'Verify your email first.',
        variant: 'destructive',
      }),
    );
    expect(screen.getByLabelText<HTMLSelectElement>('Inactivity period').value).toBe('365');
  });
});
