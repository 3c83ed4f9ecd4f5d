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
  /** Without people if the letters are not sorted by them. */
  groups: readonly EnvelopeGroup[];
  isByPerson: boolean;
  /** True while the letters of another search or order are on their way. */
  isBehind: boolean;
  /** Id of the letter whose words are being read. */
  openingId: string | undefined;
  hidesWords: boolean;
  ownerName: string;
  choosing: Choosing<Envelope>;
  onOpen: (message: Envelope) => void;
  onDelete: (message: Envelope) => void;
};

/** Letters as envelopes, by the people they are for or one after the other. */
export function LetterList({ groups, isByPerson, isBehind, ...rest }: LetterListProps) {
  const [ordered, setOrdered] = useState<Reader>();
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
          <Person
            key={group.key}
            group={group}
            orderable={rest.choosing.chosen ? [] : group.readers.filter(({ isOrdered }) => isOrdered)}
            onOrder={setOrdered}
          >
            {group.envelopes.map((message) => envelope(message, group.readers[0]))}
          </Person>
        ))}
      </div>
      <OrderDialog reader={ordered} onClose={() => setOrdered(undefined)} />
    </>
  );
}

type PersonProps = {
  group: EnvelopeGroup;
  orderable: readonly Reader[];
  onOrder: (reader: Reader) => void;
  children: React.ReactNode;
};

function Person({ group: { readers, envelopes }, orderable, onOrder, children }: PersonProps) {
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

/** `your daughter`; of several `your daughter and your grandson, together`, or `each alone` where they don't see each other. */
function aboutReaders(readers: readonly Reader[], letters: readonly Envelope[]): string {
  const relations = readers.map(({ relation }) => yourRelation(relation));
  const known = relations.every(Boolean) ? namesTogether(relations) : '';
  if (readers.length < 2) return known;
  const shown = new Set(letters.map(({ showRecipients }) => showRecipients));
  const way = shown.size > 1 ? '' : shown.has(true) ? 'together' : 'each alone';
  return [known, way].filter(Boolean).join(', ');
}
