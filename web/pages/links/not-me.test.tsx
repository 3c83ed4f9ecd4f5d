import { screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NotMe } from '#shared/contract/not-me.ts';
import { openPage, type Service, startService } from '#web/pages/pages.test-world.tsx';
import { NotMePage } from './not-me.tsx';

const token = 'n'.repeat(43);
const read = `GET /api/not-me/${token}`;
const say = `POST /api/not-me/${token}`;
const planted: NotMe = {
  email: 's…@ashworth.example',
  openedAt: '2026-11-20T09:00:00.000Z',
  isVerified: false,
  letters: 2,
  contacts: 1,
  documents: 0,
  checklists: 0,
  hasPhone: true,
  hasOwnSettings: false,
  plan: 'premium',
  removal: 'at-once',
};

let service: Service;
beforeEach(() => {
  service = startService();
  service.answers[read] = { status: 200, body: planted };
});
afterEach(() => service.stop());

const open = () => openPage(NotMePage, { route: '/not-me/:token', at: `/not-me/${token}` });
const heading = (name: string) => screen.findByRole('heading', { level: 1, name });
const button = () => screen.findByRole('button', { name: 'This was not me' });

describe('the page behind "This was not me"', () => {
  it('says what would go, has one button, and changes nothing by being opened', async () => {
    open();
    expect(await heading('Was this not you?')).toBeTruthy();
    expect(screen.getByText('2 letters, 1 trusted contact and a phone number')).toBeTruthy();
    expect(screen.getByText(/The Premium plan was chosen for it/)).toBeTruthy();
    expect(screen.getByText(/deleted at once, and this cannot be undone/)).toBeTruthy();
    expect(screen.getAllByRole('button')).toHaveLength(1);
    expect(document.querySelector('form')?.method).toBe('post');
    expect(service.calls.map(({ key }) => key)).toEqual([read]);
  });

  it('says of what may be a real vault that it closes for 30 days, and who can take that back', async () => {
    service.answers[read] = { status: 200, body: { ...planted, isVerified: true, removal: 'with-undo' } };
    open();
    expect(await screen.findByText(/After 30 days everything in it is deleted/)).toBeTruthy();
    expect(screen.getByText(/only a person who reads the mail at this address can undo that/)).toBeTruthy();
    expect(screen.queryByText(/cannot be undone/)).toBeNull();
  });

  it.each([
    [null, 'The account is gone'],
    ['2026-12-20T09:00:00.000Z', 'The account is closed'],
  ])('is one press, sent once, and answered: %s', async (goesAt, title) => {
    service.answers[say] = { status: 200, body: { goesAt } };
    open();
    await userEvent.dblClick(await button());
    expect(await heading(title)).toBeTruthy();
    expect(service.count(say)).toBe(1);
  });

  it.each([
    ['when it is opened', read],
    ['when it is pressed', say],
  ])('says that the link has ended, where it has %s', async (_, key) => {
    service.answers[key] = { status: 404, body: { type: 'NOT_FOUND', message: 'This link has been used already.' } };
    open();
    if (key === say) await userEvent.click(await button());
    expect(await heading('This link has ended')).toBeTruthy();
  });

  it('says why a press did nothing, and can be pressed again', async () => {
    service.answers[say] = { status: 503, body: { type: 'UNAVAILABLE', message: 'Try again in a minute.' } };
    open();
    await userEvent.click(await button());
    expect(await screen.findByText('Try again in a minute.')).toBeTruthy();
    expect(await button()).toBeTruthy();
  });
});
