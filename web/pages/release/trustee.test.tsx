import { act, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { TrusteeRelationship, TrusteeSummary } from '#shared/contract/release/trustee.ts';
import { pasteInto } from '#tests/support/paste-into.ts';
import { dateAndTime } from '#web/lib/format.ts';
import { currentToasts } from '#web/lib/toast.ts';
import {
  sam as account,
  daysFromNow,
  holdAnswers,
  idOf,
  ok,
  openPage,
  refused,
  type Service,
  startVault,
} from '#web/pages/vault/vault.test-world.ts';
import { TrusteePage } from './trustee.tsx';

const sam: TrusteeRelationship = {
  id: idOf(31),
  ownerUserId: idOf(41),
  ownerFirstName: 'Sam',
  ownerLastName: 'Ashworth',
  ownerEmail: '',
  trustedContactRelationship: 'Sister',
  isActive: true,
  createdAt: daysFromNow(-200),
};
const olive: TrusteeRelationship = { ...sam, id: idOf(32), ownerUserId: idOf(42), ownerFirstName: 'Olive' };
const summary: TrusteeSummary = {
  messageCount: 5,
  readyCount: 3,
  release: { state: 'none', quorum: 1, missing: 1, waitsUntil: null, canWithdraw: false, canSayAlive: false },
  triggerFrom: null,
  awayUntil: null,
};
const read = 'GET /api/trustee/relationships';
const readOf = ({ ownerUserId }: TrusteeRelationship) => `GET /api/trustee/messages?ownerUserId=${ownerUserId}`;
const trigger = `POST /api/trustee/trigger-release/${sam.ownerUserId}`;
const reauthenticate = 'POST /api/user/reauthenticate';

let service: Service;
beforeEach(() => {
  service = startVault();
  Object.assign(service.answers, {
    [read]: ok([sam, olive]),
    [readOf(sam)]: ok([summary]),
    [readOf(olive)]: ok([{ ...summary, messageCount: 9 }]),
    [trigger]: ok({ ok: true, released: true, message: 'All ready messages have been released to their recipients.' }),
  });
});
afterEach(() => {
  vi.useRealTimers();
  service.stop();
});

async function open() {
  openPage(TrusteePage, { route: '/trustee', at: '/trustee' });
  return screen.findByRole('button', { name: 'Trigger Message Release' });
}

const button = (name: string | RegExp) => screen.getByRole('button', { name }) as HTMLButtonElement;
const expectToast = (expected: Record<string, string>) =>
  waitFor(() => expect(currentToasts()[0]).toMatchObject(expected));

async function typeWord(word = 'send') {
  await userEvent.click(await screen.findByRole('button', { name: 'Trigger Message Release' }));
  await pasteInto(screen.getByLabelText(/Type/), word);
}

describe('The trustee panel', () => {
  it('lists everybody who trusts this person, and shows the first of them', async () => {
    await open();
    expect(button(/Sam Ashworth/).getAttribute('aria-pressed')).toBe('true');
    expect(within(button(/Sam Ashworth/)).getByText('Active')).toBeDefined();
    expect(within(button(/Sam Ashworth/)).getByText('Sister')).toBeDefined();
    const counts = screen.getByText('Total messages').closest('dl') as HTMLElement;
    expect(within(counts).getByText('5')).toBeDefined();
    expect(within(counts).getByText('3')).toBeDefined();
    expect(screen.getAllByText(/cannot be undone/).length).toBeGreaterThan(0);
  });

  it('shows another owner when they are chosen', async () => {
    await open();
    await userEvent.click(button(/Olive Ashworth/));
    expect(await screen.findByText('9')).toBeDefined();
    expect(button(/Olive Ashworth/).getAttribute('aria-pressed')).toBe('true');
  });

  it('tells owners without a name apart by their address', async () => {
    const nameless = { ownerFirstName: '', ownerLastName: '' };
    service.answers[read] = ok([
      { ...sam, ...nameless, ownerEmail: 'sam@ashworth.example' },
      { ...olive, ...nameless, ownerEmail: 'olive@oak.example' },
    ]);
    await open();
    expect(button(/sam@ashworth\.example/).getAttribute('aria-pressed')).toBe('true');
    await userEvent.click(button(/olive@oak\.example/));
    expect(await screen.findByText(/^The owner is told at once/)).toBeDefined();
    await userEvent.click(await screen.findByRole('button', { name: 'Trigger Message Release' }));
    expect(screen.getByRole('dialog', { name: 'Release olive@oak.example’s 3 messages?' })).toBeDefined();
  });

  it('promises no more time to stop it than there may be', async () => {
    await open();
    expect(screen.getByText('Sam is told at once, and can stop it as long as nothing is sent.')).toBeDefined();
  });

  it('says until when the owner is away', async () => {
    service.answers[readOf(sam)] = ok([{ ...summary, awayUntil: '2027-05-03T23:00:00.000Z' }]);
    await open();
    expect(screen.getByText('Sam told us that they are away until 4 May.')).toBeDefined();
    expect(screen.getByText(/try to reach Sam, for at least 14 days, because Sam is away\.$/)).toBeDefined();
  });

  it('informs a person without any owner', async () => {
    service.answers[read] = ok([]);
    openPage(TrusteePage, { route: '/trustee', at: '/trustee' });
    expect(await screen.findByText('No trustee relationships found...')).toBeDefined();
  });

  it('asks nothing about an owner whose trustee this person is no more', async () => {
    service.answers[read] = ok([{ ...sam, isActive: false, trustedContactRelationship: null }]);
    openPage(TrusteePage, { route: '/trustee', at: '/trustee' });
    expect(await screen.findByText(/Your role has ended/)).toBeDefined();
    expect(screen.getAllByText('Inactive').length).toBeGreaterThan(0);
    expect(service.count(readOf(sam))).toBe(0);
    expect(screen.queryByRole('button', { name: 'Trigger Message Release' })).toBeNull();
  });

  it('offers to try again where loading failed', async () => {
    service.answers[readOf(sam)] = refused(404, 'We could not find that.');
    openPage(TrusteePage, { route: '/trustee', at: '/trustee' });
    const again = await screen.findByRole('button', { name: 'Try again' });
    service.answers[readOf(sam)] = ok([summary]);
    await userEvent.click(again);
    expect(await screen.findByText('Ready to send')).toBeDefined();
  });

  it('polls every 10 and 30 seconds, and not on a hidden page', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    await open();
    const before = [service.count(read), service.count(readOf(sam))];
    await act(() => vi.advanceTimersByTimeAsync(31_000));
    const after = [service.count(read), service.count(readOf(sam))];
    expect(after.map((count, index) => count - (before[index] ?? 0))).toEqual([1, 3]);

    Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
    act(() => void document.dispatchEvent(new Event('visibilitychange')));
    await act(() => vi.advanceTimersByTimeAsync(60_000));
    expect([service.count(read), service.count(readOf(sam))]).toEqual(after);
    Reflect.deleteProperty(document, 'visibilityState');
    act(() => void document.dispatchEvent(new Event('visibilitychange')));
  });
});

