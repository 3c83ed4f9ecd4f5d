/** What most people read of a letter in a minute. */
const wordsPerMinute = 200;

/** Words in a text, as they are counted at a desk: what stands between white space. */
export function countWords(text: string): number {
  return text.match(/\S+/g)?.length ?? 0;
}

/** `82 words, about half a minute to read`. */
export function readingNote(text: string): string {
  const words = countWords(text);
  if (words === 0) return 'No words yet';
  const counted = `${words.toLocaleString('en-GB')} ${words === 1 ? 'word' : 'words'}`;
  return `${counted}, about ${readingTime(words / wordsPerMinute)} to read`;
}

function readingTime(minutes: number): string {
  if (minutes < 0.25) return 'a few seconds';
  if (minutes < 0.75) return 'half a minute';
  const whole = Math.round(minutes);
  return whole === 1 ? 'a minute' : `${whole} minutes`;
}
