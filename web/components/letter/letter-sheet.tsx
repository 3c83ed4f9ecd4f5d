import type { ReactNode } from 'react';
import { Sheet } from '#web/components/ui/card.tsx';
import { isoDay, longDate, type Moment } from '#web/lib/format.ts';

type LetterSheetProps = {
  /** Empty where its writer has given no name. */
  senderName: string;
  /** For whom else it is, where the reader is to see that. */
  alsoFor: readonly string[];
  title: string;
  /** A heading of its own on the reader's page; below others where its writer looks at it. */
  heading: 'h1' | 'h3';
  writtenAt: Moment;
  /** Absent before it was sent. */
  deliveredAt?: Moment;
  children: ReactNode;
};

/** The sheet on which a letter is read: who wrote it, its title and its days, and then the letter. */
export function LetterSheet({ senderName, alsoFor, title, heading: Heading, ...rest }: LetterSheetProps) {
  const { writtenAt, deliveredAt, children } = rest;
  return (
    <Sheet as="article">
      <p className="from">
        {senderName === '' ? null : <bdi>{senderName}</bdi>}
        {senderName === '' ? 'This was written for you' : ' wrote this for you'}
        {alsoFor.length > 0 ? ', and for ' : null}
        {alsoFor.length > 0 ? <bdi>{alsoFor.join(', ')}</bdi> : null}
      </p>
      <Heading className="reading-title" dir="auto">
        {title}
      </Heading>
      <p className="dates small">
        <span>
          Written <time dateTime={isoDay(writtenAt)}>{longDate(writtenAt)}</time>
        </span>
        {deliveredAt === undefined ? null : (
          <span>
            Delivered <time dateTime={isoDay(deliveredAt)}>{longDate(deliveredAt)}</time>
          </span>
        )}
      </p>
      {children}
    </Sheet>
  );
}
