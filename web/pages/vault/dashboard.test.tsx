import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pasteInto } from '#tests/support/paste-into.ts';
import { useSession } from '#web/lib/session.ts';
import { currentToasts } from '#web/lib/toast.ts';
import { billingOf } from '#web/pages/account/billing.test-world.ts';
import { DashboardPage } from './dashboard.tsx';
import {
  contactOf,
  daysFromNow,
  holdAnswers,
  idOf,
  limits,
  messageOf,
  ok,
  openPage,
  refused,
  type Service,
  sam,
  startVault,
  stats,
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
const lastToast = () => currentToasts()[0];

describe('The dashboard while it loads', () => {
  it('shows a spinner until both the figures and the limits are there', async () => {
    const answer = holdAnswers();
    openPage(DashboardPage, { route: '/', at: '/' });
    expect(screen.getByText('Loading...')).toBeDefined();
    expect(screen.getByRole('heading', { name: 'Dashboard' })).toBeDefined();
    expect(screen.getByText('Manage your digital legacy securely')).toBeDefined();
    answer();
    await screen.findByRole('heading', { name: 'Quick actions' });
    expect(screen.queryByText('Loading...')).toBeNull();
    await screen.findByRole('heading', { name: 'We heard from you 4 days ago.' });
  });

  it('says what happened where that fails, and tries again', async () => {
    service.answers['GET /api/plan-limits'] = refused(500, 'Something went wrong on our side.');
    openPage(DashboardPage, { route: '/', at: '/' });
    await screen.findByText('We could not load your dashboard');
    service.answers['GET /api/plan-limits'] = ok(limits);
    await userEvent.click(button('Try again'));
    await screen.findByRole('heading', { name: 'Quick actions' });
  });

  it('reads the session again after an answer for visitors', async () => {
    service.answers['GET /api/dashboard/stats'] = refused(401, 'Sign in.');
    openPage(DashboardInApp, { route: '/', at: '/' });
    await waitFor(() => expect(service.count('GET /api/auth/user')).toBe(2));
    expect(screen.getByText('Loading...')).toBeDefined();
  });
});

describe('The four cards', () => {
  it('show the usage and the limits of the plan', async () => {
    await open();
    const vault = within(screen.getByRole('region', { name: 'Your vault' }));
    const messages = vault.getByRole('link', { name: /Messages/ });
    expect(messages.getAttribute('href')).toBe('/messages');
    expect(messages.textContent).toContain('3 active3 of 10 used');
    expect(vault.getByText('12.3 of 500 MB used')).toBeDefined();
    expect(vault.getByText('2 of 2 have said yes')).toBeDefined();
    expect(vault.getByText('days ago').parentElement?.textContent).toBe('4 days ago');
    expect(vault.getAllByRole('img').map((bar) => bar.getAttribute('aria-label'))).toEqual([
      '3 of 10 used: messages',
      '12.3 of 500 MB used',
    ]);
  });

  it('say Unlimited, without a bar, where there is no limit', async () => {
    service.answers['GET /api/plan-limits'] = ok({
      ...limits,
      messages: { current: 40, limit: -1, canCreate: true },
    });
    await open();
    expect(screen.getByText(/Unlimited/)).toBeDefined();
    expect(screen.queryByRole('img', { name: /messages/ })).toBeNull();
  });

  it('say nothing of confirmed contacts before they are loaded', async () => {
    service.answers['GET /api/release'] = refused(400, 'No.');
    openPage(DashboardPage, { route: '/', at: '/' });
    expect(await screen.findByText('We could not load your line of time')).toBeDefined();
    const vault = await screen.findByRole('region', { name: 'Your vault' });
    expect(within(vault).queryByText(/said yes/)).toBeNull();
  });

  it('say “day ago” for one day', async () => {
    service.answers['GET /api/dashboard/stats'] = ok({ ...stats, lastCheckinDays: 1 });
    await open();
    expect(screen.getByText('day ago').parentElement?.textContent).toBe('1 day ago');
  });
});

describe('The letters on their shelf', () => {
  const letters = () => within(screen.getByRole('region', { name: 'Your letters' }));

  it('stand with the name on the envelope, their title and where they are', async () => {
    const nell = {
      name: 'Nell Ashworth',
      relation: null,
      email: 'nell@ashworth.example',
      status: null,
      openedAt: null,
    };
    service.answers['GET /api/messages'] = ok([
      messageOf({ id: idOf(11), title: 'The boat', status: 'draft', updatedAt: daysFromNow(-1) }),
      messageOf({ recipients: [nell] }),
      messageOf({ id: idOf(12), title: 'The cake', status: 'delivered', deliveredAt: '2026-08-09T12:00:00Z' }),
    ]);
    await open();
    const items = await letters().findAllByRole('listitem');
    expect(items.map((item) => item.textContent)).toEqual([
      'SNellFor NellSealed',
      'Dear nell,The boatDraft, from yesterday',
      'nellThe cakeDelivered 9 August 2026',
      'Write another letter',
    ]);
    expect(
      letters()
        .getByRole('link', { name: /The cake/ })
        .getAttribute('href'),
    ).toBe('/messages');
    expect(letters().getByRole('link', { name: 'See all 3' }).getAttribute('href')).toBe('/messages');
    await userEvent.click(letters().getByRole('button', { name: /The boat/ }));
    expect((await screen.findByLabelText<HTMLInputElement>('Message Title *')).value).toBe('The boat');
  });

  it('begin with an empty envelope, and offer none where the plan takes no more', async () => {
    service.answers['GET /api/messages'] = ok([]);
    await open();
    expect(await letters().findByRole('button', { name: 'Write your first letter' })).toBeDefined();
  });

  it('say so where they could not be loaded, and are asked for again', async () => {
    service.answers['GET /api/messages'] = refused(400, 'No.');
    await open();
    await screen.findByText('We could not load your letters');
    service.answers['GET /api/messages'] = ok([messageOf()]);
    await userEvent.click(button('Try again'));
    expect(await letters().findByText('For Nell')).toBeDefined();
  });
});

describe('The people who would know', () => {
  it('stand with one sentence each, those first who have said yes', async () => {
    service.answers['GET /api/trusted-contacts'] = ok([
      contactOf({ id: idOf(21), name: 'Leo Stone', isActive: false, isConfirmed: false, hasDeclined: true }),
      contactOf({ id: idOf(22), name: 'Ben', isConfirmed: false, confirmationSentAt: '2026-11-12T12:00:00Z' }),
      contactOf({ confirmedAt: '2026-03-02T12:00:00Z' }),
    ]);
    await open();
    const people = within(screen.getByRole('region', { name: 'People who would know' }));
    expect((await people.findAllByRole('listitem')).map((item) => item.textContent)).toEqual([
      'PSPriya Shah FriendSaid yes on 2 March.',
      'BBen FriendAsked on 12 November. No answer yet.',
      'LSLeo Stone FriendHas said no. People have many reasons.',
    ]);
    expect(people.getByText('1 of 3 has said yes')).toBeDefined();
  });

  it('are asked for if there are none yet', async () => {
    service.answers['GET /api/trusted-contacts'] = ok([]);
    await open();
    expect(await screen.findByText('Nobody yet')).toBeDefined();
  });
});

describe('The plan', () => {
  it.each([
    ['free', 'Free Plan', true],
    ['essential', 'Essential Plan', true],
    ['premium', 'Premium Plan', false],
    ['lifetime', 'Lifetime Plan', false],
  ])('%s is named, with an upgrade where there is one', async (currentPlan, name, hasUpgrade) => {
    service.answers['GET /api/dashboard/stats'] = ok({ ...stats, currentPlan });
    await open();
    const badge = screen.getByText(name);
    expect(badge.querySelector('svg') !== null).toBe(currentPlan === 'lifetime');
    const upgrade = screen.queryByRole('link', { name: 'Upgrade' });
    expect(upgrade?.getAttribute('href')).toBe(hasUpgrade ? '/account' : undefined);
  });

  it('says that a payment failed, by when to act, and where', async () => {
    service.answers['GET /api/billing'] = ok(
      billingOf({ status: 'past_due', graceUntil: '2026-11-28T09:00:00.000Z', nextPaymentAt: null }),
    );
    await open();
    expect(await screen.findByText(/did not go through\. Your plan goes on until 28 November 2026\. /)).toBeDefined();
    expect(screen.getByRole('link', { name: 'Look at how you pay' }).getAttribute('href')).toBe('/account');
  });

  it('asks nothing about payments of an owner who pays nothing', async () => {
    service.answers['GET /api/dashboard/stats'] = ok({ ...stats, currentPlan: 'free' });
    await open();
    expect(service.count('GET /api/billing')).toBe(0);
  });

  it('warns from 80 percent of either limit', async () => {
    service.answers['GET /api/plan-limits'] = ok({
      messages: { current: 8, limit: 10, canCreate: true },
      storage: { current: 399, currentBytes: 399_000_000, limit: 500, canUpload: true },
    });
    await open();
    expect(screen.getByText("You're approaching your plan limits. 8 of 10 messages are used.")).toBeDefined();
  });

  it('does not warn below that', async () => {
    service.answers['GET /api/plan-limits'] = ok({
      messages: { current: 7, limit: 10, canCreate: true },
      storage: { current: 399.9, currentBytes: 399_900_000, limit: 500, canUpload: true },
    });
    await open();
    expect(screen.queryByText(/plan limits/)).toBeNull();
  });

  it.each([
    ['messages', { messages: { current: 10, limit: 10, canCreate: false }, storage: limits.storage }],
    [
      'storage',
      { messages: limits.messages, storage: { current: 500, currentBytes: 500_000_000, limit: 500, canUpload: false } },
    ],
  ])('says in red that it is reached, for %s, and stops what it no longer allows', async (which, reached) => {
    service.answers['GET /api/plan-limits'] = ok(reached);
    await open();
    const words = "You've reached your plan limits. Upgrade now to continue adding content.";
    expect(screen.getByText(words).closest('.banner-bad')).not.toBeNull();
    expect(screen.queryByText(/approaching/)).toBeNull();
    expect(button(/New Message/).hasAttribute('disabled')).toBe(which === 'messages');
    expect(screen.queryByRole('link', { name: /Upload Document/ }) === null).toBe(which === 'storage');
  });
});

describe('The banner of an address that is not verified', () => {
  beforeEach(() => {
    service.answers['GET /api/auth/user'] = ok({ ...sam, emailVerified: false });
  });

  it('is not there for an address that is', async () => {
    service.answers['GET /api/auth/user'] = ok(sam);
    await open();
    expect(screen.queryByText('Email verification required')).toBeNull();
  });

  it('sends the link again', async () => {
    service.answers['POST /api/resend-verification'] = ok({ message: 'Sent' });
    await open();
    expect(await screen.findByText('Email verification required')).toBeDefined();
    const answer = holdAnswers();
    await userEvent.click(button('Resend Email'));
    expect(await screen.findByRole('button', { name: 'Sending...' })).toBeDefined();
    answer();
    await waitFor(() =>
      expect(lastToast()).toMatchObject({
        title: 'Verification email sent',
        description: 'Please check your email and click the verification link.',
      }),
    );
  });

  it('says so where that fails', async () => {
    service.answers['POST /api/resend-verification'] = refused(429, 'Too many.');
    await open();
    await userEvent.click(await screen.findByRole('button', { name: 'Resend Email' }));
    await waitFor(() =>
      expect(lastToast()).toMatchObject({
        title: 'Error sending email',
        description: 'Please try again later.',
        variant: 'destructive',
      }),
    );
  });
});

describe('The quick actions', () => {
  it('lead to the other pages', async () => {
    await open();
    expect(screen.getByRole('link', { name: /Upload Document/ }).getAttribute('href')).toBe('/documents');
    expect(screen.getByRole('link', { name: /Add Contact/ }).getAttribute('href')).toBe('/contacts');
    expect(screen.getByRole('link', { name: 'Run Setup Wizard' }).getAttribute('href')).toBe('/easy-setup');
  });

  it('open the message form, which saves and closes', async () => {
    service.answers['POST /api/messages'] = { status: 201, body: messageOf() };
    await open();
    await userEvent.click(button(/New Message/));
    await pasteInto(await screen.findByLabelText('Message Title *'), 'For Nell');
    await pasteInto(screen.getByLabelText('Message Content *'), 'The blue tin.');
    await pasteInto(screen.getByLabelText('Recipient Email *'), 'nell@ashworth.example');
    await userEvent.click(button('Save as Draft'));
    await waitFor(() => expect(screen.queryByLabelText('Message Title *')).toBeNull());
    expect(lastToast()).toMatchObject({ title: 'Message Saved' });
  });
});

/** The page as it stands in the product, where the session is always asked for. */
function DashboardInApp() {
  useSession();
  return <DashboardPage />;
}
