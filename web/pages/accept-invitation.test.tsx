import { screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AcceptInvitationPage } from './accept-invitation.tsx';
import { openPage, type Service, startService } from './pages.test-world.tsx';

const token = 'c'.repeat(43);
const read = `GET /api/trusted-contact-invitation/${token}`;
const answer = `POST /api/trusted-contact-invitation/${token}`;
const invitation = {
  ownerName: 'Sam Ashworth',
  contactName: 'Priya',
  contactEmail: 'priya@post.example',
  state: 'open',
};
const contactId = '00000000-0000-4000-8000-000000000001';

let service: Service;
beforeEach(() => {
  service = startService();
  service.answers[read] = { status: 200, body: invitation };
});
afterEach(() => service.stop());

const open = () =>
  openPage(AcceptInvitationPage, { route: '/trusted-contact-accept/:token', at: `/trusted-contact-accept/${token}` });
const heading = (name: string) => screen.findByRole('heading', { level: 1, name });
const press = async (name: string) => userEvent.dblClick(await screen.findByRole('button', { name }));

describe('an invitation', () => {
  it('says who asks and changes nothing by being opened', async () => {
    open();
    expect(await heading('Will you be a trusted contact for Sam Ashworth?')).toBeTruthy();
    expect(service.calls.map(({ key }) => key)).toEqual([read]);
  });

  it('is accepted once, and leads to the page that confirms it', async () => {
    service.answers[answer] = { status: 200, body: { contactId, name: 'Priya Shah', isConfirmed: true } };
    const { history } = open();
    await press('Accept');
    expect(history.at(-1)).toBe(`/trusted-contact-confirmed?contactId=${contactId}&name=Priya+Shah`);
    expect(service.calls.filter(({ key }) => key === answer)).toEqual([{ key: answer, body: { accept: true } }]);
  });

  it('is declined by a press', async () => {
    service.answers[answer] = { status: 200, body: { contactId, name: 'Priya Shah', isConfirmed: false } };
    open();
    await press('Decline');
    expect(await heading('You have declined')).toBeTruthy();
    expect(service.calls.filter(({ key }) => key === answer)).toEqual([{ key: answer, body: { accept: false } }]);
  });

  it('can be answered again where the service was not reached', async () => {
    service.answers[answer] = 'unreachable';
    open();
    await press('Accept');
    expect((await screen.findByRole('alert')).textContent).toContain('We could not reach Everkept');
    expect(screen.getByRole('button', { name: 'Accept' })).toBeTruthy();
  });

  it.each([
    ['accepted', 'You have accepted already'],
    ['declined', 'You have declined'],
  ])('that is %s asks nothing more', async (state, title) => {
    service.answers[read] = { status: 200, body: { ...invitation, state } };
    open();
    expect(await heading(title)).toBeTruthy();
    expect(screen.queryByRole('button')).toBeNull();
  });

  it('that is dead says how to get another', async () => {
    service.answers[read] = { status: 404, body: { message: 'We could not find that.', type: 'NOT_FOUND' } };
    open();
    expect(await heading('This invitation has ended')).toBeTruthy();
    expect(screen.getByText(/send it again/)).toBeTruthy();
  });
});
