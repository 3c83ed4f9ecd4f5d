import { screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Portal } from '#shared/contract/release/portal.ts';
import { pasteInto } from '#tests/support/paste-into.ts';
import { openPage, type Service, startService } from '#web/pages/pages.test-world.tsx';
import { PortalPage } from './portal.tsx';

const token = 'b'.repeat(43);
const read = `GET /api/trusted-contact-admin/${token}`;
const takeBack = `POST /api/trusted-contact-admin/${token}/take-back`;
const notAsked = `POST /api/trusted-contact-admin/${token}/not-asked`;
const giveAddress = `POST /api/trusted-contact-admin/${token}/owner-address`;
const decide = `POST /api/trusted-contact-admin/${token}/confirm-release`;
const portal: Portal = {
  user: { firstName: 'Sam', lastName: 'Ashworth', email: 'sam@ashworth.example' },
  contact: { name: 'Priya Shah', email: 'priya@post.example' },
  token,
  inactivityDays: 180,
  messages: [
    {
      id: '00000000-0000-4000-8000-000000000001',
      title: 'For Nell',
      recipientEmail: 'nell@ashworth.example',
      recipients: [
        { name: 'Nell Vane', relation: 'my daughter', email: 'nell@ashworth.example' },
        { name: 'Mum & Dad', relation: null, email: 'home@ashworth.example' },
        { name: null, relation: null, email: 'tom@ashworth.example' },
      ],
      createdAt: '2026-03-02T10:00:00.000Z',
      isVisible: true,
    },
  ],
  messagesLeftOut: 0,
  privateMessageCount: 2,
  documentCount: 0,
  documentsFrom: 0,
  documents: [],
  documentsUntil: null,
  hasFirstWeeks: false,
  state: 'open',
  stoppedBy: null,
  lastActivityAt: '2026-03-13T09:00:00.000Z',
  silentDays: 180,
  awayUntil: null,
  history: [
    { what: 'last_activity', at: '2026-03-13T09:00:00.000Z', isPast: true },
    { what: 'contacts_asked', at: '2026-09-09T09:00:00.000Z', isPast: true },
  ],
  otherContactNames: ['Tom'],
  askedNames: ['Tom'],
  quorum: 1,
  confirmations: 0,
  releaseMethod: 'trusted_contact',
  goAloneAt: null,
  isEarly: false,
  waitingDays: 0,
  held: null,
  ifCancelled: {
    toldNames: ['Tom'],
    askAgainDays: 30,
    canOthersConfirm: false,
    isOwnerTold: true,
    isRequestOver: false,
  },
  aliveSaidAt: null,
  canTakeBack: false,
  canSayNotAsked: false,
  otherAddress: null,
  declining: [],
  outcome: null,
};

let service: Service;
beforeEach(() => {
  service = startService();
  service.answers[read] = { status: 200, body: portal };
});
afterEach(() => service.stop());

const open = (query = '') =>
  openPage(PortalPage, { route: '/trusted-contact-admin/:token?', at: `/trusted-contact-admin/${token}${query}` });
const button = (name: string) => screen.getByRole('button', { name }) as HTMLButtonElement;
const reasonBox = () => screen.getByRole('textbox', { name: 'Reason *' }) as HTMLTextAreaElement;
const heading = (name: string) => screen.findByRole('heading', { level: 1, name });

async function openForm() {
  open();
  await heading('Have you heard from Sam?');
}