describe('A trustee without a mailbox proof', () => {
  const me = 'GET /api/auth/user';
  const ask = 'POST /api/user/mailbox-proof';

  it('reads the missing step, can release nothing, and asks for the link', async () => {
    service.answers[me] = ok({ ...account, isMailboxProven: false });
    service.answers[ask] = ok({ message: 'Sent' });
    const release = (await open()) as HTMLButtonElement;
    expect(await screen.findByRole('heading', { name: 'Show that your mailbox is yours' })).toBeDefined();
    expect(release.disabled).toBe(true);
    expect(screen.getByText(/72 hours after you have shown/)).toBeDefined();
    const answer = holdAnswers();
    await userEvent.dblClick(button('Send me the link'));
    answer();
    expect(await screen.findByText(/The link is on its way/)).toBeDefined();
    expect(service.count(ask)).toBe(1);
  });

  it('gets a notice if the link could not be sent', async () => {
    service.answers[me] = ok({ ...account, isMailboxProven: false });
    service.answers[read] = ok([]);
    service.answers[ask] = refused(429, 'That was a lot of tries in a short time.', { type: 'RATE_LIMITED' });
    openPage(TrusteePage, { route: '/trustee', at: '/trustee' });
    await userEvent.click(await screen.findByRole('button', { name: 'Send me the link' }));
    expect((await screen.findByRole('alert')).textContent).toContain('a lot of tries');
  });
});

