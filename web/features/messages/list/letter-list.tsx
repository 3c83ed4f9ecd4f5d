import { useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { Message } from '#shared/contract/messages.ts';
import type { Choosing } from '#web/components/choosing/use-choosing.ts';
import { initialOf } from '#web/components/letter/wax-seal.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { namesTogether, readerName, yourRelation } from '#web/lib/reader-names.ts';
import { type EnvelopeActs, LetterEnvelope } from './letter-envelope.tsx';
import {
  type LetterGroup,
  type LetterSort,
  lettersByPerson,
  orderedGroups,
  orderNote,
  type Reader,
  readingPlaces,
  sortedLetters,
} from './letter-groups.rules.ts';
import { OrderDialog } from './order-dialog.tsx';
import './letters.css';

type LetterListProps = {
  /** What is shown of all there are. */
  found: readonly Message[];
  messages: readonly Message[];
  sort: LetterSort;
  hidesWords: boolean;
  ownerName: string;
  choosing: Choosing<Message>;
  onOpen: (message: Message) => void;
  onDelete: (message: Message) => void;
};

/** Letters as envelopes, by the people they are for or one after the other. */
export function LetterList({ found, messages, sort, ...rest }: LetterListProps) {
  const [ordered, setOrdered] = useState<Reader>();
  const places = useMemo(() => readingPlaces(messages), [messages]);
  const acts = useActs({ choose: rest.choosing.choose, open: rest.onOpen, remove: rest.onDelete });
  const envelope = (message: Message, reader?: Reader) => (
    <LetterEnvelope
      key={message.id}
      message={message}
      initial={initialOf(rest.ownerName)}
      hidesWords={rest.hidesWords}
      note={orderNote(message, places, reader)}
      isChosen={rest.choosing.isChosen(message)}
      acts={acts}
    />
  );
  if (sort !== 'person') {
    return <ul className="envs envs-flat">{sortedLetters(found, sort).map((message) => envelope(message))}</ul>;
  }
  const groups = lettersByPerson(found);
  const orderedIn = orderedGroups(groups);
  return (
    <>
      <div className="persons">
        {groups.map((group) => (
          <Person
            key={group.key}
            group={group}
            orderable={
              rest.choosing.chosen
                ? []
                : group.readers.filter(
                    ({ email }) => (places.get(email)?.size ?? 0) > 1 && orderedIn.get(email) === group,
                  )
            }
            onOrder={setOrdered}
          >
            {group.letters.map((message) => envelope(message, group.readers[0]))}
          </Person>
        ))}
      </div>
      <OrderDialog reader={ordered} messages={messages} onClose={() => setOrdered(undefined)} />
    </>
  );
}

/** Actions of envelopes as one lasting object, so that an envelope is drawn again only if it shows something else. */
function useActs(acts: EnvelopeActs): EnvelopeActs {
  const latest = useRef(acts);
  useLayoutEffect(() => {
    latest.current = acts;
  });
  return useMemo(
    () => ({
      choose: (message) => latest.current.choose(message),
      open: (message) => latest.current.open(message),
      remove: (message) => latest.current.remove(message),
    }),
    [],
  );
}

type PersonProps = {
  group: LetterGroup;
  orderable: readonly Reader[];
  onOrder: (reader: Reader) => void;
  children: React.ReactNode;
};

function Person({ group: { readers, letters }, orderable, onOrder, children }: PersonProps) {
  const names = readers.map(readerName).filter(Boolean);
  const about = aboutReaders(readers, letters);
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
function aboutReaders(readers: readonly Reader[], letters: readonly Message[]): string {
  const relations = readers.map(({ relation }) => yourRelation(relation));
  const known = relations.every(Boolean) ? namesTogether(relations) : '';
  if (readers.length < 2) return known;
  const shown = new Set(letters.map(({ showRecipients }) => showRecipients));
  const way = shown.size > 1 ? '' : shown.has(true) ? 'together' : 'each alone';
  return [known, way].filter(Boolean).join(', ');
}