describe('the question', () => {
  it('shows the account holder, the contact, visible messages, and how many more there are', async () => {
    await openForm();
    const facts = screen.getByText('Account holder').closest('dl')?.textContent;
    expect(facts).toContain('Sam Ashworth, sam@ashworth.example');
    expect(facts).toContain('180 days of inactivity');
    expect(facts).toContain('Priya Shah, priya@post.example');
    expect(within(screen.getByRole('table', { name: 'Messages pending release' })).getByText('For Nell')).toBeTruthy();
    expect(screen.getByText('2 additional private messages will also be delivered.')).toBeTruthy();
  });

  it('says how many messages it does not list', async () => {
    const [message] = portal.messages;
    const messages = Array.from({ length: 200 }, (_, index) => ({ ...message, id: `${index}` }));
    service.answers[read] = { status: 200, body: { ...portal, messages, messagesLeftOut: 1_800 } };
    await openForm();
    expect(screen.getByText('These are the first 200 of 2,000 messages that you may see.')).toBeTruthy();
  });

  it('says below where to turn, in Scotland as well', async () => {
    await openForm();
    const lines = [...document.querySelectorAll('a[href^="tel:"]')].map((line) => line.getAttribute('href'));
    expect(lines).toEqual(['tel:08088081677', 'tel:08088026161']);
    expect(screen.getByText(/In Scotland, it is Cruse Scotland/)).toBeTruthy();
  });

  it('keeps both buttons closed while the reason is empty after trimming', async () => {
    await openForm();
    const closed = () => [button('Cancel Release').disabled, button('Confirm Message Release').disabled];
    expect(closed()).toEqual([true, true]);
    await userEvent.type(reasonBox(), '   ');
    expect(closed()).toEqual([true, true]);
    await userEvent.type(reasonBox(), 'x');
    expect(closed()).toEqual([false, false]);
  });

  it('warns before it is left with a reason typed, and keeps nothing in the browser', async () => {
    await openForm();
    const leave = () => {
      const event = new Event('beforeunload', { cancelable: true });
      dispatchEvent(event);
      return event.defaultPrevented;
    };
    expect(leave()).toBe(false);
    await pasteInto(reasonBox(), 'Sam died.');
    expect(leave()).toBe(true);
    expect([localStorage.length, sessionStorage.length]).toEqual([0, 0]);
  });
});

describe('cancelling', () => {
  it('sends the trimmed reason once and shows the result', async () => {
    service.answers[decide] = {
      status: 200,
      body: { ok: true, state: 'cancelled', message: 'Nothing is sent. We have told Sam to sign in.' },
    };
    await openForm();
    await pasteInto(reasonBox(), '  Sam is on a boat. ');
    await userEvent.dblClick(button('Cancel Release'));
    expect(await heading('Release Cancelled')).toBeTruthy();
    expect(screen.getByText(/told Sam to sign in/)).toBeTruthy();
    expect(service.calls.filter(({ key }) => key === decide)).toEqual([
      { key: decide, body: { confirmed: false, reason: 'Sam is on a boat.' } },
    ]);
  });
});

const readers = ['Nell Vane, nell@ashworth.example', 'Mum & Dad, home@ashworth.example', 'tom@ashworth.example'];
const readersIn = (place: HTMLElement) =>
  within(within(place).getByRole('row', { name: /^For Nell/ }))
    .getAllByRole('listitem')
    .map(({ textContent }) => textContent);

describe('confirming', () => {
  it('shows every reader of a message, the name before the address', async () => {
    await openForm();
    expect(readersIn(screen.getByRole('table', { name: 'Messages pending release' }))).toEqual(readers);
  });

  const confirmed = { ok: true, state: 'confirmed', message: 'The messages will be delivered within minutes.' };

  it('asks once more: it lists who gets what, starts on the safe button, and wants the word', async () => {
    service.answers[decide] = { status: 200, body: confirmed };
    await openForm();
    await pasteInto(reasonBox(), 'Sam died on 1 September.');
    await userEvent.click(button('Confirm Message Release'));

    const dialog = screen.getByRole('dialog', { name: 'Send Sam’s 3 messages now?' });
    expect(readersIn(dialog)).toEqual(readers);
    expect(within(dialog).getByText('2 private messages')).toBeTruthy();
    expect(document.activeElement).toBe(button('Keep waiting'));
    const send = button('Send the messages now');
    expect(send.disabled).toBe(true);
    const word = within(dialog).getByRole('textbox');
    await userEvent.type(word, 'sen{Enter}');
    expect([send.disabled, service.count(decide)]).toEqual([true, 0]);
    await userEvent.type(word, 'd ');
    await userEvent.dblClick(send);

    expect(await heading('Release Confirmed')).toBeTruthy();
    expect(screen.getByText(/^Thank you, .+ We are sorry for what has happened to Sam\.$/)).toBeTruthy();
    expect(screen.getByText('The messages will be delivered within minutes.')).toBeTruthy();
    const guide = screen.getByRole('link', { name: 'The first week after a death' });
    expect(guide.getAttribute('href')).toBe('/first-week');
    expect(screen.getAllByText(/Cruse Bereavement Support/)).toHaveLength(1);
    expect(service.count(decide)).toBe(1);
  });

  it('can be left by the safe button, and nothing is sent', async () => {
    await openForm();
    await pasteInto(reasonBox(), 'Sam died.');
    await userEvent.click(button('Confirm Message Release'));
    await userEvent.click(button('Keep waiting'));
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(reasonBox().value).toBe('Sam died.');
    expect(service.count(decide)).toBe(0);
  });

  it('promises no minutes where others must confirm too', async () => {
    service.answers[read] = { status: 200, body: { ...portal, quorum: 2 } };
    await openForm();
    expect(screen.getByText('3 messages are sent when 2 people have confirmed. Nobody has so far.')).toBeTruthy();
  });
});

