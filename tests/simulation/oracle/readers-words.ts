import type { When } from '#tests/simulation/people/notes.ts';
import type { Handed } from '#tests/simulation/people/post.ts';

/** A mail that was just being handed over at the press arrives within this time. */
const inProgressMs = 10 * 60_000;

type Word = { to: string; said: When };

/**
 * A reader who said on the page "keep it", "not now" or "no more letters", and got the answer, is never sent that link
 * again. It knows the presses and the mails alone. A restored backup forgets the presses after it.
 */
export function createReadersWords(complain: (what: string) => void) {
  const words = new Map<string, Word>();
  return {
    note: (link: string, word: Word): void => void words.set(link, word),
    watch({ to, text, upMs, subject }: Pick<Handed, 'to' | 'text' | 'upMs' | 'subject'>): void {
      const word = words.get(/\/message\/([\w-]{20,})/.exec(text)?.[1] ?? '');
      if (word?.to !== to || upMs - word.said.upMs <= inProgressMs) return;
      complain(`${to} was sent "${subject}" although they had answered on its page`);
    },
    keep(): () => void {
      const kept = new Map(words);
      return () => {
        words.clear();
        for (const [link, word] of kept) words.set(link, word);
      };
    },
  };
}
