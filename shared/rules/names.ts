import { isGroup, isTitleOrKin } from './letterhead/titles.ts';

/** The name that a mail greets. Null before the address is verified: until then a stranger may have typed the name. */
export function greetingName(person: { firstName: string | null; emailVerified: boolean }): string | null {
  return person.emailVerified ? person.firstName : null;
}

/**
 * Two letters or more, as a first name or surname is written: `Anne-Marie`, `O’Brien`. Only one way to read a word fits, since
 * each other way would double the time for every letter.
 */
const plainWord = /^(?=..)(?:\p{Lu}|\p{Lo})[\p{L}\p{M}]*(?:['’-][\p{L}\p{M}]+)*$/u;

/**
 * The name for a greeting or an address. Only a first name with a surname becomes shorter: `Priya` for `Priya Shah`. All
 * other names stay as their owner wrote them: `Mum & Dad`, `Uncle Bob`, `The Smith family`.
 */
export function firstNameOf(name: string): string {
  const whole = name.trim();
  const [first = '', last = '', ...others] = whole.split(/\s+/);
  const isPlain = others.length === 0 && plainWord.test(first) && plainWord.test(last);
  const isFirstName = isPlain && !isTitleOrKin(first) && !/['’]s$/i.test(first);
  return isFirstName && !isTitleOrKin(last) && !isGroup(last) ? first : whole;
}