describe('a release that does not go at once', () => {
  it.each([
    ['we try to reach the owner first', { isEarly: true, waitingDays: 3 }, /try to reach Sam for 3 days first/],
    ['it is stopped', { held: { by: 'stopped', until: null } }, /waits on our side/],
    [
      'we check an early release to many people',
      { isEarly: true, held: { by: 'early_review', until: null } },
      /many people whom we have not written to before, so the people who run Everkept must allow this release first\. Your answer is kept\./,
    ],
    ['others must confirm', { quorum: 2 }, /when 2 people have confirmed/],
    [
      'the role is young',
      { isEarly: true, held: { by: 'new_contact', until: '2026-09-12T09:00:00.000Z' } },
      /counts from 12 September 2026/,
    ],
  ] as const)('since %s promises no minutes, on the page and before the word is typed', async (_why, more, words) => {
    service.answers[read] = { status: 200, body: { ...portal, ...more } };
    await openForm();
    expect(screen.getByText(words)).toBeTruthy();
    await pasteInto(reasonBox(), 'Sam died.');
    await userEvent.click(button('Confirm Message Release'));
    expect(screen.getByRole('dialog', { name: 'Confirm the release of Sam’s 3 messages?' })).toBeTruthy();
    expect(button('Confirm the release')).toBeTruthy();
    expect(document.body.textContent).not.toMatch(/within minutes|now\?/);
  });

  it('reveals nothing to a person who was not asked, and says who is shown the reason', async () => {
    const ifCancelled = {
      toldNames: [],
      askAgainDays: null,
      canOthersConfirm: false,
      isOwnerTold: true,
      isRequestOver: true,
    };
    service.answers[read] = { status: 200, body: { ...portal, isEarly: true, askedNames: [], ifCancelled } };
    await openForm();
    expect(screen.getAllByText('We ask Sam to sign in.')).toHaveLength(2);
    expect(screen.getByText(/No other contact is shown it/)).toBeTruthy();
    expect(document.body.textContent).not.toContain('Tom');
    expect(screen.getByText('Usually asked after')).toBeTruthy();
  });
});

describe('failures', () => {
  it('show Access Error where the link is dead', async () => {
    service.answers[read] = { status: 404, body: { message: 'Invalid or expired access token', type: 'NOT_FOUND' } };
    open();
    expect(await heading('Access Error')).toBeTruthy();
    expect(screen.getByRole('alert').textContent).toBe('Invalid or expired access token');
    expect(screen.getByText(/nothing is asked of you now/)).toBeTruthy();
    expect(service.count(read)).toBe(1);
  });

  it('failures of the answer show Access Error, and keep the reason for another try', async () => {
    service.answers[decide] = 'unreachable';
    await openForm();
    await pasteInto(reasonBox(), 'Sam is well.');
    await userEvent.click(button('Cancel Release'));
    expect(await heading('Access Error')).toBeTruthy();
    expect(screen.getByRole('alert').textContent).toBe('Failed to process confirmation');

    service.answers[decide] = { status: 200, body: { ok: true, state: 'cancelled', message: 'Nothing is sent.' } };
    await userEvent.click(button('Back to your answer'));
    expect(reasonBox().value).toBe('Sam is well.');
    await userEvent.click(button('Cancel Release'));
    expect(await heading('Release Cancelled')).toBeTruthy();
  });

  it('conflicts with an answer from another window lead to that answer', async () => {
    service.answers[decide] = { status: 409, body: { message: 'You have answered already.', type: 'CONFLICT' } };
    await openForm();
    await pasteInto(reasonBox(), 'Sam is well.');
    service.answers[read] = { status: 200, body: { ...portal, state: 'cancelled' } };
    await userEvent.click(button('Cancel Release'));
    expect(await screen.findByText('You have answered already.')).toBeTruthy();
    await userEvent.click(button('Back to your answer'));
    expect(await heading('Release Cancelled')).toBeTruthy();
  });
});

