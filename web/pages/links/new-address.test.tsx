import { cleanup, screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NewAddressPage as Page } from '#shared/contract/release/new-address.ts';
import { pasteInto } from '#tests/support/paste-into.ts';
import { openPage, type Service, startService } from '#web/pages/pages.test-world.tsx';
import { NewAddressPage } from './new-address.tsx';

const token = 'c'.repeat(43);
const read = `GET /api/new-address/${token}`;
const propose = `POST /api/new-address/${token}/proposals`;
const answer = `POST /api/new-address/${token}/answers`;
const letter: Page['letters'][number] = {
  id: '00000000-0000-4000-8000-000000000001',
  title: 'For Nell',
  recipientEmail: 'nell@old.example',
  recipientName: null,
  state: 'refused',
  proposal: null,
};
const page: Page = {
  user: { firstName: 'Sam', lastName: 'Ashworth' },
  contactName: 'Priya Shah',
  otherContactNames: ['Tom'],
  needsAgreement: true,
  isStopped: false,
  waitDays: 30,
  letters: [letter],
  furtherLetterCount: 0,
  privateLetterCount: 0,
};
const address = 'nell@new.example';
const proposal = {
  address,
  reason: 'She wrote to me from it.',
  byName: 'Tom',
  isYours: false,
  canBeAgreed: true,
  isUnderReview: false,
  sendsAt: null,
};

let service: Service;
beforeEach(() => {
  service = startService();
});
afterEach(() => service.stop());

async function open(shown: Page, heading = 'Do you know another address?') {
  service.answers[read] = { status: 200, body: shown };
  openPage(NewAddressPage, { route: '/new-address/:token', at: `/new-address/${token}` });
  await screen.findByRole('heading', { level: 1, name: heading });
}
const button = (name: string) => screen.getByRole('button', { name }) as HTMLButtonElement;
const bodies = (key: string) => service.calls.filter((call) => call.key === key).map(({ body }) => body);

describe('a letter that an address refused', () => {
  it('is proposed for another address only after a second look that shows both', async () => {
    await open(page);
    const follows = screen.getByText(/sent to another address when a second person agrees/).textContent;
    expect(follows).toContain('We ask Tom as well');
    expect(follows).toContain('If nobody answers, it is sent after 30 days; a no stops it.');
    expect(button('Look at it once more').disabled).toBe(true);
    await pasteInto(screen.getByRole('textbox', { name: /Another address/ }), 'Nell@New.example');
    await pasteInto(screen.getByRole('textbox', { name: /How do you know/ }), 'She wrote to me from it.');
    await userEvent.click(button('Look at it once more'));
    expect(bodies(propose)).toEqual([]);

    const dialog = within(screen.getByRole('dialog', { name: 'Is this the right person?' }));
    expect(dialog.getByText('nell@old.example')).toBeTruthy();
    expect(dialog.getByText(address)).toBeTruthy();
    service.answers[propose] = {
      status: 200,
      body: { ...page, letters: [{ ...letter, proposal: { ...proposal, isYours: true } }] },
    };
    await userEvent.click(dialog.getByRole('button', { name: 'Propose this address' }));
    expect(await screen.findByText(/It is sent there when Tom agrees/)).toBeTruthy();
    expect(bodies(propose)).toEqual([{ letterId: letter.id, address, reason: 'She wrote to me from it.' }]);
    expect(button('Take it back')).toBeTruthy();
  });

  it('is not proposed for a text that is no address', async () => {
    await open(page);
    await pasteInto(screen.getByRole('textbox', { name: /Another address/ }), 'nell at new');
    await pasteInto(screen.getByRole('textbox', { name: /How do you know/ }), 'From her.');
    await userEvent.click(button('Look at it once more'));
    expect(screen.getByText('Please enter a valid email address')).toBeTruthy();
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('is sent once more to an address that is right, with one press', async () => {
    await open(page);
    service.answers[propose] = { status: 200, body: { ...page, letters: [{ ...letter, state: 'on_its_way' }] } };
    await userEvent.click(button('It is right: try it again'));
    await screen.findByText('There is nothing more to do for this one.');
    expect(bodies(propose)).toEqual([
      { letterId: letter.id, address: letter.recipientEmail, reason: 'The address is right.' },
    ]);
  });

  it('says of one’s own address, without another contact to agree, who decides', async () => {
    const own = { ...proposal, address: 'priya@post.example', isYours: true };
    await open({ ...page, otherContactNames: [], needsAgreement: false, letters: [{ ...letter, proposal: own }] });
    expect(screen.getByRole('status').textContent).toContain(
      'It is sent there only when the people who run Everkept agree, since nobody else can.',
    );
  });

  it('keeps the typed text after a refusal, and says why', async () => {
    await open(page);
    await pasteInto(screen.getByRole('textbox', { name: /Another address/ }), 'nell@old.example');
    await pasteInto(screen.getByRole('textbox', { name: /How do you know/ }), 'From her.');
    await userEvent.click(button('Look at it once more'));
    const message = 'We have tried this address before. Please give another one.';
    service.answers[propose] = { status: 409, body: { type: 'CONFLICT', message } };
    await userEvent.click(button('Propose this address'));
    expect((await screen.findByRole('alert')).textContent).toBe(message);
    expect((screen.getByRole('textbox', { name: /How do you know/ }) as HTMLTextAreaElement).value).toBe('From her.');
  });
});

describe('the proposal of another contact', () => {
  const shown: Page = { ...page, letters: [{ ...letter, proposal }] };

  it('is agreed with after a second look, and then on its way', async () => {
    await open(shown);
    expect(screen.getByText('“She wrote to me from it.”')).toBeTruthy();
    await userEvent.click(button('I know this address too'));
    expect(bodies(answer)).toEqual([]);
    const sent = { ...letter, recipientEmail: address, state: 'on_its_way' as const };
    service.answers[answer] = { status: 200, body: { ...page, letters: [sent] } };
    await userEvent.click(button('Agree and send'));
    expect(await screen.findByText('There is nothing more to do for this one.')).toBeTruthy();
    expect(bodies(answer)).toEqual([{ letterId: letter.id, address, agrees: true }]);
  });

  it('says when it is sent if no contact answers', async () => {
    const timed = { ...proposal, sendsAt: '2026-09-12T09:00:00.000Z' };
    await open({ ...page, letters: [{ ...letter, proposal: timed }] });
    expect(screen.getByText(/sent there if you agree, or on 12 September 2026 if nobody answers/)).toBeTruthy();
    expect(button('I know this address too')).toBeTruthy();
  });

  it('is refused with one press', async () => {
    await open(shown);
    service.answers[answer] = { status: 200, body: page };
    await userEvent.click(button('This is not the right address'));
    expect(await screen.findByRole('textbox', { name: /Another address/ })).toBeTruthy();
    expect(bodies(answer)).toEqual([{ letterId: letter.id, address, agrees: false }]);
  });
});

describe('while all of it is stopped', () => {
  const stopped: Page = { ...page, isStopped: true };

  it('offers the no to a proposal, and nothing else', async () => {
    await open({ ...stopped, letters: [{ ...letter, proposal }] });
    expect(screen.getByText(/All of this is stopped for now/).textContent).toContain(
      'You can still tell us that a proposed address is wrong.',
    );
    expect(screen.getByText(/Nothing is sent there while all of this is stopped/)).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'I know this address too' })).toBeNull();
    service.answers[answer] = { status: 200, body: stopped };
    await userEvent.click(button('This is not the right address'));
    expect(await screen.findByRole('heading', { name: 'For Nell' })).toBeTruthy();
    expect(screen.queryByRole('textbox')).toBeNull();
    expect(bodies(answer)).toEqual([{ letterId: letter.id, address, agrees: false }]);
  });

  it('offers to take back one’s own, and no form where nothing was proposed', async () => {
    await open({ ...stopped, letters: [{ ...letter, proposal: { ...proposal, isYours: true } }] });
    expect(button('Take it back')).toBeTruthy();
    expect(screen.queryByRole('textbox')).toBeNull();
  });

  it('does not say that a letter which is held is on its way', async () => {
    await open({ ...stopped, letters: [{ ...letter, recipientEmail: address, state: 'on_its_way' }] });
    expect(screen.getByText('Waits to go to')).toBeTruthy();
    expect(screen.queryByText('On its way to')).toBeNull();
  });
});