describe('“Alive, but can’t answer”', () => {
  const say = `POST /api/trustee/alive/${sam.ownerUserId}`;

  it('is offered only while people are asked', async () => {
    await open();
    expect(screen.queryByRole('button', { name: 'Alive, but can’t answer' })).toBeNull();
  });

  it('is sent once, with a reason', async () => {
    const release = { ...summary.release, canSayAlive: true };
    service.answers[readOf(sam)] = ok([{ ...summary, release }]);
    service.answers[say] = ok({ ok: true, message: 'Your answer is kept.' });
    await open();
    expect(button('Alive, but can’t answer').disabled).toBe(true);
    await pasteInto(screen.getByLabelText('Reason *'), 'In hospital.');
    await userEvent.dblClick(button('Alive, but can’t answer'));
    await expectToast({ title: 'Your answer is kept' });
    expect(service.calls.filter(({ key }) => key === say).map(({ body }) => body)).toEqual([
      { reason: 'In hospital.' },
    ]);
  });
});

describe('Continuing to monitor', () => {
  it('changes nothing, and says so', async () => {
    await open();
    const calls = service.calls.length;
    await userEvent.click(button('Continue Monitoring'));
    await expectToast({ title: 'Monitoring Continues' });
    expect(service.calls.slice(calls).filter(({ key }) => !key.startsWith('GET'))).toEqual([]);
  });
});

