import { useEffect, useState } from 'react';
import { downloadAttachment, type Message } from '#shared/contract/messages.ts';
import { deliveryLinkDays } from '#shared/rules/retention.ts';
import { Enclosed } from '#web/components/letter/enclosed.tsx';
import { LetterSheet } from '#web/components/letter/letter-sheet.tsx';
import { LetterWords } from '#web/components/letter/letter-words.tsx';
import { addressOf } from '#web/lib/api/api.ts';
import { deliverOnOf, doesWait, whenWords } from '#web/lib/own-day.ts';
import { readerName } from '#web/lib/reader-names.ts';
import type { AttachmentChoice } from './attachment-choice.ts';
import { shownAttachment } from './attachment-field.tsx';
import type { WritingInput } from './writing.ts';

type LetterPreviewProps = {
  message: Message | undefined;
  writing: WritingInput;
  attachment: AttachmentChoice;
  ownerName: string;
};

/** The letter as its first reader will have it: the parts are those of the reader's own page. */
export function LetterPreview({ message, writing, attachment, ownerName }: LetterPreviewProps) {
  const { title, content, recipients, showRecipients = false, locked } = writing;
  const wordless = locked ? 'Sealed. Open it in the form to see its words here.' : 'No words yet.';
  const enclosed = shownAttachment(message, attachment);
  const href = useAttachmentHref(message, attachment);
  const others = showRecipients ? recipients.slice(1).map(readerName).filter(Boolean) : [];
  return (
    <div className="reading">
      <Wait {...writing} />
      <LetterSheet
        senderName={ownerName}
        alsoFor={others}
        title={title.trim() || 'No title yet'}
        heading="h3"
        writtenAt={message?.createdAt ?? Date.now()}
      >
        <LetterWords content={content.trim() || wordless} />
        {enclosed ? <Enclosed key={href} {...enclosed} {...(href ? { href } : {})} /> : null}
      </LetterSheet>
      <div className="help-line after">
        <p>This message is deleted automatically after {deliveryLinkDays} days. Save or print it to keep it.</p>
      </div>
    </div>
  );
}

/** What is tied round a letter that has a day of its own. */
function Wait({ when = 'once', day = '', months = '', announceWait }: WritingInput) {
  const deliverOn = deliverOnOf({ when, day, months });
  if (when === 'once' || !doesWait(deliverOn) || (when === 'day' ? day : months) === '') return null;
  return (
    <p className="preview-ribbon">
      They have it {whenWords(deliverOn)}
      {announceWait ? ', and hear before that it waits' : ', and hear of it then'}
    </p>
  );
}

/** Where what is enclosed can be seen: in the vault, or still on this device. */
function useAttachmentHref(message: Message | undefined, attachment: AttachmentChoice): string | undefined {
  const [url, setUrl] = useState<string>();
  const file = attachment.what === 'add' ? attachment.file : undefined;
  useEffect(() => {
    if (!file) return;
    const made = URL.createObjectURL(file);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [file]);
  if (file) return url;
  return message?.hasAttachment ? addressOf(downloadAttachment, { params: { id: message.id } }) : undefined;
}
