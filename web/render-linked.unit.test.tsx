// @vitest-environment jsdom
import { act } from 'react';
import { hydrateRoot, type Root } from 'react-dom/client';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { supportEmail as builtSupportEmail } from '#shared/product.ts';
import { takeConsoleOutput } from '#tests/support/silence.ts';
import { demoPortal } from '#web/features/release-portal/demo-portal.ts';
import type { SentAnswer, SentFields } from '#web/lib/api/sent-context.ts';
import { linkedPage } from '#web/linked-pages.tsx';
import { type LinkedPath, linkedPaths } from '#web/linked-paths.ts';
import { startService } from '#web/pages/pages.test-world.tsx';
import { renderLinked } from '#web/render-linked.tsx';
import { Root as Application } from '#web/root.tsx';

const token = 'd'.repeat(43);
const at = '2031-05-04T09:00:00.000Z';
const person = { name: 'Nell', relation: null, email: 'nell@ashworth.example' };

const refused = {
  id: '00000000-0000-4000-8000-000000000001',
  title: 'For Nell',
  recipientEmail: person.email,
  recipientName: 'Nell',
  state: 'refused',
  proposal: null,
};
const proposed = {
  ...refused,
  id: '00000000-0000-4000-8000-000000000002',
  proposal: {
    address: 'nell@new.example',
    reason: 'She wrote to me from it.',
    byName: 'Tom',
    isYours: false,
    canBeAgreed: true,
    isUnderReview: false,
    sendsAt: null,
  },
};
const newAddresses = {
  user: { firstName: 'Sam', lastName: 'Ashworth' },
  contactName: 'Priya Shah',
  otherContactNames: ['Tom'],
  needsAgreement: true,
  isStopped: false,
  waitDays: 30,
  letters: [refused, proposed],
  furtherLetterCount: 0,
  privateLetterCount: 0,
};

/** The service's answers to the reads of these pages. */
const answers: Record<string, unknown> = {
  [`/api/message-delivery/${token}`]: {
    title: 'For <Nell>',
    content: 'Dear Nell,\n\nPut the kettle on first. style="x"',
    encryptedContent: null,
    createdAt: at,
    deliveredAt: at,
    expiresAt: at,
    openedAt: at,
    senderName: 'Sam Ashworth',
    recipientName: 'Nell',
    attachment: null,
    enclosures: [],
    alsoFor: [],
    letters: [{ token, title: 'For <Nell>', position: 0, sealed: false, openedAt: at, keptUntil: at }],
    all: { letters: 1, opened: 1 },
  },
  [`/api/trusted-contact-admin/${token}`]: demoPortal,
  [`/api/check-in/${token}`]: { firstName: 'Sam', lastCheckinAt: at },
  [`/api/trusted-contact-invitation/${token}`]: {
    ownerName: 'Sam Ashworth',
    contactName: 'Priya Shah',
    contactEmail: 'priya@post.example',
    state: 'open',
    answerableUntil: at,
  },
  [`/api/remove-contact/${token}`]: { firstName: 'Sam', contactName: 'Priya', askedAt: at },
  [`/api/not-me/${token}`]: {
    email: person.email,
    openedAt: at,
    isVerified: false,
    letters: 1,
    contacts: 0,
    documents: 0,
    checklists: 0,
    hasPhone: false,
    hasOwnSettings: false,
    plan: null,
    removal: 'at-once',
  },
  [`/api/link-sign-in/${token}`]: { provider: 'Google', email: person.email, askedAt: at },
  [`/api/unlink-sign-in/${token}`]: { provider: 'Google', email: person.email, isLinked: true },
  [`/api/new-address/${token}`]: newAddresses,
  [`/api/payments/sandbox/${token}`]: {
    purpose: 'payment',
    status: 'open',
    plan: 'essential',
    term: 'monthly',
    listPricePence: 499,
    amountPence: 499,
    email: person.email,
    expiresAt: at,
    cards: [
      { card: 'pays', brand: 'Visa', last4: '4242', label: 'Pays, now and later' },
      { card: 'stops', brand: 'Visa', last4: '0341', label: 'Pays, and is declined at the next renewal' },
    ],
    backTo: '/subscribe',
  },
  [`/api/news/${token}`]: { email: person.email, wantsNews: true },
};

const notFound = { status: 404, body: { message: 'We could not find that.', type: 'NOT_FOUND' } };

const read = async (address: string): Promise<SentAnswer> => {
  const body = answers[address];
  if (body) return { status: 200, body };
  return notFound;
};

