import { screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openPage, type Service, startService } from '#web/pages/pages.test-world.tsx';
import { AcceptInvitationPage } from './accept-invitation.tsx';

const token = 'c'.repeat(43);
const read = `GET /api/trusted-contact-invitation/${token}`;
const answer = `POST /api/trusted-contact-invitation/${token}`;
const invitation = {
  ownerName: 'Sam Ashworth',
  contactName: 'Priya',
  contactEmail: 'priya@post.example',
  state: 'open',
  answerableUntil: '2026-12-21T12:00:00.000Z',
};
const contactId = '00000000-0000-4000-8000-000000000001';

const said = (isConfirmed: boolean) => ({
  contactId,
  name: 'Priya Shah',
  isConfirmed,
  answerableUntil: isConfirmed ? null : '2027-01-15T12:00:00.000Z',
});

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
    service.answers[answer] = { status: 200, body: said(true) };
    const { history } = open();
    await press('Accept');
    expect(history.at(-1)).toBe(`/trusted-contact-confirmed?contactId=${contactId}&name=Priya+Shah`);
    expect(service.calls.filter(({ key }) => key === answer)).toEqual([{ key: answer, body: { accept: true } }]);
  });

  it('is declined by a press', async () => {
    service.answers[answer] = { status: 200, body: said(false) };
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

  it('that was accepted can be left, after a question, and taken up again', async () => {
    service.answers[read] = { status: 200, body: { ...invitation, state: 'accepted', answerableUntil: null } };
    service.answers[answer] = { status: 200, body: said(false) };
    const { history } = open();
    expect(await heading('You have accepted already')).toBeTruthy();
    await press('Leave the role');
    const question = within(await screen.findByRole('alertdialog', { name: 'Leave the role?' }));
    await userEvent.click(question.getByRole('button', { name: 'Stay a trusted contact' }));
    expect(screen.queryByRole('alertdialog')).toBeNull();
    expect(service.count(answer)).toBe(0);

    await press('Leave the role');
    await userEvent.dblClick(
      within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Leave the role' }),
    );
    expect(document.activeElement).toBe(await heading('You have left the role'));
    expect(screen.getByText(/until 15 January 2027/)).toBeTruthy();

    service.answers[answer] = { status: 200, body: said(true) };
    await press('Accept after all');
    expect(history.at(-1)).toBe(`/trusted-contact-confirmed?contactId=${contactId}&name=Priya+Shah`);
    const answers = service.calls.filter(({ key }) => key === answer);
    expect(answers.map(({ body }) => body)).toEqual([{ accept: false }, { accept: true }]);
  });

  it('that was accepted stays so where leaving did not work, and leaving can be tried again', async () => {
    service.answers[read] = { status: 200, body: { ...invitation, state: 'accepted', answerableUntil: null } };
    service.answers[answer] = 'unreachable';
    open();
    await press('Leave the role');
    const question = within(await screen.findByRole('alertdialog'));
    await userEvent.click(question.getByRole('button', { name: 'Leave the role' }));
    expect((await question.findByRole('alert')).textContent).toContain('We could not reach Everkept');

    service.answers[answer] = { status: 200, body: said(false) };
    await userEvent.click(question.getByRole('button', { name: 'Leave the role' }));
    expect(await heading('You have left the role')).toBeTruthy();
  });

  it('that was declined can be accepted after all while the link works, and says until when', async () => {
    service.answers[read] = { status: 200, body: { ...invitation, state: 'declined' } };
    service.answers[answer] = 'unreachable';
    const { history } = open();
    expect(await heading('You have declined')).toBeTruthy();
    expect(screen.getByText(/until 21 December 2026/)).toBeTruthy();
    expect(service.calls.map(({ key }) => key)).toEqual([read]);
    await userEvent.click(await screen.findByRole('button', { name: 'Accept after all' }));
    expect((await screen.findByRole('alert')).textContent).toContain('We could not reach Everkept');
    expect(await heading('You have declined')).toBeTruthy();

    service.answers[answer] = { status: 200, body: said(true) };
    await press('Accept after all');
    expect(history.at(-1)).toBe(`/trusted-contact-confirmed?contactId=${contactId}&name=Priya+Shah`);
  });

  it('that is dead says how to get another', async () => {
    service.answers[read] = { status: 404, body: { message: 'We could not find that.', type: 'NOT_FOUND' } };
    open();
    expect(await heading('This invitation has ended')).toBeTruthy();
    expect(screen.getByText(/send it again/)).toBeTruthy();
  });
});
