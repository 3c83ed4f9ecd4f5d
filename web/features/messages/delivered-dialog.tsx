import { useState } from 'react';
import { getEnclosure } from '#shared/contract/letters/enclosures.ts';
import { downloadAttachment, type Message } from '#shared/contract/messages.ts';
import { Enclosed } from '#web/components/letter/enclosed.tsx';
import type { ShownEnclosure } from '#web/components/letter/enclosures.tsx';
import { EnvelopeNote } from '#web/components/letter/envelope-note.tsx';
import { LetterBody } from '#web/components/letter/letter-body.tsx';
import { PassphraseGate } from '#web/components/letter/passphrase-gate.tsx';
import { shownEnclosures } from '#web/components/letter/shown-enclosures.ts';
import { useSealedEnvelope } from '#web/components/letter/use-sealed-envelope.ts';
import { Dialog } from '#web/components/ui/dialog.tsx';
import { addressOf } from '#web/lib/api/api.ts';
import { sizeAndKind } from '#web/lib/file-words.ts';
import { longDate } from '#web/lib/format.ts';
import type { OpenedLetter } from '#web/lib/sealing/letter-seal.ts';
import { savedAttachment } from './attachment-field.tsx';
import './messages.css';

type DeliveredDialogProps = {
  message: Message | undefined;
  onClose: () => void;
};

/** A delivered message, read-only, with the state of its deliveries. */
export function DeliveredDialog({ message, onClose }: DeliveredDialogProps) {
  if (!message) return null;
  const attachment = savedAttachment(message);
  return (
    <Dialog open onClose={onClose} title={message.title}>
      <dl className="facts">
        <dt>Delivered</dt>
        <dd>{message.deliveredAt ? longDate(message.deliveredAt) : 'Date not known'}</dd>
        {message.recipients.map((reader) => (
          <Reader key={reader.email} {...reader} />
        ))}
        {attachment ? (
          <>
            <dt>Enclosed</dt>
            <dd className="anywhere">
              <a href={addressOf(downloadAttachment, { params: { id: message.id } })} download={attachment.name}>
                {attachment.name}
              </a>
              , {sizeAndKind(attachment)}
            </dd>
          </>
        ) : null}
      </dl>
      <Words key={message.id} message={message} />
    </Dialog>
  );
}

function shownOf({ id, enclosures }: Message): ShownEnclosure[] {
  return shownEnclosures(enclosures, (enclosureId) => addressOf(getEnclosure, { params: { id, enclosureId } }));
}

function Reader({ name, email, openedAt }: Message['recipients'][number]) {
  return (
    <>
      <dt>To</dt>
      <dd className="anywhere">
        {name ? `${name}, ` : null}
        {email}
        <br />
        <span className="small quiet">{openedAt ? `Opened ${longDate(openedAt)}` : 'Not opened yet'}</span>
      </dd>
    </>
  );
}

function Words({ message }: { message: Message }) {
  const { content, encryptedContent } = message;
  const [opened, setOpened] = useState<OpenedLetter>();
  const href = addressOf(downloadAttachment, { params: { id: message.id } });
  const envelope = useSealedEnvelope(href, opened?.fileKey);
  if (!encryptedContent) return <LetterBody content={content} enclosures={shownOf(message)} speaker="" />;
  if (opened) {
    return (
      <>
        {opened.title === null ? null : <h3 dir="auto">{opened.title}</h3>}
        <LetterBody content={opened.content} enclosures={envelope.enclosures} speaker="" />
        <EnvelopeNote {...envelope} />
        {envelope.file ? <Enclosed {...envelope.file} /> : null}
      </>
    );
  }
  return (
    <PassphraseGate sealed={encryptedContent} onOpened={setOpened}>
      <p>You sealed this letter with a passphrase.</p>
    </PassphraseGate>
  );
}
