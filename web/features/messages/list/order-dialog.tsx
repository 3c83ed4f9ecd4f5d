import { useState } from 'react';
import type { Message } from '#shared/contract/messages.ts';
import { Button } from '#web/components/ui/button.tsx';
import { Dialog } from '#web/components/ui/dialog.tsx';
import { namesTogether, readerName } from '#web/lib/reader-names.ts';
import { toast } from '#web/lib/toast.ts';
import { useChangeLetters } from './change-letters.ts';
import { lettersTo, moved, newPlaces, type Reader } from './letter-groups.rules.ts';

type OrderDialogProps = { reader: Reader | undefined; messages: readonly Message[]; onClose: () => void };

/** In which order one person reads their letters. Nothing is changed before it is kept. */
export function OrderDialog({ reader, messages, onClose }: OrderDialogProps) {
  return (
    <Dialog
      open={reader !== undefined}
      onClose={onClose}
      title={reader ? `The order of the letters to ${readerName(reader)}` : ''}
    >
      {reader ? <Order reader={reader} letters={lettersTo(messages, reader.email)} onClose={onClose} /> : null}
    </Dialog>
  );
}

type OrderProps = { reader: Reader; letters: readonly Message[]; onClose: () => void };

function Order({ reader, letters: before, onClose }: OrderProps) {
  const [letters, setLetters] = useState(before);
  const [said, setSaid] = useState('');
  const change = useChangeLetters(({ failed }) => {
    onClose();
    if (failed > 0) toast({ title: 'Update Failed', description: failedWords, variant: 'destructive' });
    else toast({ title: 'Messages Updated', description: `${readerName(reader)} reads them in this order.` });
  });
  const move = (index: number, by: -1 | 1) => {
    setLetters(moved(letters, index, by));
    setSaid(`${letters[index]?.title} is now ${index + 1 + by} of ${letters.length}`);
  };
  const keep = () => {
    const places = newPlaces(letters);
    if (places.size === 0) onClose();
    else if (!change.isPending) change.mutate({ ids: [...places.keys()], change: { what: 'places', places } });
  };
  return (
    <>
      <p className="quiet">One email brings all of them. The first stands on top.</p>
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

const failedWords = 'Not all of them could be put in their place. Please try again.';

type PlaceProps = {
  letter: Message;
  reader: Reader;
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
