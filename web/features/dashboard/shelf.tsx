import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Envelope } from '#shared/contract/letters/envelopes.ts';
import { ButtonLink } from '#web/components/ui/button.tsx';
import { KeptArt, type KeptKind } from './kept-art.tsx';
import { envelopeName, keptState } from './shelf-words.ts';
import './home.css';

type ShelfProps = {
  messages: readonly Envelope[];
  /** Number of all letters; the list has them. */
  all: number;
  /** The letter on the seal: the first of the owner's name. */
  initial: string;
  canWrite: boolean;
  /** Id of the letter whose words are being read. */
  openingId: string | undefined;
  onOpen: (message: Envelope) => void;
  onWrite: () => void;
};

/** The letters as they stand on a shelf, each in its envelope. */
export function Shelf({ messages, all, initial, canWrite, openingId, onOpen, onWrite }: ShelfProps) {
  return (
    <section className="shelf-sec" aria-labelledby="your-letters">
      <div className="sec-head">
        <h2 id="your-letters">Your letters</h2>
        {all > 0 ? (
          <ButtonLink variant="text" size="small" href="/messages">
            {all === 1 ? 'See it in the list' : `See all ${all}`}
          </ButtonLink>
        ) : null}
      </div>
      <p className="vh" role="status">
        {openingId === undefined ? '' : 'Opening the letter'}
      </p>
      <ul className="shelf">
        {messages.map((message) => (
          <Kept
            key={message.id}
            message={message}
            initial={initial}
            isOpening={message.id === openingId}
            onOpen={() => onOpen(message)}
          />
        ))}
        {canWrite ? (
          <li className="kept kept-blank">
            <button type="button" onClick={onWrite}>
              <Art kind="blank" />
              <span className="kept-say">
                <span className="kept-title">{all === 0 ? 'Write your first letter' : 'Write another letter'}</span>
              </span>
            </button>
          </li>
        ) : null}
      </ul>
    </section>
  );
}

type KeptProps = { message: Envelope; initial: string; isOpening: boolean; onOpen: () => void };

function Kept({ message, initial, isOpening, onOpen }: KeptProps) {
  const { title, status, isDamaged } = message;
  const name = isDamaged ? '' : envelopeName(message);
  const inside = (
    <>
      <Art kind={status} initial={initial}>
        {name === '' ? null : <bdi className="kept-name">{status === 'draft' ? `Dear ${name},` : name}</bdi>}
      </Art>
      <span className="kept-say">
        <span className="kept-title">{title}</span>
        <span className="kept-state">{isDamaged ? 'It can’t be read any more' : keptState(message)}</span>
      </span>
    </>
  );
  return (
    <li className={`kept kept-${status}`} aria-busy={isOpening}>
      {status === 'delivered' || isDamaged ? (
        <Link href="/messages">{inside}</Link>
      ) : (
        <button type="button" onClick={onOpen}>
          {inside}
        </button>
      )}
    </li>
  );
}

function Art({ kind, initial, children }: { kind: KeptKind; initial?: string | undefined; children?: ReactNode }) {
  return (
    <span className="kept-art">
      <span className="kept-in">
        <KeptArt kind={kind} initial={initial} />
        {children}
      </span>
    </span>
  );
}

/** The shelf while its letters are on their way. */
export function ShelfSkeleton() {
  return (
    <div className="shelf-sec" aria-hidden="true">
      <div className="sec-head">
        <p className="h-sec">Your letters</p>
      </div>
      <div className="shelf">
        {['one', 'two', 'three'].map((key) => (
          <div className="kept kept-blank" key={key}>
            <div>
              <Art kind="blank" />
              <span className="kept-say" />
            </div>
          </div>
        ))}
      </div>
    </div>
  );
}
