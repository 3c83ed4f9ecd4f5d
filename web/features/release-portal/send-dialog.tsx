import { useState } from 'react';
import type { Portal } from '#shared/contract/release.ts';
import { Button } from '#web/components/ui/button.tsx';
import { Dialog } from '#web/components/ui/dialog.tsx';
import { TextField } from '#web/components/ui/field.tsx';
import { counted } from '#web/lib/format.ts';
import { messageCount, ownerFirstName } from './portal-words.ts';

const wordToType = 'SEND';

type SendDialogProps = {
  open: boolean;
  portal: Portal;
  isBusy: boolean;
  onKeepWaiting: () => void;
  onSend: () => void;
};

/** The second step before what can't be taken back: who gets what, and a word to type. */
export function SendDialog({ open, portal, ...rest }: SendDialogProps) {
  const messages = messageCount(portal);
  const title = `Send ${ownerFirstName(portal)}’s ${messages === 1 ? 'message' : `${messages} messages`} now?`;
  return (
    <Dialog open={open} onClose={rest.onKeepWaiting} title={title} closesOutside={false}>
      <SendForm portal={portal} {...rest} />
    </Dialog>
  );
}

function SendForm({ portal, isBusy, onKeepWaiting, onSend }: Omit<SendDialogProps, 'open'>) {
  const [typed, setTyped] = useState('');
  const isTyped = typed.trim().toUpperCase() === wordToType;
  const needsOthers = portal.quorum - portal.confirmations > 1;
  return (
    <form
      className="dialog-body"
      onSubmit={(event) => {
        event.preventDefault();
        if (isTyped && !isBusy) onSend();
      }}
    >
      <p>
        {needsOthers
          ? 'Your answer counts towards the people who must confirm. It can’t be taken back.'
          : 'Each person gets one email with a link, within minutes. It can’t be taken back.'}
      </p>
      <WhoGetsWhat portal={portal} />
      <TextField
        label={
          <>
            Type <span className="num">{wordToType}</span> to go on
          </>
        }
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        style={{ maxWidth: '12rem' }}
      />
      <div className="btns btns-stack">
        <Button variant="secondary" onClick={onKeepWaiting} data-focus-first="">
          Keep waiting
        </Button>
        <Button variant="danger" type="submit" disabled={!isTyped} busy={isBusy}>
          {isBusy ? 'Sending…' : needsOthers ? 'Confirm the release' : 'Send the messages now'}
        </Button>
      </div>
    </form>
  );
}

function WhoGetsWhat({ portal }: { portal: Portal }) {
  const { messages, privateMessageCount } = portal;
  return (
    <table className="list" style={{ tableLayout: 'fixed' }}>
      <caption className="vh">Who gets what</caption>
      <tbody>
        {messages.map(({ id, title, recipientEmail }) => (
          <tr key={id}>
            <td dir="auto">{title}</td>
            <td style={{ overflowWrap: 'anywhere' }}>{recipientEmail}</td>
          </tr>
        ))}
        {privateMessageCount > 0 ? (
          <tr>
            <td className="it">{counted(privateMessageCount, 'private message')}</td>
            <td className="quiet">
              {privateMessageCount === 1 ? 'the person' : 'the people'} {ownerFirstName(portal)} chose
            </td>
          </tr>
        ) : null}
      </tbody>
    </table>
  );
}
