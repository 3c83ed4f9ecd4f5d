import { useState } from 'react';
import type { Envelope, EnvelopeGroup } from '#shared/contract/letters/envelopes.ts';
import type { Choosing } from '#web/components/choosing/use-choosing.ts';
import { initialOf } from '#web/components/letter/wax-seal.tsx';
import { useLastingActs } from '#web/components/list-pages/use-lasting-acts.ts';
import { Button } from '#web/components/ui/button.tsx';
import { namesTogether, readerName, yourRelation } from '#web/lib/reader-names.ts';
import { type EnvelopeActs, LetterEnvelope } from './letter-envelope.tsx';
import { orderNote } from './letter-groups.rules.ts';
import { OrderDialog } from './order-dialog.tsx';
import './letters.css';

type Reader = EnvelopeGroup['readers'][number];

export type LetterListProps = {
  /** One group without readers if the letters are not sorted by person. */
  groups: readonly EnvelopeGroup[];
  isByPerson: boolean;
  /** True while the letters of another search or order are loading. */
  isBehind: boolean;
  /** Id of the letter whose words are loading, after a press on its envelope. */
  openingId: string | undefined;
  hidesWords: boolean;
  ownerName: string;
  choosing: Choosing<Envelope>;
  onOpen: (message: Envelope) => void;
  onDelete: (message: Envelope) => void;
};

/** Letters as envelopes, grouped by reader or as one list. */
export function LetterList({ groups, isByPerson, isBehind, ...rest }: LetterListProps) {
  const [orderingReader, setOrderingReader] = useState<Reader>();
  const acts = useLastingActs<Envelope, EnvelopeActs>({
    choose: rest.choosing.choose,
    open: rest.onOpen,
    remove: rest.onDelete,
  });
  const envelope = (message: Envelope, reader?: Reader) => (
    <LetterEnvelope
      key={message.id}
      message={message}
      initial={initialOf(rest.ownerName)}
      hidesWords={rest.hidesWords}
      note={orderNote(message, reader)}
      isChosen={rest.choosing.isChosen(message)}
      isOpening={rest.openingId === message.id}
      acts={acts}
    />
  );
  if (!isByPerson) {
    const envelopes = groups.flatMap((group) => group.envelopes);
    return (
      <ul className="envs envs-flat" aria-busy={isBehind}>
        {envelopes.map((message) => envelope(message))}
      </ul>
    );
  }
  return (
    <>
      <div className="persons" aria-busy={isBehind}>
        {groups.map((group) => (
          <ReaderGroup
            key={group.key}
            group={group}
            orderable={rest.choosing.chosen ? [] : group.readers.filter(({ isOrdered }) => isOrdered)}
            onOrder={setOrderingReader}
          >
            {/* A letter for several readers has no place in an order, so only the first reader matters. */}
            {group.envelopes.map((message) => envelope(message, group.readers[0]))}
          </ReaderGroup>
        ))}
      </div>
      <OrderDialog reader={orderingReader} onClose={() => setOrderingReader(undefined)} />
    </>
  );
}

type ReaderGroupProps = {
  group: EnvelopeGroup;
  orderable: readonly Reader[];
  onOrder: (reader: Reader) => void;
  children: React.ReactNode;
};

function ReaderGroup({ group: { readers, envelopes }, orderable, onOrder, children }: ReaderGroupProps) {
  const names = readers.map(readerName).filter(Boolean);
  const about = aboutReaders(readers, envelopes);
  const isAddress = readers.every(({ name }) => !name);
  return (
    <section className="person">
      <header>
        <h2 className={isAddress ? 'it anywhere is-address' : 'it anywhere'}>
          {names.length > 0 ? `To ${namesTogether(names)}` : 'To somebody we can’t name'}
        </h2>
        {about ? <p className="quiet small">{about}</p> : null}
        {orderable.length > 0 ? (
          <p className={readers.length > 1 ? 'person-act is-below' : 'person-act'}>
            {orderable.map((reader) => (
              <Button
                key={reader.email}
                variant="text"
                size="small"
                aria-label={`Change the order of the letters to ${readerName(reader)}`}
                onClick={() => onOrder(reader)}
              >
                Change the order
                {readers.length > 1 ? ` of the letters to ${readerName(reader)}` : null}
              </Button>
            ))}
          </p>
        ) : null}
      </header>
      <ul className="envs">{children}</ul>
    </section>
  );
}

/** `your daughter`, or for several `your daughter and your grandson, together`. `each alone` if they don't see each other's names. */
function aboutReaders(readers: readonly Reader[], letters: readonly Envelope[]): string {
  const relations = readers.map(({ relation }) => yourRelation(relation));
  const known = relations.every(Boolean) ? namesTogether(relations) : '';
  if (readers.length < 2) return known;
  const shown = new Set(letters.map(({ showRecipients }) => showRecipients));
  const way = shown.size > 1 ? '' : shown.has(true) ? 'together' : 'each alone';
  return [known, way].filter(Boolean).join(', ');
}