describe('“alive, but can’t answer”', () => {
  const say = `POST /api/trusted-contact-admin/${token}/alive`;
  const message = 'You told us that Sam is alive and can’t answer. Nothing is sent.';

  it('is sent once, with its reason, and thanked for in its own words', async () => {
    service.answers[say] = { status: 200, body: { ok: true, message } };
    await openForm();
    expect(screen.getByText('If Sam stays silent, we ask you for news in 30 days.')).toBeTruthy();
    await pasteInto(reasonBox(), 'In a coma since Friday.');
    service.answers[read] = { status: 200, body: { ...portal, state: 'alive', ifCancelled: null, outcome: message } };
    await userEvent.dblClick(button('Alive, but can’t answer'));
    expect(await heading('Your answer is kept')).toBeTruthy();
    expect(screen.getByText(message)).toBeTruthy();
    expect(service.calls.filter(({ key }) => key === say).map(({ body }) => body)).toEqual([
      { reason: 'In a coma since Friday.' },
    ]);
  });

  it('is asked about again with the day on which it was said', async () => {
    service.answers[read] = { status: 200, body: { ...portal, aliveSaidAt: '2026-10-31T09:00:00.000Z' } };
    open();
    expect(await heading('Is there news of Sam?')).toBeTruthy();
    expect(screen.getByText(/You told us on 31 October 2026/)).toBeTruthy();
  });
});

describe('a confirmation that was a mistake', () => {
  const confirmed = { ...portal, state: 'confirmed' as const, ifCancelled: null, outcome: 'Your answer is kept.' };
  const message = 'You took your confirmation back, and it does not count any more.';
  const button = () => screen.findByRole('button', { name: 'Take my confirmation back' });

  it('is taken back with one press on the page that thanks for it', async () => {
    service.answers[decide] = { status: 200, body: { ok: true, state: 'confirmed', message: 'Your answer is kept.' } };
    service.answers[takeBack] = { status: 200, body: { ok: true, message } };
    await openForm();
    await pasteInto(reasonBox(), 'Sam died.');
    await userEvent.click(screen.getByRole('button', { name: 'Confirm Message Release' }));
    service.answers[read] = { status: 200, body: { ...confirmed, canTakeBack: true } };
    await userEvent.type(within(screen.getByRole('dialog')).getByRole('textbox'), 'send');
    await userEvent.click(screen.getByRole('button', { name: 'Send the messages now' }));
    await userEvent.dblClick(await button());
    expect(await heading('Your confirmation is taken back')).toBeTruthy();
    expect(screen.getByText(message)).toBeTruthy();
    expect(service.count(takeBack)).toBe(1);
    expect(screen.getByRole('link', { name: 'Open the emergency form' }).getAttribute('href')).toBe(
      '/emergency-activation',
    );
  });

  it('is not taken back by opening the page', async () => {
    service.answers[read] = { status: 200, body: { ...confirmed, canTakeBack: true } };
    open();
    await button();
    expect(service.count(takeBack)).toBe(0);
  });

  it('is not offered any more once a letter has left', async () => {
    service.answers[read] = { status: 200, body: confirmed };
    open();
    expect(await heading('Release Confirmed')).toBeTruthy();
    expect(screen.queryByRole('button')).toBeNull();
  });

  it('says why where it comes too late', async () => {
    service.answers[read] = { status: 200, body: { ...confirmed, canTakeBack: true } };
    service.answers[takeBack] = {
      status: 409,
      body: { message: 'The messages are on their way already.', type: 'CONFLICT' },
    };
    open();
    await userEvent.click(await button());
    expect(await heading('Access Error')).toBeTruthy();
    expect(screen.getByText('The messages are on their way already.')).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: 'Back to your answer' }));
    expect(await heading('Release Confirmed')).toBeTruthy();
  });
});

