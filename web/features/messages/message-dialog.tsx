import { useState } from 'react';
import type { Message } from '#shared/contract/messages.ts';
import { Button } from '#web/components/ui/button.tsx';
import { Dialog } from '#web/components/ui/dialog.tsx';
import { canKeepDrafts } from './draft-support.ts';
import { MessageForm, type Unsaved } from './message-form.tsx';

type MessageDialogProps = {
  open: boolean;
  onClose: () => void;
  message?: Message | undefined;
  ownerName: string;
};

/** Writing, in a dialog. It is not closed over words that are not saved without a question. */
export function MessageDialog({ open, onClose, message, ownerName }: MessageDialogProps) {
  const [unsaved, setUnsaved] = useState<Unsaved>();
  const [isAsking, setAsking] = useState(false);
  const close = () => {
    setAsking(false);
    setUnsaved(undefined);
    onClose();
  };
  const discard = () => {
    unsaved?.forget();
    close();
  };
  return (
    <>
      <Dialog
        open={open}
        onClose={() => (unsaved ? setAsking(true) : close())}
        title={message ? 'Edit message' : 'New message'}
        size="wide"
        closesOutside={false}
      >
        <MessageForm message={message} ownerName={ownerName} onSaved={close} onUnsaved={setUnsaved} />
      </Dialog>
      <Dialog open={open && isAsking} onClose={() => setAsking(false)} title="Leave your letter?" role="alertdialog">
        <p>
          It is not saved in your vault yet.{' '}
          {canKeepDrafts()
            ? 'What you typed stays on this device and is here when you come back.'
            : 'This browser can’t keep it for you: closed now, it is lost.'}
          {unsaved?.hasFile ? ' The file you chose is not kept; you would choose it again.' : null}
        </p>
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
