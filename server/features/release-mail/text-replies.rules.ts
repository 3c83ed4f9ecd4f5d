import { dayMs } from '#shared/rules/inactivity.ts';

/** Meaning of a text that answers ours. */
export type Reply = 'well' | 'stop' | 'start' | 'other';

/** Longer ones are letters, not answers. */
const replyLengthMax = 160;

/** Words after "I am" of an owner who is well. */
const state = '(?:very )?(?:well|ok|okay|fine|here|alive|good)';

/**
 * Words that say "all is well", and nothing else. One of them must cover each word of an answer: "ok thanks" is one, "yes he
 * died" is not. The last line is Welsh.
 */
const wellPhrase = new RegExp(
  `^(?:${[
    'yes(?: please)?|y|yep|yeah|yup|aye',
    '(?:yes|yep|yeah|yup|aye) i am',
    '(?:yes |yep |yeah |yup )?(?:its|it is) me',
    'ok|okay|okey|fine|alive|alive and (?:well|kicking)|(?:im |i am )?still alive',
    `(?:im|i am) ${state}|im still here|i am still here|still here|here`,
    'all (?:is |s )?(?:well|ok|okay|fine|good)|alls (?:well|ok|okay|fine|good)',
    'ie|ydw|yndw|oes|iawn|(?:dwi|dw i|rydw i|rwyf)? ?(?:dal )?yma|(?:dwin|dw in|rwyn|rydw in) (?:iawn|fyw)',
    'thanks|thank you|ta|diolch|x{1,6}',
  ].join('|')})$`,
);
/** Words of the longest phrase. */
const phraseWordsMax = 4;
/** Polite or fond, and no answer without another word. */
const politeWord = /^(?:sorry|so|thanks|thank|you|ta|diolch|x{1,6})$/;

/** Signs that say "yes" without a word. */
const yesSigns = /[👍👌✅✔✓☑🆗]/gu;
/** Signs that go well with a "yes". Every other sign may mean the opposite, such as a broken heart. */
const kindSigns = /[🙂😀😃😄😁😆😊☺😇🥰😍😘😗😙😚😉🤗😎❤♥🧡💛💚💙💜🤎🖤🤍💕💖💗💓💞🙌👏🎉🌞☀🌻🌹💐]/gu;
/** Presentation and skin colour of a sign. */
const signVariants = /[\ufe0e\ufe0f\u{1f3fb}-\u{1f3ff}]/gu;
/** Signs that change nothing. A question mark is not among them: "Yes?" asks. */
const punctuation = /[\s.,!;:()"“”„*~_–—-]+/g;

/** Words that phones and mail apps add below typed text. Other words are the sender's own. */
const device =
  '(?:samsung|apple|google|huawei|xiaomi|nokia|oneplus|galaxy|iphone|ipad|pixel|android|mobile|phone|smartphone|tablet|device)';
const model = '(?:[a-z]{0,4}\\d[a-z\\d]{0,5}|plus|pro|max|mini|ultra|fold|flip|note|se)';
const signature = new RegExp(
  `^(?:sent (?:from|by|via|with) (?:my )?${device}(?: ${device}| ${model}){0,4}|(?:sent from|get|sent with) outlook(?: for (?:android|ios))?)$`,
);

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

/**
 * Reads an answer without regard to case, punctuation, apostrophes and spaces, and without the line that a phone adds. Only an
 * answer that cannot mean "no" is a "well".
 */
export function readReply(body: string): Reply {
  if (body.length > replyLengthMax) return 'other';
  const lines = body
    .split(/[\r\n]+/)
    .map(wordsOf)
    .filter(Boolean);
  while (lines.length > 1 && signature.test(lines.at(-1) ?? '')) lines.pop();
  const words = lines.join(' ');
  if (stopWords.has(words)) return 'stop';
  if (startWords.has(words)) return 'start';
  return saysWell(words.split(' ')) ? 'well' : 'other';
}

/** Walks over the words, and notes each place that phrases lead to: the phrases can be cut in several ways. */
function saysWell(words: readonly string[]): boolean {
  if (words.every((word) => politeWord.test(word))) return false;
  const start = words[0] === 'sorry' ? 1 : words[0] === 'so' && words[1] === 'sorry' ? 2 : 0;
  const reached = new Set([start]);
  for (const from of reached) {
    for (let end = from + 1; end <= Math.min(from + phraseWordsMax, words.length); end += 1)
      if (wellPhrase.test(words.slice(from, end).join(' '))) reached.add(end);
  }
  return reached.has(words.length) && start < words.length;
}

function wordsOf(line: string): string {
  return line
    .replace(signVariants, '')
    .replace(yesSigns, ' yes ')
    .replace(kindSigns, ' ')
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\u2018\u2019\u02bc\u00b4`']/g, '')
    .replace(punctuation, ' ')
    .trim();
}

/** An account that has the number of a text, and when we last wrote to that number. */
export type Candidate = {
  userId: string;
  lastActivityMs: number;
  /** True if the last activity was a text. */
  wasText: boolean;
  /** To its owner. */
  textedAtMs: number | null;
  /** To a contact of its owner who has the same number, to ask about the owner. */
  askedAboutAtMs: number | null;
};

/**
 * Reason why a reply belongs to no account.
 * - `not_asked`: no question went to the number lately.
 * - `unclear`: several questions are open, or a contact with the number was asked.
 * - `carried`: a text ended the silence before. Numbers are given to other people, so the next needs more.
 */
type Nobody = { userId: null; why: 'not_asked' | 'unclear' | 'carried' };

/** Days after our text in which a “yes” counts. A later reply could answer anything. */
export const answerDays = 7;

/**
 * Account whose check-in a “yes” is.
 * - Several accounts with one number: the only one with an open question, so that a living partner can't answer for the
 *   dead.
 * - No account if several have an open question, or if a contact with that number was asked about the owner.
 * - A “yes” counts within seven days of our text, and ends one silence: the next needs the button or a sign-in.
 * The link in each text shows its account.
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