describe('Triggering a release', () => {
  it('asks for a word first, and says that it was done', async () => {
    await open();
    await typeWord('sen');
    expect(button('Release the messages').disabled).toBe(true);
    expect(screen.getAllByText(/but not at once/).length).toBeGreaterThan(0);
    expect(screen.queryByRole('button', { name: /now/ })).toBeNull();
    await userEvent.type(screen.getByLabelText(/Type/), 'd');
    const answer = holdAnswers();
    await userEvent.dblClick(button('Release the messages'));
    answer();
    await expectToast({
      title: 'Message Release Triggered',
      description: 'All ready messages have been released to their recipients.',
    });
    expect(service.count(trigger)).toBe(1);
    expect(screen.queryByRole('dialog')).toBeNull();
    await waitFor(() => expect(service.count(readOf(sam))).toBeGreaterThan(1));
    await waitFor(() => expect(service.count(read)).toBeGreaterThan(1));
  });

  it('does not say that messages were released while others must confirm', async () => {
    service.answers[readOf(sam)] = ok([{ ...summary, release: { ...summary.release, quorum: 2, missing: 2 } }]);
    const message = 'Nothing is sent yet. The messages are delivered when one more trusted contact confirms.';
    service.answers[trigger] = ok({ ok: true, released: false, message });
    await open();
    expect(screen.getByText(/2 trusted contacts must confirm/)).toBeDefined();
    await typeWord();
    await userEvent.click(button('Confirm the release'));
    await expectToast({ title: 'Message Release Triggered', description: message });
  });

  it('asks for the password where the sign-in is old, says when it is wrong, and goes on', async () => {
    service.answers[trigger] = refused(403, 'Type your password once more.', { type: 'REAUTHENTICATION_REQUIRED' });
    const issue = { path: 'password', message: 'That is not your password. Check it, then try again.' };
    service.answers[reauthenticate] = refused(400, issue.message, { type: 'VALIDATION', issues: [issue] });
    await open();
    await typeWord();
    await userEvent.click(button('Release the messages'));
    await userEvent.type(await screen.findByLabelText('Password'), 'wrong');
    await userEvent.click(button('Go on with the release'));
    expect(await screen.findByText(issue.message)).toBeDefined();

    service.answers[reauthenticate] = ok({ ok: true });
    service.answers[trigger] = ok({ ok: true, released: true, message: '' });
    await userEvent.click(button('Go on with the release'));
    await expectToast({ title: 'Message Release Triggered' });
    expect(service.calls.filter(({ key }) => key === reauthenticate).map(({ body }) => body)).toEqual([
      { password: 'wrong' },
      { password: 'wrong' },
    ]);
  });

  it('says in the words of the service why it was refused', async () => {
    service.answers[trigger] = refused(409, 'A trusted contact stopped the release.', { type: 'CONFLICT' });
    await open();
    await typeWord();
    await userEvent.click(button('Release the messages'));
    await expectToast({ title: 'Release Failed', description: 'Failed to trigger release' });
    expect(screen.getByRole('alert').textContent).toContain('A trusted contact stopped the release.');
  });

  it.each([
    [{ triggerFrom: daysFromNow(2) }, dateAndTime(daysFromNow(2))],
    [{ readyCount: 0 }, 'Sam has no message that is ready to be sent.'],
  ])('is not offered where nothing can come of it: %j', async (given, words) => {
    service.answers[readOf(sam)] = ok([{ ...summary, ...given }]);
    expect(((await open()) as HTMLButtonElement).disabled).toBe(true);
    expect(screen.getByText(new RegExp(words))).toBeDefined();
  });

  it.each([
    [{ state: 'waiting_for_others', quorum: 2, missing: 1, waitsUntil: null }, /One more trusted contact must confirm/],
    [
      { state: 'waiting_time', quorum: 1, missing: 0, waitsUntil: '2026-12-24T09:00:00.000Z' },
      /until 24 December 2026/,
    ],
    [{ state: 'paused', quorum: 1, missing: 1, waitsUntil: null }, /stopped the release/],
    [{ state: 'released', quorum: 1, missing: 0, waitsUntil: null }, /have been released/],
  ])('is not offered again once it was done: %j', async (release, words) => {
    service.answers[readOf(sam)] = ok([{ ...summary, release: { ...release, canWithdraw: false } }]);
    openPage(TrusteePage, { route: '/trustee', at: '/trustee' });
    expect(await screen.findByText(words)).toBeDefined();
    expect(screen.queryByRole('button', { name: 'Trigger Message Release' })).toBeNull();
  });
});

describe('A confirmation', () => {
  const withdraw = `POST /api/trustee/withdraw-confirmation/${sam.ownerUserId}`;
  const waiting = { state: 'waiting_time', quorum: 1, missing: 0, waitsUntil: '2026-12-24T09:00:00.000Z' } as const;
  const openConfirmed = async (canWithdraw: boolean) => {
    service.answers[readOf(sam)] = ok([{ ...summary, release: { ...waiting, canWithdraw } }]);
    openPage(TrusteePage, { route: '/trustee', at: '/trustee' });
    await screen.findByText(/You have confirmed/);
  };

  it('can be withdrawn until the first letter has left, and then confirmed again', async () => {
    service.answers[withdraw] = ok({ ok: true, message: 'Your confirmation is withdrawn. It no longer counts.' });
    await openConfirmed(true);
    service.answers[readOf(sam)] = ok([summary]);
    const answer = holdAnswers();
    await userEvent.dblClick(button('Withdraw my confirmation'));
    answer();
    await expectToast({ title: 'Confirmation withdrawn' });
    expect(service.count(withdraw)).toBe(1);
    expect(await screen.findByRole('button', { name: 'Trigger Message Release' })).toBeDefined();
  });

  it('shows the sentence of the service if it can’t be withdrawn any more', async () => {
    service.answers[withdraw] = refused(409, 'A letter has left already.', { type: 'CONFLICT' });
    await openConfirmed(true);
    await userEvent.click(button('Withdraw my confirmation'));
    expect((await screen.findByRole('alert')).textContent).toContain('A letter has left already.');
  });

  it('offers no withdrawal once a letter has left', async () => {
    await openConfirmed(false);
    expect(screen.queryByRole('button', { name: 'Withdraw my confirmation' })).toBeNull();
  });
});
