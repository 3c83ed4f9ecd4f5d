import { downloadAttachment, type Message } from '#shared/contract/messages.ts';
import { deliveryLinkDays } from '#shared/rules/retention.ts';
import { Enclosed } from '#web/components/letter/enclosed.tsx';
import { LetterBody } from '#web/components/letter/letter-body.tsx';
import { LetterSheet } from '#web/components/letter/letter-sheet.tsx';
import { addressOf } from '#web/lib/api/api.ts';
import { deliverOnOf, doesWait, whenWords } from '#web/lib/own-day.ts';
import { readerName } from '#web/lib/reader-names.ts';
import { useObjectUrl } from '#web/lib/use-object-url.ts';
import type { AttachmentChoice } from './attachment-choice.ts';
import { shownAttachment } from './attachment-field.tsx';
import type { Enclosing } from './enclosures/enclosing.ts';
import { useShownEnclosures } from './enclosures/use-enclosure-href.ts';
import type { WritingInput } from './writing.ts';

type LetterPreviewProps = {
  message: Message | undefined;
  writing: WritingInput;
  attachment: AttachmentChoice;
  enclosings: readonly Enclosing[];
  ownerName: string;
};

/** The letter as its first reader will have it: the parts are those of the reader's own page. */
export function LetterPreview({ message, writing, attachment, enclosings, ownerName }: LetterPreviewProps) {
  const { title, content, recipients, showRecipients = false, locked } = writing;
  const wordless = locked ? 'Sealed. Open it in the form to see its words here.' : 'No words yet.';
  const enclosed = shownAttachment(message, attachment);
  const href = useAttachmentHref(message, attachment);
  const enclosures = useShownEnclosures(message, enclosings);
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
        <LetterBody content={content.trim() || wordless} enclosures={enclosures} speaker={ownerName} />
        {enclosed ? (
          <Enclosed
            key={href}
            {...enclosed}
            transcript={writing.attachmentTranscript ?? ''}
            {...(href ? { href } : {})}
          />
        ) : null}
      </LetterSheet>
      <div className="help-line after">
        <p>This message is deleted automatically after {deliveryLinkDays} days. Save or print it to keep it.</p>
      </div>
    </div>
  );
}

/** Ribbon of a letter with a day of its own. */
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

/** Address of an enclosure: in the vault, or still on this device. */
function useAttachmentHref(message: Message | undefined, attachment: AttachmentChoice): string | undefined {
  const file = attachment.what === 'add' ? attachment.file : undefined;
  const url = useObjectUrl(file);
  if (file) return url;
  return message?.hasAttachment ? addressOf(downloadAttachment, { params: { id: message.id } }) : undefined;
}
