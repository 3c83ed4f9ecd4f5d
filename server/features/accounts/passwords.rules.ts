import { productSlug } from '#shared/product.ts';
import { normalisedPassword } from '#shared/rules/passwords.ts';

/** A name before the @ shorter than this turns up in ordinary words. */
const telltaleLengthMin = 6;

/**
 * Problem of a new password other than its length, as a sentence; null if there is none. All characters are allowed and
 * none is required. `isCommon` gets the password in lower case.
 */
export function passwordProblem(
  { password, email }: { password: string; email: string },
  isCommon: (lowered: string) => boolean,
): string | null {
  const lowered = normalisedPassword(password).toLowerCase();
  if (isCommon(lowered)) return 'Many people use this password, so it is easy to guess. Choose another one.';
  if (lowered.includes(productSlug)) return 'Choose a password that does not contain our name.';

  const [name = ''] = email.toLowerCase().split('@');
  const holdsAddress =
    lowered.includes(email.toLowerCase()) || (name.length >= telltaleLengthMin && lowered.includes(name));
  return holdsAddress ? 'Choose a password that does not contain your email address.' : null;
}
