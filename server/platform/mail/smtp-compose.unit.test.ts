import { createTransport } from 'nodemailer';
import { describe, expect, it } from 'vitest';
import { deliveryEmail } from '#server/features/delivery/delivery.emails.ts';
import type { OutgoingMail } from './mailer.ts';
import { composeMail } from './smtp-compose.ts';

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
  it.each([...mails, international])('is the one that the library gives to %s', async (_, change) => {
    const mail = { ...base, ...change };

    expect(comparable(composeMail(mail, sender))).toBe(comparable(await composedByLibrary(mail)));
  });

  it('is of characters that every server takes, in lines that none cuts', () => {
    for (const [, change] of mails) {
      const lines = composeMail({ ...base, ...change }, sender).split(/\r?\n/);
      expect(lines.filter((line) => line.length > 998 || !/^[\t\r -~]*$/.test(line))).toEqual([]);
    }
  });
});

async function composedByLibrary(mail: OutgoingMail): Promise<string> {
  const transport = createTransport({ streamTransport: true, buffer: true });
  const { message } = await transport.sendMail({
    ...mail,
    from: sender,
    to: mail.to as typeof sender,
    textEncoding: 'quoted-printable',
  });
  return message.toString();
}

/** Boundary and date are of the moment; line ends are made one kind when a mail is handed to the server. */
function comparable(mail: string): string {
  const boundary = /boundary="([^"]+)"/.exec(mail)?.[1];
  if (!boundary) throw new Error('A mail of two parts has a boundary.');
  return mail
    .replaceAll(boundary, 'boundary')
    .replace(/^Date: .*$/m, 'Date')
    .replaceAll(/\r\n|\r|\n/g, '\n');
}
