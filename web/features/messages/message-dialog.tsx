import { useState } from 'react';
import type { Message } from '#shared/contract/messages.ts';
import { Button } from '#web/components/ui/button.tsx';
import { Dialog } from '#web/components/ui/dialog.tsx';
import { canKeepDrafts } from './drafts/draft-support.ts';
import { MessageForm, type Unsaved } from './message-form.tsx';
import { SealedMoment, sealedFor } from './sealed-moment.tsx';

type MessageDialogProps = {
  open: boolean;
  onClose: () => void;
  message?: Message | undefined;
  ownerName: string;
  /** The number of the question that a mail has led here with. */
  question?: number | null;
};

/** Content of the dialog: a form, or a letter that was just sealed. */
type Turn =
  | { what: 'form'; message: Message | undefined; turn: number }
  | { what: 'sealed'; message: Message; turn: number };

/** Writing, in a dialog. It is not closed over words that are not saved without a question. */
export function MessageDialog({ open, onClose, message, ownerName, question = null }: MessageDialogProps) {
  const first: Turn = { what: 'form', message, turn: 0 };
  const [now, setNow] = useState<Turn>(first);
  const [unsaved, setUnsaved] = useState<Unsaved>();
  const [isAsking, setAsking] = useState(false);
  const close = () => {
    setAsking(false);
    setUnsaved(undefined);
    setNow(first);
    onClose();
  };
  const discard = () => {
    unsaved?.forget();
    close();
  };
  const write = (next: Message | undefined) => setNow({ what: 'form', message: next, turn: now.turn + 1 });
  const showSaved = (saved: Message) => {
    if (saved.status !== 'ready') return close();
    setUnsaved(undefined);
    setNow({ what: 'sealed', message: saved, turn: now.turn + 1 });
  };
  return (
    <>
      <Dialog
        open={open}
        onClose={() => (unsaved ? setAsking(true) : close())}
        title={now.what === 'sealed' ? sealedFor(now.message) : now.message ? 'Edit message' : 'New message'}
        size="wide"
        closesOutside={false}
      >
        {now.what === 'sealed' ? (
          <SealedMoment
            message={now.message}
            ownerName={ownerName}
            onClose={close}
            onWrite={() => write(undefined)}
            onOpen={() => write(now.message)}
          />
        ) : (
          <MessageForm
            key={now.turn}
            message={now.message}
            ownerName={ownerName}
            question={now.message ? null : question}
            onSaved={showSaved}
            onReplaced={write}
            onUnsaved={setUnsaved}
          />
        )}
      </Dialog>
      <Dialog open={open && isAsking} onClose={() => setAsking(false)} title="Leave your letter?" role="alertdialog">
        <p>{whatStays(unsaved)}</p>
        <div className="btns">
          <Button variant="secondary" onClick={() => setAsking(false)} data-focus-first="">
            Keep writing
          </Button>
          {canKeepDrafts() ? <Button onClick={close}>Close and keep it here</Button> : null}
          <Button variant="text" onClick={discard}>
            Discard it
          </Button>
        </div>
      </Dialog>
    </>
  );
}

/** Explains the fate of a letter that is closed before it was saved. */
function whatStays(unsaved: Unsaved | undefined): string {
  return [
    'It is not saved in your vault yet.',
    canKeepDrafts()
      ? 'What you typed stays on this device and is here when you come back.'
      : 'This browser can’t keep it for you: closed now, it is lost.',
    unsaved?.hasFile ? 'The file you chose is not kept; you would choose it again.' : '',
    unsaved?.hasEnclosures ? 'Pictures and voice are not kept; save the letter as a draft, and they are.' : '',
  ]
    .filter(Boolean)
    .join(' ');
}
