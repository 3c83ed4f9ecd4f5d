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

/** An account that has the number of a text. `textedAtMs`: when we last wrote to its owner. */
export type Candidate = { userId: string; lastActivityMs: number; textedAtMs: number | null };

/**
 * Whose check-in a "yes" is. People who share a number have one voice, and a living partner must not answer for
 * the dead: so where several accounts have the number, it is the one whose question is still open, and nobody where that
 * is not one alone. Their texts hold a link of their own as well.
 */
export function ownerOfReply(candidates: readonly Candidate[]): string | null {
  if (candidates.length === 1) return candidates[0]?.userId ?? null;
  const asked = candidates.filter(
    ({ textedAtMs, lastActivityMs }) => textedAtMs !== null && textedAtMs > lastActivityMs,
  );
  return asked.length === 1 ? (asked[0]?.userId ?? null) : null;
}
