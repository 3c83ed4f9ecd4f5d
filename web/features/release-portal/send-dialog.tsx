import { useState } from 'react';
import type { Portal } from '#shared/contract/release/portal.ts';
import { Button } from '#web/components/ui/button.tsx';
import { Dialog } from '#web/components/ui/dialog.tsx';
import { TextField } from '#web/components/ui/field.tsx';
import { counted } from '#web/lib/format.ts';
import { isSentAtOnce, messageCount, ownerFirstName, takeBackWords, whatIsSent } from './portal-words.ts';

const wordToType = 'SEND';

type SendDialogProps = {
  open: boolean;
  portal: Portal;
  isBusy: boolean;
  onKeepWaiting: () => void;
  onSend: () => void;
};

/** The second step before letters leave, which nothing takes back: who gets what, and a word to type. */
export function SendDialog({ open, portal, ...rest }: SendDialogProps) {
  const messages = messageCount(portal);
  const what = `${ownerFirstName(portal)}’s ${messages === 1 ? 'message' : `${messages} messages`}`;
  const title = isSentAtOnce(portal) ? `Send ${what} now?` : `Confirm the release of ${what}?`;
  return (
    <Dialog open={open} onClose={rest.onKeepWaiting} title={title} closesOutside={false}>
      <SendForm portal={portal} {...rest} />
    </Dialog>
  );
}

function SendForm({ portal, isBusy, onKeepWaiting, onSend }: Omit<SendDialogProps, 'open'>) {
  const [typed, setTyped] = useState('');
  const isTyped = typed.trim().toUpperCase() === wordToType;
  const isAtOnce = isSentAtOnce(portal);
  return (
    <form
      className="dialog-body"
      onSubmit={(event) => {
        event.preventDefault();
        if (isTyped && !isBusy) onSend();
      }}
    >
      <p>{[...whatIsSent(portal), takeBackWords].join(' ')}</p>
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
          {isAtOnce ? (isBusy ? 'Sending…' : 'Send the messages now') : isBusy ? 'Confirming…' : 'Confirm the release'}
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
