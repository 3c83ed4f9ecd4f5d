/** Characters of Newsreader, as our files of it have them. */
export const inText =
  /^[\t\n\u0020-\u007E\u00A0-\u00FF\u0152-\u0153\u2013-\u2014\u2018-\u201A\u201C-\u201E\u2022\u2026\u2032-\u2033\u2039-\u203A\u2044\u20AC\u2122\u2212]$/;
/** Greek, Cyrillic, Armenian, Georgian, and Latin letters beyond those of western Europe. */
const otherRanges = [
  String.raw`\u0020-\u007E\u00A0-\u024F\u0370-\u0377\u037A-\u037F\u0384-\u038A\u038C\u038E-\u03A1`,
  String.raw`\u03A3-\u03E1\u03F0-\u045F\u0462-\u0465\u046A-\u046D\u0470-\u0477\u048C-\u048D\u0490-\u049B`,
  String.raw`\u049E-\u04A7\u04AA-\u04B7\u04BA-\u04BB\u04C0-\u04C4\u04C7-\u04C8\u04CB-\u04CC\u04CF-\u04F9`,
  String.raw`\u0510-\u0515\u051A-\u051D\u0531-\u0556\u0559-\u055F\u0561-\u0587\u0589-\u058A\u10D0-\u10FC`,
  String.raw`\u1E00-\u1EFB\u2010-\u2026\u2030-\u203A\u203C-\u203E\u2042\u2044-\u2049\u204B-\u204F`,
  String.raw`\u2051-\u2053\u2057\u20A6\u20AC\u20AF\u20B1\u20B4-\u20B5\u20B8-\u20BA\u20BD\u2102-\u2103\u2109`,
  String.raw`\u210D-\u210F\u2115-\u2116\u2119-\u211A\u211D\u2122\u2124\u2126-\u2127\u212A-\u212B\u2132`,
  String.raw`\u213C-\u2149\u214B\u214E\u2190-\u21FF\u25A1\uFB00-\uFB06`,
];
export const inOther = new RegExp(`^[${otherRanges.join('')}]$`);

export function isBookCharacter(character: string): boolean {
  return inText.test(character) || inOther.test(character);
}

/** Marks that only say how other characters are shown. Leaving them out loses nothing. */
export function isInvisible(character: string): boolean {
  return /\p{Cf}|\p{Cc}|\p{Variation_Selector}/u.test(character);
}

/** True if a book can show every character of a text. */
export function isSettable(text: string): boolean {
  return [...new Set(text.normalize('NFC'))].every(
    (character) => isBookCharacter(character) || isInvisible(character) || /\s/.test(character),
  );
}
