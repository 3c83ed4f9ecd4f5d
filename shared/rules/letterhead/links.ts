import { isTitle } from './titles.ts';

/** Characters that count as a full stop in a domain (UTS #46, section 2.3), besides the full stop itself. */
const dotLike = /[\u3002\uff0e\uff61]/g;
/** Marks and invisible characters. They hide a domain from a pattern, and mail programs ignore many of them. */
const unseen = /[\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
const scheme = /:\/\/|\bwww\./i;
/** A run of characters that can form a host name, and the character after it. */
const hostLike = /([\p{L}\p{N}.-]+)(:\d|[/\\?#])?/gu;
const ipAddress = /(?:^|[^\d.])\d{1,3}(?:\.\d{1,3}){3}(?:$|[^\d])/;
/** The start of a label that can end a domain. */
const endingLike = /^(?:xn--|\p{L}{2,}(?:$|-))/iu;
/** A surname, or a title, as people write it: `Smith`, never `SMITH` or `smith`. */
const nameLike = /^\p{Lu}\p{Ll}/u;
/** Endings that a mail program links in any spelling. They never count as a surname. */
const commonEndings: ReadonlySet<string> = new Set(
  'app bank biz cc click co com de dev eu gd gl info io life link live ly me money net online org page ru shop site store tk top tv uk us world xyz zip zone'.split(
    ' ',
  ),
);

/**
 * True if a mail program or a reader would take part of this text as a web or email address. Names appear in mails to
 * other people, so `win at evil.example` is refused and `Lt.Col. Brown` is accepted.
 */
export function holdsLink(text: string): boolean {
  return linkKind(text) !== null;
}

/** `address`: an address that works as typed. `joined`: words that a full stop joins as in a domain. */
function linkKind(text: string): 'address' | 'joined' | null {
  const plain = seen(text);
  if (scheme.test(plain) || plain.includes('@') || ipAddress.test(plain)) return 'address';
  let kind: 'joined' | null = null;
  for (const [, host = '', behind] of plain.matchAll(hostLike)) {
    const labels = host.split('.');
    if (behind !== undefined && labels.at(-1)?.toLowerCase() === 'localhost') return 'address';
    const endings = labels.filter((ending, index) => isDomain(labels[index - 1], ending, behind !== undefined));
    if (endings.length === 0) continue;
    if (behind !== undefined || endings.some(isCommonEnding)) return 'address';
    kind = 'joined';
  }
  return kind;
}

/** The text as a reader sees it, in compatible characters. */
function seen(text: string): string {
  return text.normalize('NFKD').replace(unseen, '').normalize('NFC').replace(dotLike, '.');
}

/** True if two labels next to each other can be a domain. A title or an initial before a surname is none. */
function isDomain(label: string | undefined, ending: string, hasPath: boolean): boolean {
  if (!label || !endingLike.test(ending)) return false;
  const isBeforeName = isTitle(label) || /^\p{Lu}$/u.test(label);
  return hasPath || !isBeforeName || !nameLike.test(ending) || isCommonEnding(ending);
}

function isCommonEnding(ending: string): boolean {
  return commonEndings.has(ending.split('-')[0]?.toLowerCase() ?? '');
}

/** Digits from which on a row of them can be a telephone number. */
const numberDigitsMin = 7;
const numberLike = new RegExp(
  `\\+?\\(?\\p{Nd}(?:[\\s\\p{Pd}.,·•()/+_*|'’]{0,4}\\p{Nd}){${numberDigitsMin - 1},}`,
  'gu',
);
/** A date in figures, or the years of a life. Neither is a number to ring. */
const dateLike =
  /(?<!\p{Nd})(?:(?:0?[1-9]|[12]\d|3[01])[./-](?:0?[1-9]|1[0-2])[./-](?:19|20)\d\d|(?:19|20)\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])|(?:19|20)\d\d\s?[-–]\s?(?:19|20)\d\d)(?!\p{Nd})/gu;
/** Takes the place of a date while numbers are looked for. The character is for private use (Unicode, plane 0). */
const dateMark = '\uE002';

/** True if the text holds a number that a reader could ring. */
export function holdsNumber(text: string): boolean {
  return digitsSeen(text).replace(dateLike, dateMark).search(numberLike) >= 0;
}

function digitsSeen(text: string): string {
  return text.normalize('NFKC').replace(/[\p{Cf}\p{Me}\p{Variation_Selector}]/gu, '');
}

const addressLeftOut = '[address left out]';
const numberLeftOut = '[number left out]';

/**
 * A person's words on one line, without links and phone numbers, for a mail under our letterhead. The owner must see
 * the remaining words. So nothing else is removed, and full stops that join words get a space.
 */
export function quotable(words: string): string {
  const line = withoutHidden(words).replace(/\s+/g, ' ').trim();
  return withoutLinks(withoutNumbers(line));
}

function withoutNumbers(words: string): string {
  if (!holdsNumber(words)) return words;
  const dates: string[] = [];
  const marked = digitsSeen(words)
    .replaceAll(dateMark, '')
    .replace(dateLike, (date) => {
      dates.push(date);
      return dateMark;
    });
  return marked.replace(numberLike, numberLeftOut).replaceAll(dateMark, () => dates.shift() ?? '');
}

function withoutLinks(words: string): string {
  return words.replace(/\S+/gu, (word) => {
    switch (linkKind(word)) {
      case 'address':
        return addressLeftOut;
      case 'joined':
        return seen(word).replace(/\.(?=\S)/g, '. ');
      default:
        return word.replace(/(?<=\p{L}{2})\.(?=\p{L}{2})/gu, '. ');
    }
  });
}

/**
 * Invisible characters and direction marks, and three private-use characters that mark places in our own texts.
 * Phones add some when a name is copied. Joiners stay: Persian, Indian scripts and emoji need them.
 */
const hidden = /[\u00ad\u200b\u202a-\u202e\u2060-\u206f\ufeff\ue000-\ue002]/g;

export function withoutHidden(text: string): string {
  return text.replace(hidden, '');
}
