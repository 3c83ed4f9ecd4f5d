import { productName } from '#shared/product.ts';
import { colours, darkStyle, styles } from './letter-style.ts';
import { html, Markup } from './markup.ts';
import { wrapText } from './plain-text.ts';

export { html, Markup };

export type Letter = {
  /** Preview text beside the subject in a list of mails; the letter's first words if left out. */
  preheader?: string;
  /** "Hello Sam," */
  greeting: string | Markup;
  /** Each one a paragraph (`html` or `p`), a `list` or a table of `facts`. */
  paragraphs: readonly Markup[];
  /** The one thing to do. `url` is absolute. */
  action?: { label: string; url: string };
  /** Content below the button. */
  after?: readonly Markup[];
  /** Reason why the person gets this mail, in a sentence or two. */
  reason: string | Markup;
  /** The public address of this installation, without a path. */
  baseUrl: string;
};

/**
 * Sets a letter: one column, one button, no picture and nothing fetched from anywhere.
 * Gives an HTML part and a text part of the same words.
 */
export function letter(content: Letter): { html: string; text: string } {
  const blocks = [
    asBlock(asMarkup(content.greeting)),
    ...content.paragraphs.map(asBlock),
    ...(content.action ? [button(content.action.label, content.action.url)] : []),
    ...(content.after ?? []).map(asBlock),
  ];
  return { html: htmlPart(content, blocks), text: textPart(content, blocks) };
}

/** The letter with an added paragraph before its first word, in both parts. */
export function withNote(set: { html: string; text: string }, note: Markup): { html: string; text: string } {
  const box = html`<p class="line" style="${styles.note}">${note}</p>\n`.html;
  return {
    // A function, or "$&" in a name would be read as a place.
    html: set.html.replace(sheetStart, () => `${sheetStart}${box}`),
    text: `${wrapText(note.text)}\n\n${set.text}`,
  };
}

/** A paragraph. */
export function p(content: string | Markup): Markup {
  const inner = asMarkup(content);
  return block(html`<p style="${styles.paragraph}">${inner}</p>`.html, wrapText(inner.text));
}

/** A list with a mark before each item. */
export function list(items: readonly (string | Markup)[]): Markup {
  const parts = items.map(asMarkup);
  return block(
    html`<ul style="${styles.list}">${parts.map((item) => html`<li style="${styles.item}">${item}</li>`)}</ul>`.html,
    parts.map((item) => `- ${wrapText(item.text, { indent: '  ' })}`).join('\n'),
  );
}

/** Pairs of a label and what it stands for, such as a date. */
export function facts(pairs: readonly (readonly [label: string, value: string | Markup])[]): Markup {
  const rows = pairs.map(([label, value]) => ({ label, value: asMarkup(value) }));
  const cells = rows.map(
    ({ label, value }) =>
      html`<tr><th scope="row" class="quiet line" style="${styles.factLabel}">${label}</th><td class="line" style="${styles.factValue}">${value}</td></tr>`,
  );
  return block(
    html`<table cellpadding="0" cellspacing="0" border="0" style="${styles.facts}">${cells}</table>`.html,
    rows.map(({ label, value }) => wrapText(`${label}: ${value.text}`, { indent: '  ' })).join('\n'),
  );
}

/** The one button, with its address written out beneath for those whose mail shows no links. */
export function button(label: string, url: string): Markup {
  const address = webAddress(url);
  return block(
    html`<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="${styles.buttonTable}"><tr><td class="key" bgcolor="${colours.light.action}" style="${styles.buttonCell}"><a class="key-text" href="${address}" style="${styles.button}">${label}</a></td></tr></table><p class="quiet" style="${styles.address}">Or copy this address into your browser:<br><a class="quiet" href="${address}" style="${styles.addressLink}">${address}</a></p>`
      .html,
    `${wrapText(`${label}:`)}\n${address}`,
  );
}

/** A link inside a line. The text part writes the address behind the words. */
export function link(label: string, url: string): Markup {
  const address = linkAddress(url);
  const shown = address.replace(/^(?:mailto|tel):/, '');
  return new Markup({
    html: html`<a class="link" href="${address}" style="${styles.link}">${label}</a>`.html,
    text: shown === label ? label : `${label} (${shown})`,
    isBlock: false,
  });
}

export function strong(text: string): Markup {
  return html`<strong>${text}</strong>`;
}

/** A typed name or title, isolated so that right-to-left text does not reorder the sentence. */
export function isolate(text: string): Markup {
  return html`<bdi>${text}</bdi>`;
}

function htmlPart({ preheader, greeting, paragraphs, reason, baseUrl }: Letter, blocks: readonly Markup[]): string {
  const opening = preheader ?? paragraphs[0]?.text.replace(/\s+/g, ' ') ?? asMarkup(greeting).text;
  const home = webAddress(baseUrl);

  return html`<!doctype html>
<html lang="en-GB" dir="ltr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
<title>${productName}</title>
<style>${fixed(darkStyle)}</style>
</head>
<body class="page" style="${styles.body}">
<div style="${styles.preheader}">${opening}${fixed(preheaderFill)}</div>
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" border="0" bgcolor="${colours.light.page}" style="${styles.page}"><tr><td align="center" style="${styles.gutter}">
<table role="presentation" cellpadding="0" cellspacing="0" border="0" width="560" style="${styles.column}">
<tr><td class="ink" style="${styles.wordmark}">${productName}</td></tr>
<tr><td class="bar" bgcolor="${colours.light.ink}" style="${styles.thickRule}">&nbsp;</td></tr>
<tr><td style="${styles.ruleGap}">&nbsp;</td></tr>
<tr><td class="bar" bgcolor="${colours.light.ink}" style="${styles.thinRule}">&nbsp;</td></tr>
<tr>${fixed(sheetStart)}
${blocks.map((part) => html`${part}\n`)}</td></tr>
<tr><td class="quiet" style="${styles.foot}">${asMarkup(reason)}<br><a class="quiet" href="${home}" style="${styles.footLink}">${productName}</a></td></tr>
</table>
</td></tr></table>
</body>
</html>
`.html;
}

function textPart({ reason, baseUrl }: Letter, blocks: readonly Markup[]): string {
  // A line of "-- " marks the end of the letter in plain text (RFC 3676, section 4.3).
  const foot = ['-- ', wrapText(asMarkup(reason).text), `${productName}: ${webAddress(baseUrl)}`].join('\n');
  return `${[...blocks.map((part) => part.text), foot].join('\n\n')}\n`;
}

/** Start of the letter itself. */
const sheetStart = html`<td class="sheet" bgcolor="${colours.light.sheet}" style="${styles.sheet}">`.html;

/** Blank characters after the preview text. Without them, a client fills its preview with the next words. */
const preheaderFill = '&#847;&zwnj;&nbsp;'.repeat(60);

function asMarkup(content: string | Markup): Markup {
  return typeof content === 'string' ? html`${content}` : content;
}

function asBlock(content: Markup): Markup {
  return content.isBlock ? content : p(content);
}

function block(markup: string, text: string): Markup {
  return new Markup({ html: markup, text, isBlock: true });
}

/** Words of this module's own that are HTML already. */
function fixed(markup: string): Markup {
  return new Markup({ html: markup, text: '', isBlock: false });
}

function webAddress(url: string): string {
  const { protocol, href } = new URL(url);
  if (protocol !== 'https:' && protocol !== 'http:') throw new TypeError('A button in a mail leads to a web page.');
  return href;
}

function linkAddress(url: string): string {
  const { protocol, href } = new URL(url);
  if (protocol === 'mailto:' || protocol === 'tel:') return href;
  return webAddress(url);
}
