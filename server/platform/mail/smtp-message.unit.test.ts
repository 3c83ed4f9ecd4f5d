import { simpleParser } from 'mailparser';
import { createTransport } from 'nodemailer';
import { describe, expect, it } from 'vitest';
import { deliveryEmail } from '#server/features/delivery/mails/delivery.emails.ts';
import type { OutgoingMail } from './mailer.ts';
import { messageOf } from './smtp-message.ts';

const sender = { address: 'hello@everkept.test', name: 'Everkept' };

const base: OutgoingMail = {
  to: { address: 'zoe@example.test', name: 'Zoë Nwosu' },
  subject: 'A message from Sam – kept for you',
  html: '<p>Hello <b>Zoë</b></p>',
  text: 'Hello Zoë',
  messageId: '<abcdefghijklmnopqrstuvwx@everkept.test>',
  headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
};

const letter = deliveryEmail({
  sender: { name: 'Siân O’Connor-Nguyễn', firstName: 'Siân' },
  link: 'https://everkept.example/message/an-address-as-long-as-a-real-one-is',
  baseUrl: 'https://everkept.example',
  addressFrom: 'owner',
  readerName: null,
  letters: 1,
  sealed: 0,
  keptUntil: new Date('2026-12-29T10:00:00Z'),
});

const mails: [string, Partial<OutgoingMail>][] = [
  ['a short mail', {}],
  ['a real letter’s mail', letter],
  ['a name in quotation marks', { to: { address: 'zoe@example.test', name: 'Nwosu, "Zoë" (Mum)' } }],
  ['no name', { to: { address: 'zoe@example.test' } }],
  ['an address in another script', { to: { address: 'zoe@büro.example' } }],
  ['a subject of many lines’ length', { subject: 'Für Zoë 💛 '.repeat(15).trim() }],
  ['lines that begin with a dot', { text: '.\n..\nand\n.more', html: '.\n<p>.</p>' }],
  ['blanks at the ends of lines', { text: 'one \ntwo\t\n\n\n three   ' }],
  ['line ends of all kinds', { text: 'one\r\ntwo\nthree\rfour\n\n' }],
  ['a line without an end', { text: 'é'.repeat(5_000), html: `<p>${'x='.repeat(5_000)}</p>` }],
  ['words that look like a boundary', { text: '--\n----_NmP\n--=_' }],
  ['a text that is not in Unicode', { text: 'half a pair: \ud83d and \0' }],
  ['a long text', { text: 'All that I wanted to say. 💛\n'.repeat(1_500) }],
];

/** Only a server that speaks SMTPUTF8 takes this one (RFC 6531). */
const international: (typeof mails)[number] = [
  'a mailbox in another script',
  { to: { address: 'zoë@büro.example', name: 'Zoë' } },
];

describe('the form of a mail', () => {
  it.each([...mails, international])('keeps subject, name and both parts of %s', async (_, change) => {
    const mail = { ...base, ...change };
    const parsed = await simpleParser(await composed(mail));

    expect(parsed.subject).toBe(mail.subject);
    expect(parsed.messageId).toBe(mail.messageId);
    expect(lines(parsed.text ?? '')).toBe(lines(readable(mail.text)));
    expect(lines(String(parsed.html))).toBe(lines(mail.html));
    expect(JSON.stringify(parsed.to)).toContain(JSON.stringify(mail.to.name ?? ''));
  });

  it('is of characters that every server takes, in lines that none cuts, and hides no text in base64', async () => {
    for (const [, change] of mails) {
      const source = (await composed({ ...base, ...change })).toString('latin1');
      expect(source.split(/\r?\n/).filter((line) => line.length > 998 || !/^[\t\r -~]*$/.test(line))).toEqual([]);
      expect(source).not.toMatch(/^Content-Transfer-Encoding: base64/im);
    }
  });
});

async function composed(mail: OutgoingMail): Promise<Buffer> {
  const transport = createTransport({ streamTransport: true, buffer: true });
  const { message } = await transport.sendMail(messageOf(mail, sender));
  return message as Buffer;
}

/** Half of a pair of surrogates is no character, and UTF-8 has none for it. */
const readable = (text: string) => text.toWellFormed();
/** Line ends are made one kind when a mail is handed to the server. */
const lines = (text: string) => text.replaceAll(/\r\n|\r|\n/g, '\n').trimEnd();
