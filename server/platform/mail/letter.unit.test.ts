import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { button, facts, html, isolate, letter, link, list, p, strong } from './letter.ts';

const baseUrl = 'https://everkept.test';

describe('html', () => {
  it('escapes every value in text and in attributes, and lets markup through', () => {
    const name = '<img src=x onerror="alert(1)">&\'`';
    expect(html`<p title="${name}">${name} ${strong(name)}</p>`.html).toBe(
      '<p title="&lt;img src=x onerror=&quot;alert(1)&quot;&gt;&amp;&#39;&#96;">&lt;img src=x onerror=&quot;alert(1)&quot;&gt;&amp;&#39;&#96; <strong>&lt;img src=x onerror=&quot;alert(1)&quot;&gt;&amp;&#39;&#96;</strong></p>',
    );
  });

  it('lets no value open a tag or leave a quoted attribute, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        const inside = html`${value}`.html;
        expect(inside).not.toMatch(/[<>"'`]/);
        expect(html`<a title="${value}">x</a>`.html).toBe(`<a title="${inside}">x</a>`);
      }),
    );
  });

  it('gives the words as plain text, unescaped and without tags', () => {
    const markup = html`<p class="${'a>b'}">Tom &amp; ${'<Jo>'}</p>
      <p>${7} of
      ${[strong('ten'), ', ', null, false, 'all']}<br>done</p>`;
    expect(markup.text).toBe('Tom & <Jo>\n7 of ten, all\ndone');
  });

  it('keeps the space between two sentences of a line in plain text, whichever piece brings it', () => {
    const [first, last] = [html`We try for three days. `, html` Then the messages go.`];
    const { text } = p(html`${first}These days begin today.${last}`);
    expect(text).toBe('We try for three days. These days begin today. Then the messages go.');
  });

  it('keeps a value that looks like the mark of another value as it is', () => {
    expect(html`${'\uE0001\uE001'} and ${'secret'}`.text).toBe('\uE0001\uE001 and secret');
  });

  it('takes nothing that only looks like markup', () => {
    const forged = { html: '<script>', text: '', isBlock: false, toString: () => '<script>' };
    expect(() => html`${forged as never}`.html).toThrow();
  });
});

describe('a letter', () => {
  const sample = letter({
    greeting: html`Hello ${isolate('Zoë <b>')},`,
    paragraphs: [
      html`Sam Ashworth wrote a message for you and asked us to send it after Sam’s death or a long silence. You can read it when you feel ready.`,
      list([
        'One thing that is long enough to need a second line of its own in a narrow window',
        html`${strong('Two')}`,
      ]),
      facts([
        ['Kept until', '4 July 2027'],
        ['From', 'Sam'],
      ]),
    ],
    action: { label: 'Read the message', url: 'https://everkept.test/message/abc?x=1&y=2' },
    after: [
      html`Write to ${link('help@everkept.test', 'mailto:help@everkept.test')} or read ${link('our help', 'https://everkept.test/help')}.`,
    ],
    reason: 'Sam gave us your address so that we could send you this.',
    baseUrl,
  });

  it('has a text part at most 72 columns wide, but for addresses', () => {
    expect(sample.text).toBe(`Hello Zoë <b>,

Sam Ashworth wrote a message for you and asked us to send it after Sam’s
death or a long silence. You can read it when you feel ready.

- One thing that is long enough to need a second line of its own in a
  narrow window
- Two

Kept until: 4 July 2027
From: Sam

Read the message:
https://everkept.test/message/abc?x=1&y=2

Write to help@everkept.test or read our help
(https://everkept.test/help).

-- 
Sam gave us your address so that we could send you this.
Everkept: https://everkept.test/
`);
  });

  it('says the same in HTML, with the address of its one button written out', () => {
    expect(sample.html).toContain('Hello <bdi>Zoë &lt;b&gt;</bdi>,');
    expect(sample.html.match(/class="key-text"/g)).toHaveLength(1);
    expect(sample.html.match(/https:\/\/everkept\.test\/message\/abc\?x=1&amp;y=2/g)).toHaveLength(3);
    expect(sample.html).toContain('<html lang="en-GB" dir="ltr">');
    expect(sample.html).toContain('<meta name="color-scheme" content="light dark">');
    expect(sample.html).toContain('prefers-color-scheme:dark');
  });

  it('fetches nothing from anywhere and runs nothing', () => {
    expect(sample.html).not.toMatch(/<img|<script|<link|<iframe|<object|url\(|@import|@font-face|src=|\son\w+=/i);
  });

  it('opens every tag it closes', () => {
    const open: string[] = [];
    for (const [, close, name] of sample.html.matchAll(/<(\/?)([a-z][a-z0-9]*)(?:\s[^>]*)?>/g)) {
      if (['meta', 'br'].includes(name ?? '')) continue;
      if (close) expect(open.pop()).toBe(name);
      else open.push(name ?? '');
    }
    expect(open).toEqual([]);
  });

  it('keeps its lines in the measure and its words whole, whatever is written', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1, maxLength: 90 }), { maxLength: 60 }), (words) => {
        const { text } = letter({ greeting: 'Hello,', paragraphs: [p(words.join(' '))], reason: 'Because.', baseUrl });
        const written = words.join(' ').split(/\s+/).filter(Boolean);
        const set = (text.split('\n\n-- ')[0] ?? '').slice('Hello,'.length).split(/\s+/).filter(Boolean);
        expect(set).toEqual(written);
        for (const line of text.split('\n')) {
          if (line.includes(' ') && line !== '-- ') expect([...line].length).toBeLessThanOrEqual(72);
        }
      }),
    );
  });

  it('leads to web pages only', () => {
    for (const url of ['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', '/relative', '']) {
      expect(() => button('Read', url)).toThrow();
      expect(() => link('Read', url)).toThrow();
    }
    expect(() => button('Write', 'mailto:sam@example.test')).toThrow();
  });
});
