import { useState } from 'react';
import type { Envelope } from '#shared/contract/letters/envelopes.ts';
import { Button } from '#web/components/ui/button.tsx';
import { Dialog } from '#web/components/ui/dialog.tsx';
import { LoadError } from '#web/components/ui/empty.tsx';
import { SkeletonRows } from '#web/components/ui/skeleton.tsx';
import { call } from '#web/lib/api/api.ts';
import { light } from '#web/lib/api/light-routes.ts';
import { useReadBy } from '#web/lib/api/reads.ts';
import { type Named, namesTogether, readerName } from '#web/lib/reader-names.ts';
import { toast } from '#web/lib/toast.ts';
import { useChangeLetters } from './change-letters.ts';
import { moved, newPlaces } from './letter-groups.rules.ts';

type OrderDialogProps = { reader: Named | undefined; onClose: () => void };

/** In which order one person reads their letters. Nothing is changed before it is kept. */
export function OrderDialog({ reader, onClose }: OrderDialogProps) {
  return (
    <Dialog
      open={reader !== undefined}
      onClose={onClose}
      title={reader ? `The order of the letters to ${readerName(reader)}` : ''}
    >
      {reader ? <LettersTo reader={reader} onClose={onClose} /> : null}
    </Dialog>
  );
}

/** Reads all letters that the person is still to get. */
function LettersTo({ reader, onClose }: { reader: Named; onClose: () => void }) {
  const letters = useReadBy({
    key: [light.searchEnvelopes.path, 'reader', reader.email],
    read: (signal) => readLettersTo(reader.email, signal),
    // Read for this opening of the dialog: what the owner moves must not change below them.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (letters.data) return <Order reader={reader} {...letters.data} onClose={onClose} />;
  if (!letters.isError) return <SkeletonRows rows={2} label="Loading the letters" />;
  return <LoadError title="We could not load these letters" onRetry={() => letters.refetch()} />;
}

/** Longest order that is changed at once. The dialog shows the first letters of a longer one. */
const orderedMax = 200;
/** Number of tries to read all pages before one of the letters changes. */
const readsMax = 3;

type LettersRead = { letters: readonly Envelope[]; found: number };

async function readLettersTo(reader: string, signal: AbortSignal): Promise<LettersRead> {
  for (let reads = 0; reads < readsMax; reads += 1) {
    const read = await readPagesTo(reader, signal);
    if (read) return read;
  }
  throw new Error('The letters changed while they were read.');
}

/** Null if the order changed between two pages. */
async function readPagesTo(reader: string, signal: AbortSignal): Promise<LettersRead | null> {
  const readPage = (from: number) => call(light.searchEnvelopes, { body: { reader, from }, signal });
  let page = await readPage(0);
  const { order } = page;
  const letters = page.groups.flatMap(({ envelopes }) => envelopes);
  while (page.next !== null && letters.length < orderedMax) {
    page = await readPage(page.next);
    if (page.order !== order) return null;
    letters.push(...page.groups.flatMap(({ envelopes }) => envelopes));
  }
  return { letters, found: page.found };
}

type OrderProps = LettersRead & { reader: Named; onClose: () => void };

function Order({ reader, letters: before, found, onClose }: OrderProps) {
  const [letters, setLetters] = useState(before);
  const [said, setSaid] = useState('');
  const change = useChangeLetters(({ failed, meanwhile }) => {
    onClose();
    const description = meanwhile.length > 0 ? meanwhileWords(meanwhile) : failedWords;
    if (failed > 0) toast({ title: 'Update Failed', description, variant: 'destructive' });
    else toast({ title: 'Messages Updated', description: `${readerName(reader)} reads them in this order.` });
  });
  const move = (index: number, by: -1 | 1) => {
    setLetters(moved(letters, index, by));
    setSaid(`${letters[index]?.title} is now ${index + 1 + by} of ${letters.length}`);
  };
  const keep = () => {
    const places = newPlaces(letters);
    if (places.size === 0) onClose();
    else if (!change.isPending)
      change.mutate({ letters: letters.filter(({ id }) => places.has(id)), change: { what: 'places', places } });
  };
  return (
    <>
      <p className="quiet">
        One email brings all of them. The first stands on top.
        {found > before.length ? ` These are the first ${before.length} of ${found}.` : null}
      </p>
      <ol className="order">
        {letters.map((letter, index) => (
          <Place key={letter.id} letter={letter} reader={reader} {...{ index, of: letters.length, move }} />
        ))}
      </ol>
      <p className="vh" role="status">
        {said}
      </p>
      <div className="btns">
        <Button variant="secondary" onClick={onClose}>
          Leave it as it was
        </Button>
        <Button busy={change.isPending} onClick={keep}>
          {change.isPending ? 'Saving…' : 'Keep this order'}
        </Button>
      </div>
      {change.dialog}
    </>
  );
}

const meanwhileWords = (titles: readonly string[]) =>
  `Changed elsewhere meanwhile, so not moved: ${titles.map((title) => `“${title}”`).join(', ')}. Please try again.`;
const failedWords = 'Not all of them could be put in their place. Please try again.';

type PlaceProps = {
  letter: Envelope;
  reader: Named;
  index: number;
  of: number;
  move: (index: number, by: -1 | 1) => void;
};

function Place({ letter: { title, status, recipients }, reader, index, of, move }: PlaceProps) {
  const others = recipients.filter(({ email }) => email !== reader.email).map(readerName);
  const notes = [
    others.length > 0 ? `for ${namesTogether(others)} too` : '',
    status === 'draft' ? 'still a draft' : '',
  ].filter(Boolean);
  return (
    <li>
      <div>
        <span className="order-title">{title}</span>
        {notes.length > 0 ? <span className="small quiet">{notes.join(', ')}</span> : null}
      </div>
      <div className="order-acts">
        <Button variant="text" size="small" disabled={index === 0} onClick={() => move(index, -1)}>
          Earlier<span className="vh">: {title}</span>
        </Button>
        <Button variant="text" size="small" disabled={index === of - 1} onClick={() => move(index, 1)}>
          Later<span className="vh">: {title}</span>
        </Button>
      </div>
    </li>
  );
}