function draw(
  page: LinkedPath,
  {
    search = '',
    link = 'good',
    ...known
  }: { search?: string; link?: 'good' | 'ended'; fields?: SentFields; posted?: SentAnswer } = {},
) {
  const path = page.replace(/:token\??/, token);
  const { posted, fields } = known;
  const sent = posted && {
    answers: { [`POST /api${path}`]: posted, [`/api${path}`]: { status: 200, body: answers[`/api${path}`] } },
  };
  return renderLinked(page, {
    path,
    search,
    supportEmail: 'hello@vault.example',
    ...(sent ? { known: { ...sent, fields } } : {}),
    read: link === 'good' ? read : async () => notFound,
  });
}

describe('a page behind a link, as the server draws it', () => {
  it.each(linkedPaths)('%s reads without scripts, whether its link is good or has ended', async (page) => {
    for (const search of ['', 'open']) {
      const { markup, title } = await draw(page, { search });
      document.body.innerHTML = markup;
      expect(document.querySelectorAll('[style], [hidden], script')).toHaveLength(0);
      expect(document.querySelectorAll('h1')).toHaveLength(1);
      expect(document.querySelector('[role=status][aria-label^=Loading]')).toBeNull();
      expect(title).toMatch(/ – Everkept$/);
      document.body.innerHTML = '';
    }
  });

  it.each(linkedPaths)('%s has no button that only scripts can press', async (page) => {
    for (const link of ['good', 'ended'] as const) {
      const { markup } = await draw(page, { link });
      document.body.innerHTML = markup;
      const buttons = [...document.querySelectorAll('button')].filter((button) => !button.closest('.needs-scripts'));
      const pressable = buttons.filter((button) => button.type === 'submit' && button.form);
      expect(buttons.filter((button) => !pressable.includes(button)).map(({ textContent }) => textContent)).toEqual([]);
      const forms = [...document.forms].map(({ method }) => method);
      expect(forms.filter((method) => method !== 'post' && method !== 'get')).toEqual([]);
      document.body.innerHTML = '';
    }
  });

  it('is a letter once its envelope was pressed, and before it the envelope alone', async () => {
    const { markup, title } = await draw('/message/:token?');
    expect(markup).toContain('Put the kettle on first.');
    expect(markup).toContain('For &lt;Nell&gt;');
    expect(title).toBe('For <Nell> – Everkept');

    const letter = answers[`/api/message-delivery/${token}`] as { openedAt: string | null };
    letter.openedAt = null;
    const before = await draw('/message/:token?');
    letter.openedAt = at;
    expect(before.markup).toContain('Open it when you are ready');
    // Not in what the page brings along for its scripts either.
    expect(JSON.stringify(before)).not.toContain('kettle');
  });

  it('has forms that the browser posts to the address of the page', async () => {
    document.body.innerHTML = (await draw('/trusted-contact-accept/:token')).markup;
    const form = document.querySelector('form');
    expect(form?.method).toBe('post');
    expect(form?.getAttribute('action')).toBeNull();
    const buttons = [...document.querySelectorAll('form button')] as HTMLButtonElement[];
    expect(buttons.map(({ type, name, value, disabled }) => [type, name, value, disabled])).toEqual([
      ['submit', 'press', 'accept', false],
      ['submit', 'press', 'decline', false],
    ]);
    document.body.innerHTML = '';
  });

  it('shows the result of a form, or why it was refused', async () => {
    const body = { ok: true, lastCheckinAt: at, timeline: [], halted: null };
    const taken = await draw('/check-in/:token', { posted: { status: 200, body } });
    expect(taken.markup).toContain('Thank you, Sam');
    const refusal = { message: 'To stop it now, please sign in.', type: 'FORBIDDEN' };
    const notTaken = await draw('/check-in/:token', { posted: { status: 403, body: refusal } });
    expect(notTaken.markup).toContain('To stop it now, please sign in.');
  });

  it('says that the account is gone after the press on “This was not me”', async () => {
    const { markup } = await draw('/not-me/:token', { posted: { status: 200, body: { goesAt: null } } });
    expect(markup).toContain('The account is gone');
    const refusal = { message: 'Try again in a minute.', type: 'RATE_LIMITED' };
    const refused = await draw('/not-me/:token', { posted: { status: 429, body: refusal } });
    expect(refused.markup).toContain('Try again in a minute.');
  });

  it('says that a new link to a letter is sent, or why not', async () => {
    const asked = (answer: SentAnswer) =>
      renderLinked('/message/:token/new-link', {
        path: `/message/${token}/new-link`,
        search: '',
        supportEmail: 'hello@vault.example',
        known: { answers: { [`POST /api/message-delivery/${token}/renew`]: answer } },
        read: async () => notFound,
      });
    const { markup } = await asked({ status: 200, body: { message: 'A new link goes to that address.' } });
    expect(markup).toContain('A new link goes to that address.');
    expect(markup).not.toContain('<form');
    const refusal = { message: 'Try again in a minute.', type: 'RATE_LIMITED' };
    expect((await asked({ status: 429, body: refusal })).markup).toContain('Try again in a minute.');
  });

  it('asks a second time in the page before another address is proposed or agreed with', async () => {
    const press = async (fields: SentFields) => {
      const known = { answers: { [`/api/new-address/${token}`]: { status: 200, body: newAddresses } }, fields };
      const how = { path: `/new-address/${token}`, search: '', supportEmail: 'hello@vault.example', known, read };
      document.body.innerHTML = (await renderLinked('/new-address/:token', how)).markup;
      return [...document.querySelectorAll('button')].map(({ value }) => value);
    };
    const given = { letterId: refused.id, address: 'nell@new.example', reason: 'She wrote to me.' };
    expect(await press({ press: 'look', ...given })).toContain('propose');
    expect(new FormData(document.forms[0]).get('reason')).toBe('She wrote to me.');
    expect(await press({ press: 'look', ...given, address: 'nell' })).not.toContain('propose');
    expect(document.querySelector<HTMLInputElement>('input[name=address]')?.value).toBe('nell');
    expect(document.querySelector('.err')?.textContent).toMatch(/email/i);
    expect(await press({ press: 'agree', letterId: proposed.id, address: 'nell@new.example' })).toContain('send');
    document.body.innerHTML = '';
  });
});