describe('a request in a contact’s name', () => {
  const asked = { ...portal, isEarly: true, canSayNotAsked: true };
  const message = 'You told us that you did not ask. The request is over, and nothing is sent. We have told Sam.';

  it('is ended without a reason by a contact who did not ask', async () => {
    service.answers[read] = { status: 200, body: asked };
    service.answers[notAsked] = { status: 200, body: { ok: true, message } };
    await openForm();
    expect(service.count(notAsked)).toBe(0);
    await userEvent.dblClick(button('I did not ask'));
    expect(await heading('The request is over')).toBeTruthy();
    expect(screen.getByText(message)).toBeTruthy();
    expect(service.calls.filter(({ key }) => key === notAsked)).toHaveLength(1);
  });

  it('is not offered if there was no request in their name', async () => {
    await openForm();
    expect(screen.queryByRole('button', { name: 'I did not ask' })).toBeNull();
  });

  it('says until when the owner is away', async () => {
    service.answers[read] = { status: 200, body: { ...asked, awayUntil: '2027-05-03T23:00:00.000Z' } };
    await openForm();
    expect(screen.getByText('Sam told us that they are away until 4 May.')).toBeTruthy();
  });
});

describe('a later visit', () => {
  it.each([
    ['confirmed', 'Release Confirmed'],
    ['cancelled', 'Release Cancelled'],
    ['released', 'The messages are on their way'],
    ['stopped', 'The release was cancelled'],
  ] as const)('to a link that is %s shows %s and asks nothing', async (state, title) => {
    const outcome = 'This is what became of it.';
    const stoppedBy = state === 'stopped' ? 'no' : null;
    service.answers[read] = { status: 200, body: { ...portal, state, stoppedBy, ifCancelled: null, outcome } };
    open();
    expect(await heading(title)).toBeTruthy();
    expect(screen.queryByRole('textbox')).toBeNull();
    expect(screen.getByText(outcome)).toBeTruthy();
    const isReleased = state === 'confirmed' || state === 'released';
    expect(screen.queryAllByRole('link', { name: 'The first week after a death' })).toHaveLength(isReleased ? 1 : 0);
  });
});

describe('the documents that the owner made visible', () => {
  const deed = {
    id: '00000000-0000-4000-8000-000000000009',
    name: 'Deed of the house',
    sizeBytes: 2_400_000,
    mimeType: 'application/pdf',
  };
  const until = new Date(Date.now() + 20 * 86_400_000).toISOString();
  const passed = new Date(Date.now() - 86_400_000).toISOString();
  const answerWith = (more: Partial<Portal>) => {
    service.answers[read] = { status: 200, body: { ...portal, documents: [deed], documentCount: 1, ...more } };
  };
  const links = () => screen.queryAllByRole('link', { name: 'Download Deed of the house' });

  it('are named before a release, and not to be had', async () => {
    answerWith({});
    await openForm();
    expect(screen.getByRole('heading', { name: 'Documents from Sam' })).toBeTruthy();
    expect(screen.getByText('Deed of the house')).toBeTruthy();
    expect(screen.getByText('2.4 MB, PDF')).toBeTruthy();
    expect(screen.getByText('You can download them here once the messages are delivered.')).toBeTruthy();
    expect(links()).toEqual([]);
  });

  it.each(['released', 'confirmed'] as const)('can be downloaded once it is %s', async (state) => {
    answerWith({ state, documentsUntil: until });
    open();
    await screen.findByRole('heading', { name: 'Documents from Sam' });
    expect(links().map((link) => link.getAttribute('href'))).toEqual([
      `/api/trusted-contact-admin/${token}/documents/${deed.id}`,
    ]);
  });

  it('are only named when their time is over', async () => {
    answerWith({ state: 'released', documentsUntil: passed });
    open();
    expect(await screen.findByText(/They could be downloaded until/)).toBeTruthy();
    expect(links()).toEqual([]);
  });

  it.each(['cancelled', 'stopped'] as const)('are not shown after it was %s', async (state) => {
    answerWith({ state });
    open();
    await screen.findByRole('heading', { level: 1 });
    expect(screen.queryByText('Deed of the house')).toBeNull();
  });

  it('lead to those before and after them if they are only a part', async () => {
    service.answers[`${read}?documentsFrom=200`] = {
      status: 200,
      body: { ...portal, documents: [deed], documentCount: 1_234, documentsFrom: 200 },
    };
    open('?documents=200');
    await screen.findByText(/These are documents 201 to 201 of 1,234/);
    const hrefOf = (name: string) => screen.getByRole('link', { name }).getAttribute('href');
    expect(hrefOf('Newer documents')).toBe('?documents=0#portal-documents');
    expect(hrefOf('Older documents')).toBe('?documents=201#portal-documents');
  });

  it('are not spoken of where there are none', async () => {
    await openForm();
    expect(screen.queryByRole('heading', { name: 'Documents from Sam' })).toBeNull();
  });
});

