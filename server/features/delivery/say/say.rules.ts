/** A reader's word about further letters. */
export type Saying = 'no more' | 'letters';

/** Last word of a reader. `times` counts each "no more letters". */
export type Word = { times: number; isDeclined: boolean };

/** True if the ledger has this word. */
export type IsSaid = (saying: Saying, times: number) => boolean;

/** Place of a word in the sequence: "no more letters" is 1, its end 2, the next "no more letters" 3. */
const placeOf = ({ times, isDeclined }: Word) => 2 * times - (isDeclined ? 1 : 0);

/** Last word in the ledger. Null unless it comes after the stored one: an older ledger takes nothing back. */
export function laterWord(stored: Word | null, isSaid: IsSaid): Word | null {
  const known = stored ?? { times: 0, isDeclined: false };
  const times = freeNumber(known.times, isSaid) - 1;
  const said = { times, isDeclined: times > 0 && !isSaid('letters', times) };
  return placeOf(said) > placeOf(known) ? said : null;
}

/** First number after these for a "no more letters", without one in the ledger: an end there may cancel it. */
export function freeNumber(times: number, isSaid: IsSaid): number {
  let next = times + 1;
  while (isSaid('no more', next)) next += 1;
  return next;
}