describe('further notes', () => {
  it('to the only contact there is: when it is sent, and that it can be taken back', async () => {
    const alone = { ...page, otherContactNames: [], needsAgreement: false, waitDays: 3 };
    const waiting = { ...proposal, isYours: true, canBeAgreed: false, sendsAt: '2026-09-12T09:00:00.000Z' };
    await open({ ...alone, letters: [{ ...letter, proposal: waiting }] });
    expect(screen.getByText(/we wait 3 days before it is sent/)).toBeTruthy();
    expect(screen.getByText(/It is sent there on 12 September 2026/)).toBeTruthy();
    expect(button('Take it back')).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'I know this address too' })).toBeNull();
  });

  it('an address that waits for our check: nothing is sent before it, with and without the other word', async () => {
    const underReview = { ...proposal, isUnderReview: true, sendsAt: null };
    await open({ ...page, letters: [{ ...letter, proposal: underReview }] });
    expect(screen.getByText(/We check this release first.* It is sent there after that, if you agree\./)).toBeTruthy();
    expect(button('I know this address too')).toBeTruthy();
    cleanup();
    await open({ ...page, letters: [{ ...letter, proposal: { ...underReview, canBeAgreed: false } }] });
    expect(screen.getByText(/We check this release first.* Nothing more is needed from you\./)).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'I know this address too' })).toBeNull();
  });

  it('an unopened message: its mailbox, and that the old email still helps', async () => {
    await open({ ...page, letters: [{ ...letter, state: 'unopened' }] });
    expect(screen.getByText(/the mail arrived, and its 30 days are over/)).toBeTruthy();
    expect(screen.getByText('Not opened at')).toBeTruthy();
    expect(screen.getByRole('textbox', { name: /Another address/ })).toBeTruthy();
  });

  it('hidden messages: their number', async () => {
    await open({ ...page, letters: [], privateLetterCount: 2 });
    expect(screen.getByText(/2 messages could not be delivered/)).toBeTruthy();
  });

  it('with nothing left, and with an expired link', async () => {
    await open({ ...page, letters: [] }, 'Nothing left to do');
  });

  it('with an expired link', async () => {
    const message = 'Invalid or expired access token';
    service.answers[read] = { status: 404, body: { type: 'NOT_FOUND', message } };
    openPage(NewAddressPage, { route: '/new-address/:token', at: `/new-address/${token}` });
    expect((await screen.findByRole('alert')).textContent).toBe(message);
    expect(screen.getByText(/nothing is asked of you now/)).toBeTruthy();
  });
});
