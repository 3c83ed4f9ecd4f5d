import type { Message } from '#shared/contract/messages.ts';
import type { MessageCategory, MessageStatus } from '#shared/rules/categories.ts';
import { Badge, type BadgeTone } from '#web/components/ui/badge.tsx';
import { DamagedNote } from '#web/components/ui/damaged-note.tsx';
import { Icon, type IconName } from '#web/components/ui/icon.tsx';
import { isoDay, relativeAge } from '#web/lib/format.ts';
import { savedAttachment } from './attachment-field.tsx';
import { categoryLabels, previewOf } from './message-list.rules.ts';
import './messages.css';

type MessageRowProps = { message: Message; onOpen: () => void; onDelete: () => void };

const icons: Record<MessageCategory, IconName> = {
  personal: 'letter',
  family: 'letter',
  legal: 'scales',
  instructions: 'list',
  financial: 'coins',
};

const statuses: Record<MessageStatus, { label: string; tone: BadgeTone }> = {
  draft: { label: 'Draft', tone: 'draft' },
  ready: { label: 'Ready', tone: 'ready' },
  delivered: { label: 'Delivered', tone: 'sent' },
};

/** One message of the list. The whole row opens it; the buttons stand above that. */
export function MessageRow({ message, onOpen, onDelete }: MessageRowProps) {
  const { title, category, status, content, encryptedContent, recipientEmail, createdAt, isDamaged } = message;
  const isDelivered = status === 'delivered';
  const attachment = savedAttachment(message);
  return (
    <li className="card entry">
      <Icon name={icons[category]} />
      <div className="entry-words">
        <div className="entry-head">
          <h3>
            {isDamaged ? (
              title
            ) : (
              <button type="button" className="entry-open" onClick={onOpen}>
                {title}
              </button>
            )}
          </h3>
          <Badge tone={statuses[status].tone}>{statuses[status].label}</Badge>
        </div>
        {isDamaged ? (
          <DamagedNote>
            There is nothing you have to do. If you have the words, write them anew and delete this.
          </DamagedNote>
        ) : (
          <p className={encryptedContent ? 'entry-preview quiet' : 'entry-preview'}>
            {encryptedContent ? 'Sealed with a passphrase' : previewOf(content)}
          </p>
        )}
        <p className="entry-facts small quiet">
          {isDamaged ? null : <span className="anywhere">{recipientEmail}</span>}
          <span>{categoryLabels[category]}</span>
          <time dateTime={isoDay(createdAt)}>{relativeAge(createdAt)}</time>
          {attachment ? (
            <span className="entry-clip">
              <Icon name="clip" />
              <span className="vh">Attachment: </span>
              <bdi className="anywhere">{attachment.name}</bdi>
            </span>
          ) : null}
        </p>
      </div>
      <div className="entry-acts">
        {isDamaged ? null : (
          <button
            type="button"
            className="icon-btn"
            aria-label={`${isDelivered ? 'Read' : 'Edit'} ${title}`}
            onClick={onOpen}
          >
            <Icon name={isDelivered ? 'eye' : 'pen'} />
          </button>
        )}
        <button type="button" className="icon-btn" aria-label={`Delete ${title}`} onClick={onDelete}>
          <Icon name="trash" />
        </button>
      </div>
    </li>
  );
}
