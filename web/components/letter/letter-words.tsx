import { Fragment, type ReactNode } from 'react';
import { type Paragraph, paragraphsOf } from '#shared/rules/letters/paragraphs.ts';

type LetterWordsProps = {
  content: string;
  /** What stands after so many paragraphs; after 0 it stands before the first. */
  after?: (paragraphs: number) => ReactNode;
};

/** The words of a letter in their paragraphs: the same for its writer, who looks at it first, and for whoever reads it. */
export function LetterWords({ content, after }: LetterWordsProps) {
  return (
    <div className="letter">
      {after?.(0)}
      {paragraphsOf(content).map((paragraph, index) => (
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
