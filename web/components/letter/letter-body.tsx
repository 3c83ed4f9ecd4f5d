import { paragraphsOf } from '#shared/rules/letters/paragraphs.ts';
import { Enclosures, type ShownEnclosure } from './enclosures.tsx';
import { LetterWords } from './letter-words.tsx';

type LetterBodyProps = { content: string; enclosures: readonly ShownEnclosure[]; speaker: string };

/** Text of a letter with its pictures and voice in place. Enclosures without a place follow at the end. */
export function LetterBody({ content, enclosures, speaker }: LetterBodyProps) {
  if (enclosures.length === 0) return <LetterWords content={content} />;
  const paragraphs = paragraphsOf(content).length;
  // A paragraph that is not there any more leaves its picture at the end.
  const placeOf = ({ afterParagraph: after }: ShownEnclosure) => (after !== null && after <= paragraphs ? after : null);
  const at = (place: number | null) => (
    <Enclosures enclosures={enclosures.filter((each) => placeOf(each) === place)} speaker={speaker} />
  );
  return (
    <>
      <LetterWords content={content} after={at} places={enclosures.flatMap((each) => placeOf(each) ?? [])} />
      {at(null)}
    </>
  );
}
