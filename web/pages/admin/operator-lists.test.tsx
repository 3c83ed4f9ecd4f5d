import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FailedMail } from '#shared/contract/operator/failed-mails.ts';
import type { UnderWay } from '#shared/contract/operator/releases.ts';
import { FailedMailList } from '#web/features/admin/failed-mail-list.tsx';
import { ReleaseList } from '#web/features/admin/release-list.tsx';
import { currentToasts } from '#web/lib/toast.ts';
import { idOf, ok, openPage, refused, type Service, sam, startVault } from '#web/pages/vault/vault.test-world.ts';

const mailsUrl = 'GET /api/admin/failed-mails';
const releasesUrl = 'GET /api/admin/releases?stage=asked';
const counts = { trying: 1, refused: 1_000, givenUp: 2 };

const mail = (number: number, given: Partial<FailedMail> = {}): FailedMail => ({
  id: idOf(300 + number),
  kind: 'Password reset',
  to: `zoe-${number}@post.example`,
  account: `sam-${number}@people.example`,
  state: 'trying',
  code: 550,
  reason: 'The mail server refuses our email, such as by a rule or a spam list.',
  firstTriedAt: '2026-11-24T14:06:40.000Z',
  lastTriedAt: '2026-11-25T14:06:40.000Z',
  nextTryAt: '2026-11-25T20:06:40.000Z',
  attempts: 2,
  retry: 'now',
  ...given,
});
const release: UnderWay = {
  id: idOf(400),
  account: 'sam@people.example',
  state: 'holding',
  how: 'Confirmed, and waiting for the owner',
  since: '2026-11-24T14:06:40.000Z',
  waits: [
    { what: 'A freeze of this account. To end it: everkept release resume sam@people.example', until: null },
    { what: 'The owner’s waiting period of 3 days', until: '2026-11-28T09:00:00.000Z' },
  ],
};

let service: Service;
beforeEach(() => {
  service = startVault();
  Object.assign(service.answers, {
    'GET /api/auth/user': ok({ ...sam, isAdministrator: true }),
    [mailsUrl]: ok({ mails: [mail(1)], next: null, counts }),
    [releasesUrl]: ok({ releases: [release], next: null }),
  });
});
afterEach(() => service.stop());

const openMails = () => openPage(FailedMailList, { route: '/admin', at: '/admin' });
const openReleases = () => openPage(ReleaseList, { route: '/admin', at: '/admin' });
const press = async (name: string | RegExp) => userEvent.click(await screen.findByRole('button', { name }));

describe('emails that failed', () => {
  it('are listed with address, account, reason, code and times, and figures stand at the top', async () => {
    openMails();
    const heading = await screen.findByRole('heading', { name: 'zoe-1@post.example' });
    const row = heading.closest('li') as HTMLElement;
    for (const words of ['Still tried', /Password reset/, 'sam-1@people.example', /spam list/, 'Reply code 550.']) {
      expect(within(row).getByText(words)).toBeDefined();
    }
    expect(row.querySelectorAll('time')).toHaveLength(3);
    expect(
      screen.getByText('Still tried: 1. In the last 7 days refused: 1,000 or more, given up: 2.').getAttribute('role'),
    ).toBe('status');
  });

  it('are tried again at a press, which names the email', async () => {
    const retryUrl = `POST /api/admin/failed-mails/${idOf(301)}/retry`;
    service.answers[retryUrl] = ok({ message: 'The email is tried again now.' });
    openMails();
    await press('Try again: Password reset to zoe-1@post.example');
    await waitFor(() => expect(currentToasts()[0]).toMatchObject({ title: 'Success' }));
    expect(service.calls.filter(({ key }) => key === retryUrl)).toHaveLength(1);
  });

  it('say the reason of the service if they can’t be tried now', async () => {
    const message = 'Releases of this account are frozen, so this email waits. It is tried after the freeze.';
    service.answers[`POST /api/admin/failed-mails/${idOf(301)}/retry`] = refused(409, message, { type: 'CONFLICT' });
    openMails();
    await press(/^Try again/);
    await waitFor(() => expect(currentToasts()[0]).toMatchObject({ description: message }));
  });

  it.each([
    ['queued', /in a moment/],
    ['frozen', /after the freeze/],
    ['waits', /on its day/],
    ['ended', /not sent again/],
  ] as const)('that are %s have a note and no button', async (retry, note) => {
    service.answers[mailsUrl] = ok({ mails: [mail(1, { retry, to: null })], next: null, counts });
    openMails();
    expect(await screen.findByText(note)).toBeDefined();
    expect(screen.getByRole('heading', { name: 'Address erased' })).toBeDefined();
    expect(screen.queryByRole('button', { name: /^Try again/ })).toBeNull();
  });

  it('are searched by domain, and turned page by page', async () => {
    const search = `${mailsUrl}?search=post.example`;
    service.answers[search] = ok({ mails: [mail(2)], next: 'a-key', counts });
    service.answers[`${search}&after=a-key`] = ok({ mails: [], next: null, counts });
    openMails();
    await userEvent.type(await screen.findByRole('searchbox'), ' post.example {Enter}');
    expect(await screen.findByRole('heading', { name: 'zoe-2@post.example' })).toBeDefined();
    await press('Next');
    expect(await screen.findByText('No email to this address or domain has failed.')).toBeDefined();
    await press('Previous');
    expect(await screen.findByRole('heading', { name: 'zoe-2@post.example' })).toBeDefined();
  });

  it('say that none has failed', async () => {
    service.answers[mailsUrl] = ok({ mails: [], next: null, counts });
    openMails();
    expect(await screen.findByText('No email has failed.')).toBeDefined();
  });
});

describe('releases in progress', () => {
  it('are listed with the account, the state, and everything they wait for', async () => {
    openReleases();
    const row = (await screen.findByRole('heading', { name: 'sam@people.example' })).closest('li') as HTMLElement;
    expect(row.textContent).toContain('Confirmed, and waiting for the owner since');
    const waits = within(row).getAllByRole('listitem');
    expect(waits.map(({ textContent }) => textContent)).toEqual([
      'A freeze of this account. To end it: everkept release resume sam@people.example',
      'The owner’s waiting period of 3 days, until 28 November 2026',
    ]);
    expect(within(row).queryByRole('button')).toBeNull();
  });

  it('show owners who were reminded if they are chosen, page by page', async () => {
    const reminded = { ...release, id: idOf(401), account: 'ada@people.example', waits: [] };
    service.answers['GET /api/admin/releases?stage=reminded'] = ok({ releases: [reminded], next: idOf(401) });
    service.answers[`GET /api/admin/releases?stage=reminded&after=${idOf(401)}`] = ok({ releases: [], next: null });
    openReleases();
    await userEvent.selectOptions(await screen.findByRole('combobox', { name: 'Show' }), 'reminded');
    expect(await screen.findByRole('heading', { name: 'ada@people.example' })).toBeDefined();
    await press('Next');
    expect(await screen.findByText('No owner is being reminded.')).toBeDefined();
  });
});
