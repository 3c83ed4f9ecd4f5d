import { Fragment, type ReactNode } from 'react';
import { type Paragraph, paragraphsOf } from '#shared/rules/letters/paragraphs.ts';

type LetterWordsProps = {
  content: string;
  /** Content after that number of paragraphs; 0 is before the first. */
  after?: (paragraphs: number) => ReactNode;
  /** Numbers of paragraphs after which something stands. */
  places?: readonly number[];
};

/** A letter with more lines is shown as few blocks of text, because an element for each line costs seconds to draw. */
const linesMax = 2_000;

/** Text of a letter in paragraphs, equal for its writer's preview and its reader. */
export function LetterWords({ content, after, places = [] }: LetterWordsProps) {
  const paragraphs = paragraphsOf(content);
  const lines = paragraphs.reduce((sum, paragraph) => sum + paragraph.lines.length, 0);
  if (lines > linesMax) return <LongWords paragraphs={paragraphs} after={after} places={places} />;
  return (
    <div className="letter">
      {after?.(0)}
      {paragraphs.map((paragraph, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two paragraphs may be alike, and none ever moves.
        <Fragment key={index}>
          <p dir="auto" className={paragraph.isSignature ? 'sign' : undefined}>
            {linesOf(paragraph)}
          </p>
          {after?.(index + 1)}
        </Fragment>
      ))}
    </div>
  );
}

type LongWordsProps = Required<Pick<LetterWordsProps, 'places'>> & {
  paragraphs: readonly Paragraph[];
  after: LetterWordsProps['after'];
};

/** Text with its line breaks, as one block up to each place with content. */
function LongWords({ paragraphs, after, places }: LongWordsProps) {
  const inside = places.filter((place) => place > 0 && place < paragraphs.length);
  const ends = [...new Set([...inside, paragraphs.length])].sort((one, other) => one - other);
  return (
    <div className="letter">
      {after?.(0)}
      {ends.map((end, index) => (
        <Fragment key={end}>
          <p dir="auto" className="long">
            {paragraphs
              .slice(ends[index - 1] ?? 0, end)
              .map(({ lines }) => lines.join('\n'))
              .join('\n\n')}
          </p>
          {after?.(end)}
        </Fragment>
      ))}
    </div>
  );
}

function linesOf({ lines }: Paragraph): ReactNode {
  return lines.map((line, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: as above.
    <span key={index}>
      {index > 0 ? <br /> : null}
      {withHangingQuote(line, index === 0)}
    </span>
  ));
}

/** An opening quotation mark stands in the margin, where the browser does not put it there by itself. */
function withHangingQuote(line: string, isFirst: boolean): ReactNode {
  if (!isFirst || !/^[“"]/.test(line)) return line;
  return (
    <>
      <span className="hang">{line[0]}</span>
      {line.slice(1)}
    </>
  );
}
