import { dayMs } from '#shared/rules/inactivity.ts';

/** What somebody who answers a text of ours wants. */
export type Reply = 'well' | 'stop' | 'start' | 'other';

/** Longer ones are letters, not answers. */
const replyLengthMax = 160;

/**
 * Words that say "all is well", and nothing but that. Each of an answer's words must be covered by one of them: "ok
 * thanks" is one, "yes he died" is not.
 */
const wellWords = new RegExp(
  `^(?:(?:${[
    'yes( please)?|y|yep|yeah|yup|aye',
    'ok|okay|okey|fine|alive',
    'im (?:very )?(?:well|ok|okay|fine|here|alive|good)|i am (?:very )?(?:well|ok|okay|fine|here|alive|good)',
    'im still here|i am still here|still here|here',
    'all (?:is |s )?(?:well|ok|okay|fine|good)|alls (?:well|ok|okay|fine|good)',
    'thanks|thank you|ta',
  ].join('|')})(?: |$))+$`,
);
/** Polite, and no answer by themselves. */
const thanksAlone = /^(?:thanks|thank you|ta| )+$/;

/** The words that providers and carriers agree on (CTIA Messaging Principles, section 5.1.3; Twilio's own list). */
const stopWords = new Set([
  'stop',
  'stop all',
  'stopall',
  'unsubscribe',
  'cancel',
  'end',
  'quit',
  'stop texts',
  'optout',
  'opt out',
  'revoke',
]);
const startWords = new Set(['start', 'unstop']);

/** Reads an answer without regard to case, punctuation, apostrophes and spaces. */
export function readReply(body: string): Reply {
  if (body.length > replyLengthMax) return 'other';
  const words = body
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\u2018\u2019\u02bc\u00b4`']/g, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
  if (stopWords.has(words)) return 'stop';
  if (startWords.has(words)) return 'start';
  return wellWords.test(words) && !thanksAlone.test(words) ? 'well' : 'other';
}

/** An account that has the number of a text, and when we last wrote to that number. */
export type Candidate = {
  userId: string;
  lastActivityMs: number;
  /** Whether that was a text. */
  wasText: boolean;
  /** To its owner. */
  textedAtMs: number | null;
  /** To a contact of its owner who has the same number, to ask about the owner. */
  askedAboutAtMs: number | null;
};

/**
 * Why it is nobody's: we asked nobody there lately; more than one question is open; or a text carried the silence before, and
 * numbers are given to other people.
 */
type Nobody = { userId: null; why: 'not_asked' | 'unclear' | 'carried' };

/** A "yes" counts so long after our text: later nobody can say what it answers. */
export const answerDays = 7;

/**
 * Whose check-in a "yes" is. People who share a number have one voice, and a living partner must not answer for
 * the dead: so where several accounts have the number, it is the one whose question is still open, and nobody where that
 * is not one alone; and nobody where a contact was asked about the owner at the same number. It counts within seven days of
 * our text, and carries one silence: the next needs the button or a sign-in. The texts hold a link each, which says who it is
 * for.
 */
export function ownerOfReply(candidates: readonly Candidate[], nowMs: number): { userId: string } | Nobody {
  const isOpen = (atMs: number | null, { lastActivityMs }: Candidate) => atMs !== null && atMs > lastActivityMs;
  if (candidates.some((each) => isOpen(each.askedAboutAtMs, each))) return { userId: null, why: 'unclear' };
  const recent = candidates.filter(({ textedAtMs }) => textedAtMs !== null && nowMs - textedAtMs <= answerDays * dayMs);
  const asked = candidates.length === 1 ? recent : recent.filter((each) => isOpen(each.textedAtMs, each));
  const [only, ...others] = asked;
  if (!only) return { userId: null, why: 'not_asked' };
  if (others.length > 0) return { userId: null, why: 'unclear' };
  const isCarried = only.wasText && isOpen(only.textedAtMs, only);
  return isCarried ? { userId: null, why: 'carried' } : { userId: only.userId };
}
