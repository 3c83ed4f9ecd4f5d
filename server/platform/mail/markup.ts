import { withoutEnd } from '#shared/text-ends.ts';

/** Values that `html` accepts between tags. `null`, `undefined` and `false` show nothing. */
type MarkupValue = string | number | Markup | readonly MarkupValue[] | null | undefined | false;

/**
 * HTML with every value escaped, and the same text in plain form. Only this module makes one from a string, so
 * unescaped text can't pass for one.
 */
export class Markup {
  readonly html: string;
  /** The plain-text form, with a line break at the end of each block. */
  readonly text: string;
  /** True when it is a paragraph, list or button of its own, false when it belongs inside a line. */
  readonly isBlock: boolean;

  constructor(trusted: { html: string; text: string; isBlock: boolean }) {
    this.html = trusted.html;
    this.text = trusted.text;
    this.isBlock = trusted.isBlock;
  }

  toString(): string {
    return this.html;
  }
}

/**
 * A template that escapes every value that is not `Markup`, for text and for quoted attributes (OWASP XSS Prevention,
 * rules 1 and 2). Attributes must be quoted, and must not be scripts, styles or people's addresses. Addresses go
 * through `link` or `button`, which check the scheme.
 */
export function html(strings: TemplateStringsArray, ...values: readonly MarkupValue[]): Markup {
  const markup = strings.map((part, index) => part + (index < values.length ? htmlOf(values[index]) : '')).join('');
  const isBlock = startsWithBlock.test(strings[0] ?? '');
  const text = textOf(strings, values);
  // A piece of a line keeps its spaces at both ends: another piece may follow without one of its own.
  return new Markup({
    html: markup,
    text: isBlock ? text.trim() : withoutEnd(text.replace(/^\n+/, ''), '\n'),
    isBlock,
  });
}

/** Escapes text for an element or a quoted attribute. */
function escapeHtml(value: string): string {
  return value.replace(/[&<>"'`]/g, (character) => entities[character] ?? character);
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};
const characters: Record<string, string> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&nbsp;': '\u00a0',
};

const blockNames = 'p|div|ul|ol|li|table|tr|h[1-6]|blockquote|hr|section|article|header|footer|main|form|iframe';
const startsWithBlock = new RegExp(`^\\s*<(?:${blockNames})[\\s>]`, 'i');
const lineEnd = new RegExp(`<br\\s*/?>|</(?:${blockNames})>`, 'gi');

function htmlOf(value: MarkupValue): string {
  if (value === null || value === undefined || value === false) return '';
  if (value instanceof Markup) return value.html;
  if (typeof value === 'object') return value.map(htmlOf).join('');
  return escapeHtml(String(value));
}

function plainOf(value: MarkupValue): string {
  if (value === null || value === undefined || value === false) return '';
  if (value instanceof Markup) return value.text;
  if (typeof value === 'object') return value.map(plainOf).join('');
  return String(value);
}

/** Marks the place of a value while tags are taken away; a private-use character, which no template of ours holds. */
const slot = /\uE000(\d+)\uE001/;

/** The words of a template between its values: always the same, so they are worked out once. */
const wordsOf = new WeakMap<TemplateStringsArray, readonly string[]>();

/** Words and the numbers of values, in turn. */
function splitWords(strings: TemplateStringsArray): readonly string[] {
  return strings
    .map((part, index) => part + (index < strings.length - 1 ? `\uE000${index}\uE001` : ''))
    .join('')
    .replace(/\s+/g, ' ')
    .replace(lineEnd, '\n')
    .replace(/<[^<>]*>/g, '')
    .replace(/&(?:amp|lt|gt|quot|#39|nbsp);/g, (entity) => characters[entity] ?? entity)
    .replace(/ *\n */g, '\n')
    .split(slot);
}

function textOf(strings: TemplateStringsArray, values: readonly MarkupValue[]): string {
  const words = wordsOf.get(strings) ?? splitWords(strings);
  wordsOf.set(strings, words);
  return words.map((part, index) => (index % 2 === 0 ? part : plainOf(values[Number(part)]))).join('');
}
