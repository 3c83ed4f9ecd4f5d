import { createHash } from 'node:crypto';
import { domainOf, parseMailAddress } from '#server/platform/mail/addresses.ts';

/** A seed is of base64url, so that it may stand in a Message-ID as it is. */
const seedForm = /^[A-Za-z0-9_-]{16,64}$/;

export function messageIdOf(local: string, domain: string): string {
  if (!seedForm.test(local)) throw new TypeError('A seed for a Message-ID is 16 to 64 characters of base64url.');
  return `<${local}@${domain}>`;
}

/** Key in the return path of a mail, as `returnKey` of the schema. The return path is signed, so the hash keeps no secret. */
export function returnKeyOf(messageId: string): string {
  return createHash('md5').update(messageId).digest('hex');
}

/** What ends the Message-ID of every mail: the domain of their sender, in ASCII as it stands in headers (RFC 5891). */
export function messageIdDomainOf(mailFrom: string): string {
  return new URL(`http://${domainOf(parseMailAddress(mailFrom).address)}`).hostname;
}
