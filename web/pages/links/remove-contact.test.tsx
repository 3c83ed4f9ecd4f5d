import { screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openPage, type Service, startService } from '#web/pages/pages.test-world.tsx';
import { RemoveContactPage } from './remove-contact.tsx';

const token = 'r'.repeat(43);
const read = `GET /api/remove-contact/${token}`;
const press = `POST /api/remove-contact/${token}`;

let service: Service;
beforeEach(() => {
  service = startService();
  const body = { firstName: 'Sam', contactName: 'Priya', askedAt: '2026-05-04T10:00:00Z' };
  service.answers[read] = { status: 200, body };
});
afterEach(() => service.stop());

const open = () => openPage(RemoveContactPage, { route: '/remove-contact/:token', at: `/remove-contact/${token}` });
const heading = (name: string) => screen.findByRole('heading', { level: 1, name });

describe('the link in the mail about a Stop', () => {
  it('changes nothing by being opened', async () => {
    open();
    expect(await heading('Remove Priya from your trusted contacts?')).toBeTruthy();
    expect(screen.getByText('4 May 2026')).toBeTruthy();
    expect(service.calls.map(({ key }) => key)).toEqual([read]);
  });

  it('removes the contact with one press', async () => {
    service.answers[press] = { status: 200, body: { contactName: 'Priya' } };
    open();
    await userEvent.dblClick(await screen.findByRole('button', { name: 'Remove Priya' }));
    expect(await heading('Priya is no longer your trusted contact')).toBeTruthy();
    expect(service.calls.filter(({ key }) => key === press)).toHaveLength(1);
  });

  it('leads to the sign-in if the contact is the only one', async () => {
    const message = 'This is your only trusted contact. To remove them, please sign in.';
    service.answers[press] = { status: 403, body: { message, type: 'FORBIDDEN' } };
    open();
    await userEvent.click(await screen.findByRole('button', { name: 'Remove Priya' }));
    expect((await screen.findByRole('alert')).textContent).toContain(message);
    expect(screen.getByRole('link', { name: 'Sign in' }).getAttribute('href')).toBe('/contacts');
  });

  it('says so if it has ended', async () => {
    service.answers[read] = { status: 404, body: { message: 'This link is too old.', type: 'NOT_FOUND' } };
    open();
    expect(await heading('This link has ended')).toBeTruthy();
  });
});
