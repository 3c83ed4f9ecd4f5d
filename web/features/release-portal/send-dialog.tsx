import { useState } from 'react';
import type { Portal } from '#shared/contract/release/portal.ts';
import { isWordToSend, wordToSend } from '#shared/rules/release-answers.ts';
import { pressName } from '#web/components/layout/press-form.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { Card } from '#web/components/ui/card.tsx';
import { Dialog } from '#web/components/ui/dialog.tsx';
import { TextField } from '#web/components/ui/field.tsx';
import { counted } from '#web/lib/format.ts';
import { isSentAtOnce, messageCount, ownerFirstName, takeBackWords, whatIsSent } from './portal-words.ts';
import { Readers } from './readers.tsx';

type SendDialogProps = {
  open: boolean;
  portal: Portal;
  isBusy: boolean;
  onKeepWaiting: () => void;
  onSend: () => void;
};

/** The second step before letters leave, which nothing takes back: who gets what, and a word to type. */
export function SendDialog({ open, portal, ...rest }: SendDialogProps) {
  return (
    <Dialog open={open} onClose={rest.onKeepWaiting} title={titleOf(portal)} closesOutside={false}>
      <SendForm portal={portal} {...rest} />
    </Dialog>
  );
}

/** The step inside the page, for browsers without scripts. */
export function SendStep({ portal, reason }: { portal: Portal; reason: string }) {
  return (
    <Card as="section" className="answer" aria-labelledby="portal-send">
      <h2 className="h-card" id="portal-send">
        {titleOf(portal)}
      </h2>
      <form method="post" className="stack stack-close" data-posted-by="browser">
        <SendFacts portal={portal} />
        <input type="hidden" name="reason" value={reason} />
        <TextField label={<WordToType />} name="typed" required autoComplete="off" className="word-to-type" />
        <div className="btns btns-stack">
          <a className="btn btn-2" href="?">
            Keep waiting
          </a>
          <Button variant="danger" type="submit" name={pressName} value="confirm">
            {isSentAtOnce(portal) ? 'Send the messages now' : 'Confirm the release'}
          </Button>
        </div>
      </form>
    </Card>
  );
}

function titleOf(portal: Portal): string {
  const messages = messageCount(portal);
  const what = `${ownerFirstName(portal)}’s ${messages === 1 ? 'message' : `${messages} messages`}`;
  return isSentAtOnce(portal) ? `Send ${what} now?` : `Confirm the release of ${what}?`;
}

function WordToType() {
  return (
    <>
      Type <span className="num">{wordToSend}</span> to go on
    </>
  );
}

function SendFacts({ portal }: { portal: Portal }) {
  return (
    <>
      <p>{[...whatIsSent(portal), takeBackWords].join(' ')}</p>
      <WhoGetsWhat portal={portal} />
    </>
  );
}

function SendForm({ portal, isBusy, onKeepWaiting, onSend }: Omit<SendDialogProps, 'open'>) {
  const [typed, setTyped] = useState('');
  const isTyped = isWordToSend(typed);
  const isAtOnce = isSentAtOnce(portal);
  return (
    <form
      className="dialog-body"
      onSubmit={(event) => {
        event.preventDefault();
        if (isTyped && !isBusy) onSend();
      }}
    >
      <SendFacts portal={portal} />
      <TextField
        label={<WordToType />}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        className="word-to-type"
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
  const { messages, messagesLeftOut, privateMessageCount } = portal;
  return (
    <table className="list list-fixed">
      <caption className="vh">Who gets what</caption>
      <tbody>
        {messages.map(({ id, title, recipients }) => (
          <tr key={id}>
            <td dir="auto">{title}</td>
            <td className="anywhere">
              <Readers recipients={recipients} />
            </td>
          </tr>
        ))}
        {messagesLeftOut > 0 ? (
          <tr>
            <td className="it">{counted(messagesLeftOut, 'more message')}</td>
            <td className="quiet">the people {ownerFirstName(portal)} chose</td>
          </tr>
        ) : null}
        {privateMessageCount > 0 ? (
          <tr>
            <td className="it">{counted(privateMessageCount, 'private message')}</td>
            <td className="quiet">the people {ownerFirstName(portal)} chose</td>
          </tr>
        ) : null}
      </tbody>
    </table>
  );
}