describe('a page behind a link', () => {
  it.each(linkedPaths)('%s names the operator’s address, and no other', async (page) => {
    expect((await draw(page)).markup).not.toContain(builtSupportEmail);
  });

  it('does so if a person asks whether it is real', async () => {
    expect((await draw('/trusted-contact-accept/:token')).markup).toContain('mailto:hello@vault.example');
  });
});

describe('a page behind a link, as its scripts take it over', () => {
  let root: Root | undefined;
  afterEach(async () => {
    // Timers of a page that stays would run after the document of the tests is gone.
    await act(async () => root?.unmount());
    expect(told()).toEqual([]);
    vi.useRealTimers();
    document.body.innerHTML = '';
  });

  /** Draws a page as the server does, presses on it as a visitor may before the scripts run, and lets them take it over. */
  async function takeOver(page: LinkedPath, before: (place: HTMLElement) => void): Promise<string[]> {
    const { markup, sent } = await draw(page);
    history.replaceState(null, '', page.replace(/:token\??/, token));
    const place = document.createElement('div');
    place.innerHTML = markup;
    document.body.append(place);
    before(place);
    const differences: string[] = [];
    const FirstPage = await linkedPage(page);
    await act(async () => {
      root = hydrateRoot(place, <Application FirstPage={FirstPage} sent={sent} />, {
        onRecoverableError: (error) => differences.push(String(error)),
      });
    });
    return [...differences, ...told()];
  }

  /** Both ways of drawing are in one process here, which React says, and which is so nowhere else. */
  const told = () => takeConsoleOutput().filter((line) => !/multiple renderers|configured to support act/.test(line));

  it.each(linkedPaths)('%s is not drawn a second time, be it seconds later', async (page) => {
    const later = () => vi.useFakeTimers({ now: Date.now() + 4_000, toFake: ['Date'] });
    expect(await takeOver(page, later)).toEqual([]);
  });

  it('is paid with the card that was chosen before', async () => {
    const service = startService();
    const refusal = { message: 'The card was declined.', type: 'CONFLICT' };
    service.answers['POST /api/payments/process'] = { status: 409, body: refusal };
    const choose = (place: HTMLElement) => place.querySelector<HTMLElement>('input[value=stops]')?.click();
    expect(await takeOver('/checkout/:token', choose)).toEqual([]);
    await act(async () => document.forms[0]?.requestSubmit());
    service.stop();
    expect(told()).toEqual([]);
    expect(service.calls.map(({ body }) => body)).toContainEqual({ checkout: token, card: 'stops' });
  });
});
