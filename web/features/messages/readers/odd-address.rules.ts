import { addressIn } from '#shared/rules/addresses/written-address.ts';
import { withoutEnd } from '#shared/text-ends.ts';

/** Mail domains that most people in this country use. The page asks about an address that nearly matches one. */
const commonDomains = [
  'gmail.com',
  'googlemail.com',
  'hotmail.com',
  'hotmail.co.uk',
  'outlook.com',
  'live.co.uk',
  'live.com',
  'msn.com',
  'yahoo.com',
  'yahoo.co.uk',
  'icloud.com',
  'me.com',
  'mac.com',
  'aol.com',
  'btinternet.com',
  'sky.com',
  'talktalk.net',
  'virginmedia.com',
  'ntlworld.com',
  'proton.me',
  'protonmail.com',
];

/** Real ones that only look like slips of the above. */
const realDomains = [
  'mail.com',
  'gmx.com',
  'ymail.com',
  'email.com',
  'life.com',
  'live.co',
  'aol.co.uk',
  'outlook.co.uk',
];

/** Endings that no address has, each with the probable one. */
const slips: readonly [RegExp, string][] = [
  [/\.(con|cim|comm|vom|xom|cpm)$/, '.com'],
  [/\.(co\.k|couk|co\.ukk|co\.um|co\.u|c\.uk|cu\.uk)$/, '.co.uk'],
  [/\.(ukk|ul)$/, '.uk'],
];

/**
 * The address that was likely meant, where this one looks like a slip: `nell@gamil.com`, `nell@gmail.con`, or one
 * letter off an address that was written to before. Nothing where it looks right. It asks, and never forbids.
 */
export function likelyMeant(address: string, known: readonly string[] = []): string | undefined {
  const typed = addressIn(address);
  const at = typed.lastIndexOf('@');
  if (at < 1 || at === typed.length - 1) return undefined;
  if (known.includes(typed)) return undefined;
  const near = known.find((other) => isOneSlip(typed, other));
  if (near) return near;
  const meant = meantDomain(typed.slice(at + 1));
  return meant && `${typed.slice(0, at)}@${meant}`;
}

function meantDomain(typed: string): string | undefined {
  const domain = withoutEnd(typed.replaceAll(',', '.'), '.');
  if (isCommon(domain)) return domain === typed ? undefined : domain;
  for (const [ending, right] of slips) if (ending.test(domain)) return nearest(domain.replace(ending, right));
  if (realDomains.includes(domain)) return undefined;
  return commonDomains.find((common) => isOneSlip(domain, common));
}

const isCommon = (domain: string) => commonDomains.includes(domain);

/** A domain whose ending was put right may have another slip before it. */
function nearest(domain: string): string {
  return isCommon(domain) ? domain : (commonDomains.find((common) => isOneSlip(domain, common)) ?? domain);
}

/** True if two words differ by one letter: added, missing, replaced, or two swapped. */
export function isOneSlip(one: string, other: string): boolean {
  if (one === other || Math.abs(one.length - other.length) > 1) return false;
  let start = 0;
  while (start < one.length && one[start] === other[start]) start += 1;
  const a = one.slice(start);
  const b = other.slice(start);
  if (a.length > b.length) return a.slice(1) === b;
  if (a.length < b.length) return b.slice(1) === a;
  return a.slice(1) === b.slice(1) || (a[0] === b[1] && a[1] === b[0] && a.slice(2) === b.slice(2));
}
