import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Rehearsal } from '#shared/contract/release/rehearsal.ts';
import { longDate } from '#web/lib/format.ts';
import { currentToasts } from '#web/lib/toast.ts';
import {
  daysFromNow,
  idOf,
  ok,
  openPage,
  overview,
  refused,
  type Service,
  startVault,
} from '#web/pages/vault/vault.test-world.ts';
import { RehearsalPage } from './rehearsal.tsx';

const rehearsal: Rehearsal = {
  ready: true,
  problems: [{ type: 'address_bounced', message: 'Your mailbox refused our reminders.' }],
  standing: overview.standing,
  timeline: overview.timeline,
  isTexted: false,
  quorum: 1,
  contacts: [{ id: idOf(20), name: 'Priya Shah', email: 'priya@post.example', seesFirstWeeks: true }],
  letters: [
    {
      id: idOf(10),
      title: 'For Nell',
      recipientEmail: 'nell@ashworth.example',
      recipients: [{ name: null, relation: null, email: 'nell@ashworth.example' }],
      deliverOn: null,
      visibleToTrustedContact: false,
    },
  ],
  lettersLeftOut: 0,
  copies: 1,
  otherMessages: 1,
  mails: [
    {
      step: 'first_reminder',
      at: daysFromNow(41),
      to: { kind: 'you', name: 'Sam Ashworth', email: 'sam@ashworth.example' },
      subject: 'Sam, we have not heard from you for 45 days',
      text: 'Hello Sam,',
    },
    {
      step: 'letter',
      at: null,
      to: { kind: 'recipient', name: null, email: 'nell@ashworth.example' },
      subject: 'Sam Ashworth wrote a message for you',
      text: 'Hello,',
    },
  ],
  mailsLeftOut: 0,
};

let service: Service;
beforeEach(() => {
  service = startVault();
  service.answers['GET /api/release/rehearsal'] = ok(rehearsal);
});
afterEach(() => service.stop());

async function open() {
  openPage(RehearsalPage, { route: '/rehearsal', at: '/rehearsal' });
  await screen.findByRole('heading', { name: 'The first reminder to you' });
}

describe('The rehearsal', () => {
  it('lists letters with recipients and days, and the obstacles', async () => {
    await open();
    expect(screen.getByText(longDate(daysFromNow(41)), { selector: '.rehearsal time' })).toBeDefined();
    expect(screen.getByText(/On no fixed day/)).toBeDefined();
    expect(screen.getByText('Your mailbox refused our reminders.')).toBeDefined();
    const letters = within(screen.getByRole('table'));
    expect(letters.getByText('nell@ashworth.example')).toBeDefined();
    expect(letters.getByText('Contacts see only that there is one')).toBeDefined();
    expect(screen.getByText(/1 other message would not be sent/)).toBeDefined();
  });

  it('counts one letter for each of the people a message is for, and those that it does not list', async () => {
    service.answers['GET /api/release/rehearsal'] = ok({ ...rehearsal, copies: 5, lettersLeftOut: 3 });
    await open();
    expect(screen.getByRole('heading', { name: '5 letters would be delivered' })).toBeDefined();
    expect(screen.getByText('And 3 more letters.')).toBeDefined();
  });

  it('sends all of it once, and says to whom', async () => {
    service.answers['POST /api/release/rehearsal/send'] = ok({ sent: 2, leftOut: 0, email: 'sam@ashworth.example' });
    await open();
    await userEvent.click(screen.getByRole('button', { name: 'Send me all of it' }));
    await waitFor(() =>
      expect(currentToasts()[0]?.description).toContain('2 emails on the way to sam@ashworth.example'),
    );
    expect(service.count('POST /api/release/rehearsal/send')).toBe(1);
  });

  it('says so where it could not be sent', async () => {
    service.answers['POST /api/release/rehearsal/send'] = refused(429, 'That was a lot of tries.', {
      type: 'RATE_LIMITED',
    });
    await open();
    await userEvent.click(screen.getByRole('button', { name: 'Send me all of it' }));
    await waitFor(() => expect(currentToasts()[0]).toMatchObject({ title: 'Not sent', variant: 'destructive' }));
  });
});
