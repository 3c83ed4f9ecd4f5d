import { Enclosed } from '#web/components/letter/enclosed.tsx';
import { Sheet } from '#web/components/ui/card.tsx';
import type { ShownFile } from '#web/components/ui/file-field.tsx';
import { isoDay, longDate } from '#web/lib/format.ts';

type LetterPreviewProps = { title: string; content: string; ownerName: string; enclosed: ShownFile | undefined };

/** The letter as its recipient will read it, less the page around it. */
export function LetterPreview({ title, content, ownerName, enclosed }: LetterPreviewProps) {
  const nowMs = Date.now();
  return (
    <div className="reading">
      <Sheet as="article">
        <p className="from">{ownerName === '' ? 'This was written for you' : `${ownerName} wrote this for you`}</p>
        <h3 className="reading-title">{title.trim() || 'No title yet'}</h3>
        <p className="dates small">
          <span>
            Written <time dateTime={isoDay(nowMs)}>{longDate(nowMs)}</time>
          </span>
        </p>
        <LetterText content={content.trim() || 'No words yet.'} />
        {enclosed ? <Enclosed {...enclosed} /> : null}
      </Sheet>
    </div>
  );
}

/** The words of a letter in their paragraphs. Single line breaks stay where they were put. */
export function LetterText({ content }: { content: string }) {
  const paragraphs = content.split(/\n{2,}/);
  return (
    <div className="letter">
      {paragraphs.map((paragraph, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two paragraphs may be alike, and none ever moves.
        <p key={index} className="letter-p">
          {paragraph}
        </p>
      ))}
    </div>
  );
}
