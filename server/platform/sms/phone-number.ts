import { type NumberType, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { phoneIn } from '#shared/rules/addresses/written-phone.ts';

/** Numbers without a country are read as of the United Kingdom. */
const home = { defaultCountry: 'GB', extract: false } as const;
const mobile = 'Please enter a mobile number, such as 07700 900123';

/** Kinds of number that no text reaches, outside of the United Kingdom. */
const untextable: ReadonlySet<NumberType> = new Set([
  'FIXED_LINE',
  'TOLL_FREE',
  'PREMIUM_RATE',
  'SHARED_COST',
  'PERSONAL_NUMBER',
  'PAGER',
  'UAN',
  'VOICEMAIL',
]);

export type ReadPhone = { number: string; problem: null } | { number: null; problem: string };

/** The number in the form of E.164, or a sentence that says why it can't be texted. */
export function readPhone(written: string): ReadPhone {
  const plain = phoneIn(written).replace(/^\((\+\d{1,3})\)/, '$1 ');
  const parsed = parsePhoneNumberFromString(plain, home);
  if (!parsed) return { number: null, problem: 'Please enter a phone number, such as 07700 900123' };
  const { number } = parsed;
  const type = parsed.getType();
  if (type === 'FIXED_LINE') return { number: null, problem: `We can’t text a landline. ${mobile}` };
  if (type && isUntextable(number, type)) return { number: null, problem: `This number can’t get texts. ${mobile}` };
  if (!type && !isLikelyMobile(number, parsed.isPossible())) {
    const examples = 'Write it as 07700 900123, or with its country, such as +353 85 123 4567';
    return { number: null, problem: `This is not a complete phone number. ${examples}` };
  }
  return { number, problem: null };
}

/** Null if it is no number, or can't be texted. */
export function toInternationalPhone(written: string): string | null {
  return readPhone(written).number;
}

function isUntextable(number: string, type: NumberType): boolean {
  return number.startsWith('+44') ? type !== 'MOBILE' : untextable.has(type);
}

/** New ranges, and those of Ofcom for drama, are not in the library. */
function isLikelyMobile(number: string, isPossible: boolean): boolean {
  return number.startsWith('+44') ? /^\+447\d{9}$/.test(number) : isPossible;
}
