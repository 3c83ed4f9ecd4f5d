/** Source of that day's comparison, see `uk-facts.ts`. */
type Compared = { comparedWith: 'body' | 'others' | 'nothing' };

/** Says how a source was compared, as the end of a sentence. `day` is the day of `checkedOn` in words. */
export function comparisonWords({ comparedWith }: Compared, day: string): string {
  if (comparedWith === 'nothing') return 'we could not compare it, so please look it up';
  const what = comparedWith === 'body' ? 'an earlier copy of its words' : 'what others write of it';
  return `compared with ${what} on ${day}`;
}
