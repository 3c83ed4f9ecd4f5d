import { screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openPage, type Service, startService } from '#web/pages/pages.test-world.tsx';
import { CheckInPage } from './check-in.tsx';

const token = 'd'.repeat(43);
const read = `GET /api/check-in/${token}`;
const checkIn = `POST /api/check-in/${token}`;

const foreseen = (what: string, at: string) => ({ what, at: `${at}T09:00:00.000Z`, isPast: false });
const thanks = {
  status: 200,
  body: {
    ok: true,
    lastCheckinAt: '2026-11-20T09:00:00.000Z',
    timeline: [
      foreseen('next_checkin', '2026-12-20'),
      foreseen('first_reminder', '2027-01-04'),
      foreseen('last_reminder', '2027-02-08'),
      foreseen('contacts_asked', '2027-02-18'),
      foreseen('automatic_delivery', '2027-02-25'),
    ],
    halted: null,
  },
};

let service: Service;
beforeEach(() => {
  service = startService();
  service.answers[read] = { status: 200, body: { firstName: 'Sam', lastCheckinAt: '2026-03-13T09:00:00.000Z' } };
});
afterEach(() => service.stop());

const open = () => openPage(CheckInPage, { route: '/check-in/:token', at: `/check-in/${token}` });
const heading = (name: string) => screen.findByRole('heading', { level: 1, name });

describe('a check-in by link', () => {
  it('changes nothing by being opened', async () => {
    open();
    expect(await heading('Sam, are you there?')).toBeTruthy();
    expect(service.calls.map(({ key }) => key)).toEqual([read]);
  });

  it('is one press, sent once, and thanked for', async () => {
    service.answers[checkIn] = thanks;
    open();
    await userEvent.dblClick(await screen.findByRole('button', { name: 'Check in' }));
    expect(await heading('Thank you, Sam')).toBeTruthy();
    expect(screen.getByText('20 November 2026')).toBeTruthy();
    expect(service.count(checkIn)).toBe(1);
  });

  it('that comes from a journey says from when the days count', async () => {
    const timeline = [foreseen('away_until', '2027-05-04'), foreseen('first_reminder', '2027-06-18')];
    service.answers[checkIn] = { ...thanks, body: { ...thanks.body, timeline } };
    open();
    await userEvent.click(await screen.findByRole('button', { name: 'Check in' }));
    const words = /You told us that you are away: we count the days from 4 May 2027\./;
    expect((await screen.findByRole('status')).textContent).toMatch(words);
    expect(screen.getByText('First reminder').nextSibling?.textContent).toBe('18 June 2027');
  });

  it.each([
    [
      { sent: 3, opened: 1, mayArrive: 0 },
      /3 letters had been sent, and 1 of them opened\. What was not sent stays here/,
    ],
    [{ sent: 1, opened: 0, mayArrive: 0 }, /1 letter had been sent, and none was opened/],
    [{ sent: 0, opened: 0, mayArrive: 0 }, /Nothing had been sent, and now nothing will be/],
    [
      { sent: 0, opened: 0, mayArrive: 1 },
      /^(?!.*Nothing had been sent).*1 letter was just being handed over and may still arrive: the link opens nothing/,
    ],
  ])('a check-in that stopped a delivery lists the sent letters: %o', async (halted, words) => {
    service.answers[checkIn] = { ...thanks, body: { ...thanks.body, halted } };
    open();
    await userEvent.click(await screen.findByRole('button', { name: 'Check in' }));
    expect((await screen.findByRole('status')).textContent).toMatch(words);
    expect(document.body.textContent).not.toContain('Nothing is sent to anybody');
  });

  it('is answered with the next date, and with those that would follow a silence', async () => {
    service.answers[checkIn] = thanks;
    open();
    await userEvent.click(await screen.findByRole('button', { name: 'Check in' }));
    expect((await screen.findByText(/^Next check-in by/)).textContent).toBe('Next check-in by 20 December 2026.');
    const dates = screen.getAllByRole('definition').map(({ textContent }) => textContent);
    expect(dates).toEqual(['4 January 2027', '8 February 2027', '18 February 2027', '25 February 2027']);
  });

  it('can be pressed again where the service was not reached', async () => {
    service.answers[checkIn] = 'unreachable';
    open();
    await userEvent.click(await screen.findByRole('button', { name: 'Check in' }));
    expect((await screen.findByRole('alert')).textContent).toContain('We could not reach Everkept');
    service.answers[checkIn] = thanks;
    await userEvent.click(screen.getByRole('button', { name: 'Check in' }));
    expect(await heading('Thank you, Sam')).toBeTruthy();
  });

  it('leads to signing in where a link has stopped once already what contacts confirmed', async () => {
    service.answers[checkIn] = { status: 403, body: { message: 'To stop it now, please sign in.', type: 'FORBIDDEN' } };
    open();
    await userEvent.click(await screen.findByRole('button', { name: 'Check in' }));
    expect((await screen.findByRole('alert')).textContent).toContain('To stop it now, please sign in.');
    expect(screen.getByRole('link', { name: 'Sign in' }).getAttribute('href')).toBe('/login');
    expect(screen.queryByRole('button', { name: 'Check in' })).toBeNull();
  });

  it('with a dead link leads to signing in', async () => {
    service.answers[read] = { status: 404, body: { message: 'We could not find that.', type: 'NOT_FOUND' } };
    open();
    expect(await heading('This check-in link has ended')).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Sign in' }).getAttribute('href')).toBe('/login');
  });
});
