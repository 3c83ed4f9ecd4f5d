import { useState } from 'react';
import { downloadAttachment, type Message } from '#shared/contract/messages.ts';
import type { ReleaseOverview } from '#shared/contract/release/release.ts';
import { PassphraseGate } from '#web/components/letter/passphrase-gate.tsx';
import { Dialog } from '#web/components/ui/dialog.tsx';
import { addressOf } from '#web/lib/api/api.ts';
import { sizeAndKind } from '#web/lib/file-words.ts';
import { longDate } from '#web/lib/format.ts';
import { savedAttachment } from './attachment-field.tsx';
import { LetterText } from './letter-preview.tsx';
import './messages.css';

type DeliveredDialogProps = {
  message: Message | undefined;
  deliveries: ReleaseOverview['deliveries'];
  onClose: () => void;
};

/** A message that has been delivered: to be read, not changed, with what became of it. */
export function DeliveredDialog({ message, deliveries, onClose }: DeliveredDialogProps) {
  if (!message) return null;
  const delivery = deliveries.find(({ messageId }) => messageId === message.id);
  const opened = delivery?.accessedAt;
  const attachment = savedAttachment(message);
  return (
    <Dialog open onClose={onClose} title={message.title}>
      <dl className="facts">
        <dt>To</dt>
        <dd className="anywhere">{message.recipientEmail}</dd>
        <dt>Delivered</dt>
        <dd>{message.deliveredAt ? longDate(message.deliveredAt) : 'Date not known'}</dd>
        <dt>Opened</dt>
        <dd>{opened ? longDate(opened) : delivery ? 'Not opened yet' : 'Not known'}</dd>
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

function Words({ message: { content, encryptedContent } }: { message: Message }) {
  const [opened, setOpened] = useState<string>();
  if (!encryptedContent || opened !== undefined) return <LetterText content={opened ?? content} />;
  return (
    <PassphraseGate sealed={encryptedContent} onOpened={setOpened}>
      <p>You sealed this letter with a passphrase.</p>
    </PassphraseGate>
  );
}
