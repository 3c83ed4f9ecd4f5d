import MailComposer from 'nodemailer/lib/mail-composer';
import type MimeNode from 'nodemailer/lib/mime-node';
import { encode, wrap } from 'nodemailer/lib/qp';
import { headerText, isMailAddress, type MailAddress } from './addresses.ts';
import type { OutgoingMail } from './mailer.ts';

/**
 * A mail as it goes over the line (RFC 5322, with both forms as in RFC 2046, section 5.1.4, in quoted-printable).
 *
 * Headers and encoding are the library's; only the putting together is done here, in one go. The library puts a mail
 * together from streams, which is right for attachments of many megabytes and takes three times as long for a letter.
 */
export function composeMail(mail: OutgoingMail, sender: MailAddress): string {
  const root = new MailComposer({
    from: headerAddress(sender),
    to: headerAddress(mail.to),
    subject: headerText(mail.subject),
    messageId: mail.messageId,
    headers: mail.headers ?? {},
    text: mail.text,
    html: mail.html,
    // Base64 would hide the text part from those who read the source, and 8bit is not offered everywhere.
    textEncoding: 'quoted-printable',
    // Nothing in a mail of ours is read from a file or an address, so nothing that reaches it may be.
    disableFileAccess: true,
    disableUrlAccess: true,
  }).compile();

  const headers = root.buildHeaders();
  const between = `--${root.boundary}`;
  const parts = root.childNodes.map((part) => `${between}\r\n${partOf(part)}\r\n`);
  return `${headers}\r\n\r\n${parts.join('')}${between}--\r\n`;
}

function partOf(part: MimeNode): string {
  if (typeof part.content !== 'string') throw new TypeError('A part of a mail is a text.');
  // Short lines of ASCII need no encoding.
  const isEncoded = part.getTransferEncoding() === 'quoted-printable';
  return `${part.buildHeaders()}\r\n\r\n${isEncoded ? wrap(encode(part.content)) : part.content}`;
}

/** Name and address apart, so that the library quotes and encodes the name and parses nothing. */
function headerAddress({ address, name }: MailAddress): { address: string; name: string } {
  if (!isMailAddress(address)) throw new TypeError('Not one plain address.');
  return { address, name: headerText(name ?? '') };
}
