import type { DeliveredMessage } from '#shared/contract/letters/delivery.ts';
import { firstNameOf } from '#shared/rules/names.ts';
import { isoDay } from '#web/lib/format.ts';

export type Listed = DeliveredMessage['letters'][number];

/** First view of a link: the envelope, all envelopes of the person, or the text. */
export type Before = 'envelope' | 'envelopes' | 'letter';

/**
 * View for a link. A letter is shown after its envelope was pressed. With several letters, the link leads to all of
 * them, and `isChosen` means that one was picked.
 */
export function placeBefore({ openedAt, isDamaged, letters }: DeliveredMessage, isChosen: boolean): Before {
  if (letters.length > 1 && !isChosen) return 'envelopes';
  return openedAt || isDamaged ? 'letter' : 'envelope';
}

const numbers = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

/** `three`, and figures from eleven on. */
export function numberWord(count: number): string {
  return numbers[count] ?? count.toLocaleString('en-GB');
}

/** The day until which all are kept, or null where each has its own. */
export function commonDay(letters: readonly Pick<Listed, 'keptUntil'>[]): string | null {
  const [first] = letters;
  return first && letters.every(({ keptUntil }) => isoDay(keptUntil) === isoDay(first.keptUntil))
    ? first.keptUntil
    : null;
}

/** The name on the envelope; none is better than half an address. */
export function nameOnCover(recipientName: string | null): string {
  return recipientName ? firstNameOf(recipientName) : 'For you';
}

/** From so many letters on a name is set smaller. */
const longName = 15;

export function isLongName(name: string): boolean {
  return name.length >= longName;
}
