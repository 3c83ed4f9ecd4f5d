import { timingSafeEqual } from 'node:crypto';
import { isMailAddress } from './addresses.ts';

/** A mail as it was sent. `key`: 32 hexadecimal digits that name the mail. `series`: number of its series of tries. */
export type SentMail = { key: string; series: number };

/**
 * A return path for each mail: `bounces+TAG@example.org`. The signed tag names the mail and the series, so that
 * bounces can't be forged (variable envelope return paths; sub-addresses as in RFC 5233).
 */
export type ReturnPaths = {
  /** Undefined where the mailbox has too long a name for a tag behind it. */
  of(mail: SentMail): string | undefined;
  /** Mail that an address names; null for an unknown address. */
  read(address: string): SentMail | null;
  /**
   * Distinct mails named in a text by return path, in our form or rewritten by another server (BATV, SRS). Reads the
   * first 50 tags.
   */
  find(text: string): SentMail[];
};

const keyBytes = 16;
const seriesBytes = 2;
const signatureBytes = 7;
const tagBytes = keyBytes + seriesBytes + signatureBytes;
/** Letters and digits alone, since some servers give an address back in small letters: 25 bytes in base 36. */
const tagForm = /^[0-9a-z]{39}$/;
const tagLength = 39;
const tagInText = /\+([0-9a-z]{39})(?![0-9a-z])/gi;
const seriesMax = 0xffff;
const tagsMax = 50;

/**
 * `sign` gives a value that no one else can make, in base64url. `mailbox` is the address whose sub-addresses they
 * are.
 */
export function createReturnPaths({ mailbox, sign }: { mailbox: string; sign: (text: string) => string }): ReturnPaths {
  const at = mailbox.lastIndexOf('@');
  const [local, domain] = [mailbox.slice(0, at), mailbox.slice(at + 1)];

  const signatureOf = (named: Buffer) =>
    Buffer.from(sign(named.toString('hex')), 'base64url').subarray(0, signatureBytes);

  const readTag = (tag: string): SentMail | null => {
    const bytes = tagForm.test(tag) ? bytesOf(tag) : null;
    if (!bytes) return null;
    const named = bytes.subarray(0, keyBytes + seriesBytes);
    if (!timingSafeEqual(signatureOf(named), bytes.subarray(keyBytes + seriesBytes))) return null;
    return { key: named.toString('hex', 0, keyBytes), series: named.readUInt16BE(keyBytes) };
  };

  /** True if the name of our mailbox ends here, and is not the end of a longer name. */
  const isNamedBefore = (text: string, end: number) => {
    const start = end - local.length;
    if (start < 0 || text.slice(start, end).toLowerCase() !== local.toLowerCase()) return false;
    return !/[a-z0-9.]/i.test(text.slice(Math.max(start - 1, 0), start));
  };

  return {
    of({ key, series }) {
      const named = Buffer.alloc(keyBytes + seriesBytes);
      named.write(key, 'hex');
      named.writeUInt16BE(Math.min(series, seriesMax), keyBytes);
      const tag = BigInt(`0x${Buffer.concat([named, signatureOf(named)]).toString('hex')}`);
      const address = `${local}+${tag.toString(36).padStart(tagLength, '0')}@${domain}`;
      return isMailAddress(address) ? address : undefined;
    },

    read(address) {
      const plus = address.lastIndexOf('+');
      const end = address.lastIndexOf('@');
      const isOurs = address.slice(0, plus).toLowerCase() === local.toLowerCase();
      return isOurs && plus < end ? readTag(address.slice(plus + 1, end).toLowerCase()) : null;
    },

    find(text) {
      const tags = new Set<string>();
      for (const { index, 1: tag = '' } of text.matchAll(tagInText)) {
        if (!isNamedBefore(text, index)) continue;
        tags.add(tag.toLowerCase());
        if (tags.size === tagsMax) break;
      }
      return [...tags].flatMap((tag) => readTag(tag) ?? []);
    },
  };
}

/** Null where the number is larger than a tag can be. */
function bytesOf(tag: string): Buffer | null {
  const value = [...tag].reduce((sum, digit) => sum * 36n + BigInt(Number.parseInt(digit, 36)), 0n);
  const hex = value.toString(16).padStart(tagBytes * 2, '0');
  return hex.length === tagBytes * 2 ? Buffer.from(hex, 'hex') : null;
}
