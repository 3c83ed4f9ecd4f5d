import { html, Markup } from '#server/platform/mail/letter.ts';
import { productName } from '#shared/product.ts';
import { outboxStyle } from './outbox.style.ts';
import type { OutboxEntry } from './outbox.ts';
import { findLinks } from './outbox-links.rules.ts';

type List = { entries: readonly OutboxEntry[]; page: number; hasOlder: boolean; nonce: string };

/** List of outbox entries, newest first. */
export function outboxListPage({ entries, page, hasOlder, nonce }: List): string {
  return pageOf({
    title: 'Outbox',
    nonce,
    body: html`<div class="head"><h1>Outbox</h1>
<p class="lead">Emails and texts that ${productName} has written. No mail server or SMS provider is set up, so they stay here, and only this machine can open this page.</p></div>
${entries.length === 0 ? emptyState(page) : html`<ol class="list">${entries.map(row)}</ol>`}
${pager(page, hasOlder)}`,
  });
}

/** One message: its text with links, and the rendered HTML of an email. */
export function outboxEntryPage({ entry, nonce }: { entry: OutboxEntry; nonce: string }): string {
  const title = titleOf(entry);
  return pageOf({
    title,
    nonce,
    body: html`<p class="back"><a href="/outbox">All messages</a></p>
<div class="head"><h1>${title}</h1>
<dl class="facts"><div><dt>To</dt><dd>${recipient(entry)}</dd></div><div><dt>Written</dt><dd>${time(entry.createdAt)}</dd></div>${isForLater(entry) && html`<div><dt>Not before</dt><dd>${time(entry.notBefore)}</dd></div>`}<div><dt>Status</dt><dd>${status(entry)}</dd></div></dl></div>
<div class="${entry.html === null ? 'parts' : 'parts two'}">
<section aria-labelledby="words"><h2 id="words">${entry.channel === 'sms' ? 'The text' : 'In plain text'}</h2><pre class="sheet words" tabindex="0">${linked(entry.text)}</pre></section>
${entry.html !== null && html`<section aria-labelledby="look"><h2 id="look">As a mail program shows it</h2><iframe class="sheet look" title="The email as a mail program shows it" src="/outbox/${entry.id}/html" sandbox="${mailSandbox}" referrerpolicy="no-referrer"></iframe></section>`}
</div>`,
  });
}

/**
 * Sandbox of a shown mail: its links work when pressed. It runs no scripts and has no origin, so it can't reach the
 * page around it or the session.
 */
export const mailSandbox = 'allow-popups allow-popups-to-escape-sandbox allow-top-navigation-by-user-activation';

/** The mail itself. Its links replace the whole page and not the frame around it. */
export function outboxMail(entry: OutboxEntry): string | null {
  return entry.html?.replace('<head>', '<head><base target="_top">') ?? null;
}

function pageOf({ title, nonce, body }: { title: string; nonce: string; body: Markup }): string {
  return html`<!doctype html>
<html lang="en-GB">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} – ${productName}</title>
<style nonce="${nonce}">${style}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the messages</a>
<header class="bar"><a class="wordmark" href="/">${productName}</a></header>
<main id="main">
${body}
</main>
</body>
</html>
`.html;
}

const style = new Markup({ html: outboxStyle, text: '', isBlock: false });

function row(entry: OutboxEntry): Markup {
  return html`<li class="row"><a class="row-title" href="/outbox/${entry.id}">${titleOf(entry)}</a><span class="row-to">${recipient(entry)}</span><span class="row-time">${time(entry.createdAt)}</span>${status(entry)}</li>
`;
}

function titleOf({ channel, subject, text }: OutboxEntry): string {
  if (channel === 'email') return subject === '' ? 'No subject' : subject;
  const words = [...text.replace(/\s+/g, ' ')];
  return words.length > 80 ? `${words.slice(0, 79).join('')}…` : words.join('');
}

function recipient({ to }: OutboxEntry): Markup {
  return to.name === undefined
    ? html`<bdi>${to.address}</bdi>`
    : html`<bdi>${to.name}</bdi> <span class="address">${to.address}</span>`;
}

const statusWords: Record<OutboxEntry['status'], string> = {
  pending: 'Waiting',
  sending: 'Being handed over',
  accepted: 'Ready to read',
  bounced: 'Refused',
  dead: 'Given up',
  cancelled: 'Taken back',
};

function status(entry: OutboxEntry): Markup {
  const kind = entry.channel === 'sms' ? 'Text' : 'Email';
  return html`<span class="state state-${entry.status}">${kind}: ${statusWords[entry.status].toLowerCase()}</span>`;
}

function isForLater({ createdAt, notBefore }: OutboxEntry): boolean {
  return notBefore > createdAt;
}

const dayAndTime = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'long',
  timeStyle: 'short',
  timeZone: 'Europe/London',
});

function time(at: Date): Markup {
  return html`<time datetime="${at.toISOString()}">${dayAndTime.format(at)}</time>`;
}

function linked(text: string): Markup[] {
  return findLinks(text).map((part) =>
    part.href === null ? html`${part.text}` : html`<a href="${part.href}">${part.text}</a>`,
  );
}

function emptyState(page: number): Markup {
  return html`<div class="empty"><svg viewBox="0 0 96 72" width="96" height="72" aria-hidden="true" focusable="false"><path class="plate" d="M10 16h70v48H10z"/><path class="line" d="M16 10h70v48H16zM16 10l35 27 35-27"/></svg>
<p>${page === 1 ? 'Nothing has been written yet. The first email comes when somebody creates an account.' : 'There is nothing on this page.'}</p>
<p>${page === 1 ? html`<a class="button" href="/register">Create an account</a>` : html`<a class="button" href="/outbox">See the newest messages</a>`}</p></div>`;
}

function pager(page: number, hasOlder: boolean): Markup | false {
  if (page === 1 && !hasOlder) return false;
  return html`<nav class="pager" aria-label="Pages">${page > 1 && html`<a rel="prev" href="/outbox?page=${page - 1}">Newer messages</a>`}${hasOlder && html`<a rel="next" href="/outbox?page=${page + 1}">Older messages</a>`}</nav>`;
}
