/** Words that most people read in a minute. */
const wordsPerMinute = 200;

/** Number of words in a text, separated by white space. */
export function countWords(text: string): number {
  return text.match(/\S+/g)?.length ?? 0;
}

/** `82 words`; from one minute on also how long it takes: `240 words, about a minute to read`. */
export function readingNote(text: string): string {
  const words = countWords(text);
  if (words === 0) return 'No words yet';
  const counted = `${words.toLocaleString('en-GB')} ${words === 1 ? 'word' : 'words'}`;
  const minutes = Math.floor(words / wordsPerMinute);
  if (minutes === 0) return counted;
  return `${counted}, about ${minutes === 1 ? 'a minute' : `${minutes} minutes`} to read`;
}
