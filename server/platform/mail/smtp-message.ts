import { headerText, isMailAddress, type MailAddress } from './addresses.ts';
import type { OutgoingMail } from './mailer.ts';

/**
 * A mail in the library's form (RFC 5322), with both parts (RFC 2046, section 5.1.4) in quoted-printable. Base64
 * would hide the text from people who read the source, and 8bit is not offered everywhere.
 */
export function messageOf(mail: OutgoingMail, sender: MailAddress) {
  return {
    from: headerAddress(sender),
    to: headerAddress(mail.to),
    subject: headerText(mail.subject),
    messageId: mail.messageId,
    headers: mail.headers ?? {},
    text: mail.text,
    html: mail.html,
    textEncoding: 'quoted-printable' as const,
    // Nothing in a mail of ours is read from a file or an address, so nothing that reaches it may be.
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** Name and address apart, so that the library quotes and encodes the name and parses nothing. */
function headerAddress({ address, name }: MailAddress): { address: string; name: string } {
  if (!isMailAddress(address)) throw new TypeError('Not one plain address.');
  return { address, name: headerText(name ?? '') };
}
