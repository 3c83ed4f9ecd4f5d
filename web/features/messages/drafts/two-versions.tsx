import { useEffect, useRef } from 'react';
import { Button } from '#web/components/ui/button.tsx';
import { readerName } from '#web/lib/reader-names.ts';
import type { WritingInput } from '../writing.ts';
import './two-versions.css';

type TwoVersionsProps = {
  these: WritingInput;
  other: { writing: WritingInput; updatedAt: string };
  onChoose: (which: 'these' | 'other') => void;
};

const when = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', hour: '2-digit', minute: '2-digit' });

/** One letter that was written to in two places: both as they are, and the choice. */
export function TwoVersions({ these, other, onChoose }: TwoVersionsProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  // The field that was written in has gone, and the focus would go with it.
  useEffect(() => heading.current?.focus(), []);
  return (
    <section className="two-versions" aria-labelledby="two-versions-title">
      <h3 id="two-versions-title" tabIndex={-1} ref={heading}>
        You have written to this letter in two places
      </h3>
      <p>Here are both. Choose the one to go on with; nothing is saved or sent by that.</p>
      <div className="two-versions-side">
        <Version title="On this device" writing={these} onChoose={() => onChoose('these')} />
        <Version
          title={`On another device, ${when.format(Date.parse(other.updatedAt))}`}
          writing={other.writing}
          onChoose={() => onChoose('other')}
        />
      </div>
    </section>
  );
}

function Version({ title, writing, onChoose }: { title: string; writing: WritingInput; onChoose: () => void }) {
  const readers = writing.recipients.map((reader) => readerName(reader) || reader.email).filter(Boolean);
  return (
    <article className="version">
      <h4>{title}</h4>
      {readers.length > 0 ? <p className="small quiet">For {readers.join(', ')}</p> : null}
      <p className="version-title">{writing.title.trim() || 'No title yet'}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keys. */}
      <section className="version-words" tabIndex={0} aria-label={`Words ${lowerFirst(title)}`}>
        {writing.content.trim() || 'No words yet.'}
      </section>
      <Button variant="secondary" onClick={onChoose} aria-label={`Go on with this one, ${lowerFirst(title)}`}>
        Go on with this one
      </Button>
    </article>
  );
}

function lowerFirst(words: string): string {
  return words.charAt(0).toLowerCase() + words.slice(1);
}