describe('the question for another address of an owner whom no reminder reached', () => {
  const question = 'Do you know another email address of Sam?';
  const field = () => screen.getByRole('textbox', { name: 'Email address of Sam *' });
  const asked: Portal = { ...portal, otherAddress: 'asked' };
  const show = (body: Portal) => {
    service.answers[read] = { status: 200, body };
    open();
  };

  it('comes before what the contact is asked, and says that the answer changes nothing else', async () => {
    show(asked);
    await heading('Have you heard from Sam?');
    const titles = screen.getAllByRole('heading', { level: 2 }).map(({ textContent }) => textContent);
    expect(titles.indexOf(question)).toBe(0);
    expect(screen.getByText(/^Our emails do not reach Sam\. We have not heard from Sam since/)).toBeTruthy();
    expect(screen.getByText(/no letter goes there, and nothing is sent sooner/)).toBeTruthy();
  });

  it('sends one address, says thank you and keeps the reason that was typed', async () => {
    show(asked);
    await screen.findByRole('heading', { level: 2, name: question });
    await pasteInto(reasonBox(), 'I do not know.');
    service.answers[giveAddress] = { status: 200, body: { ok: true, message: 'Thank you. We send one email there.' } };
    await pasteInto(field(), 'sam@new.example');
    await userEvent.click(button('Give this address'));
    expect((await screen.findByRole('status')).textContent).toBe('Thank you. We send one email there.');
    expect(service.calls.filter(({ key }) => key === giveAddress).map(({ body }) => body)).toEqual([
      { address: 'sam@new.example' },
    ]);
    expect(reasonBox().value).toBe('I do not know.');
    expect(screen.queryByRole('button', { name: 'Give this address' })).toBeNull();
  });

  it('shows a refusal at the field and keeps the typed text', async () => {
    show(asked);
    await screen.findByRole('heading', { level: 2, name: question });
    const message = 'This is the address of another person whom Sam named. Please give an address of Sam.';
    service.answers[giveAddress] = { status: 400, body: { type: 'VALIDATION', message } };
    await pasteInto(field(), 'tom@post.example');
    await userEvent.click(button('Give this address'));
    expect(await screen.findByText(message)).toBeTruthy();
    expect(field().getAttribute('aria-invalid')).toBe('true');
    expect((field() as HTMLInputElement).value).toBe('tom@post.example');
  });

  it.each([
    ['this contact gave one', 'given', 'You gave us another address'],
    ['contacts gave enough', 'enough', null],
    ['a reminder arrived', null, null],
  ] as const)('has no field if %s', async (_, otherAddress, title) => {
    show({ ...portal, otherAddress });
    await heading('Have you heard from Sam?');
    expect(screen.queryByRole('textbox', { name: 'Email address of Sam *' })).toBeNull();
    expect(screen.queryByRole('heading', { level: 2, name: title ?? question }) !== null).toBe(title !== null);
  });

  it('stays after an answer, as long as the request is open', async () => {
    show({ ...asked, state: 'cancelled', outcome: 'Nothing is sent. We have told Sam to sign in.' });
    await heading('Release Cancelled');
    expect(screen.getByRole('heading', { level: 2, name: question })).toBeTruthy();
  });
});
