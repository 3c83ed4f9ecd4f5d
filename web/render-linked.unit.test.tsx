// @vitest-environment jsdom
import { act } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { supportEmail as builtSupportEmail } from '#shared/product.ts';
import { takeConsoleOutput } from '#tests/support/silence.ts';
import { demoPortal } from '#web/features/release-portal/demo-portal.ts';
import type { SentAnswer } from '#web/lib/api/sent-context.ts';
import { linkedPage } from '#web/linked-pages.tsx';
import { type LinkedPath, linkedPaths } from '#web/linked-paths.ts';
import { renderLinked } from '#web/render-linked.tsx';
import { Root } from '#web/root.tsx';

const token = 'd'.repeat(43);
const at = '2031-05-04T09:00:00.000Z';
const person = { name: 'Nell', relation: null, email: 'nell@ashworth.example' };

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
  [`/api/news/${token}`]: { email: person.email, wantsNews: true },
};

const read = async (address: string): Promise<SentAnswer> => {
  const body = answers[address];
  if (body) return { status: 200, body };
  return { status: 404, body: { message: 'We could not find that.', type: 'NOT_FOUND' } };
};

function draw(
  page: LinkedPath,
  { search = '', ...known }: { search?: string; fields?: { press: string }; posted?: SentAnswer } = {},
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
    read,
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
    const refused = await draw('/check-in/:token', { posted: { status: 403, body: refusal } });
    expect(refused.markup).toContain('To stop it now, please sign in.');
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
  afterEach(() => {
    vi.useRealTimers();
    document.body.innerHTML = '';
  });

  it.each(linkedPaths)('%s is not drawn a second time, be it seconds later', async (page) => {
    const path = page.replace(/:token\??/, token);
    const { markup, sent } = await draw(page);
    history.replaceState(null, '', path);
    const root = document.createElement('div');
    root.innerHTML = markup;
    document.body.append(root);
    vi.useFakeTimers({ now: Date.now() + 4_000, toFake: ['Date'] });
    const differences: string[] = [];
    const FirstPage = await linkedPage(page);
    await act(async () => {
      hydrateRoot(root, <Root FirstPage={FirstPage} sent={sent} />, {
        onRecoverableError: (error) => differences.push(String(error)),
      });
    });
    // Both ways of drawing are in one process here, which React says, and which is so nowhere else.
    const told = takeConsoleOutput().filter((line) => !/multiple renderers|configured to support act/.test(line));
    expect([...differences, ...told]).toEqual([]);
  });
});
