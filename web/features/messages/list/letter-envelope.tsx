import { memo, useId } from 'react';
import type { Envelope } from '#shared/contract/letters/envelopes.ts';
import type { MessageCategory, MessageStatus } from '#shared/rules/categories.ts';
import { PickCard } from '#web/components/choosing/pick-card.tsx';
import { EnvelopeTop, envelopeClass } from '#web/components/letter/envelope.tsx';
import { Badge, type BadgeTone } from '#web/components/ui/badge.tsx';
import { DamagedNote } from '#web/components/ui/damaged-note.tsx';
import { Icon, type IconName } from '#web/components/ui/icon.tsx';
import { savedAttachment } from '#web/features/messages/attachment-field.tsx';
import { categoryLabels } from '#web/features/messages/category-labels.ts';
import { counted, isoDay, relativeAge, shortDate } from '#web/lib/format.ts';
import { doesWait, whenWords } from '#web/lib/own-day.ts';
import { openedNote } from './letter-groups.rules.ts';

export type EnvelopeActs = {
  choose: (message: Envelope) => void;
  open: (message: Envelope) => void;
  remove: (message: Envelope) => void;
};

type LetterEnvelopeProps = {
  message: Envelope;
  initial: string;
  hidesWords: boolean;
  /** Place of the letter in the reading order of its reader. */
  note: string | null;
  /** True if the letter is chosen. Null if choosing is not possible. */
  isChosen: boolean | null;
  /** True while its words are loading. */
  isOpening: boolean;
  acts: EnvelopeActs;
};

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

/** One letter of the list. A press anywhere on the envelope opens it, except on a button. */
export const LetterEnvelope = memo(function LetterEnvelope(props: LetterEnvelopeProps) {
  const { message, initial, isChosen, isOpening, note, hidesWords, acts } = props;
  const { title, status, deliveredAt, isDamaged } = message;
  const titleId = useId();
  const isDelivered = status === 'delivered';
  const envelope = isDelivered
    ? ({ state: 'delivered', on: deliveredAt } as const)
    : status === 'ready'
      ? ({ state: 'ready', initial, ribbon: ribbonOf(message) } as const)
      : ({ state: 'draft' } as const);
  return (
    <li className={isChosen ? `${envelopeClass(status)} is-chosen` : envelopeClass(status)} aria-busy={isOpening}>
      {isChosen === null ? null : (
        <PickCard isChosen={isChosen} onChoose={() => acts.choose(message)} labelledBy={titleId} />
      )}
      <EnvelopeTop {...envelope} />
      <div className="env-in">
        <h3 id={titleId}>
          {isDamaged || isChosen !== null ? (
            title
          ) : (
            <button type="button" className="env-open" onClick={() => acts.open(message)}>
              {title}
            </button>
          )}
        </h3>
        <Words message={message} isHidden={hidesWords} />
        <Facts message={message} />
      </div>
      <div className="env-acts">
        {note ? <span className="env-note it">{note}</span> : null}
        {isChosen === null ? (
          <>
            {isDamaged ? null : (
              <button
                type="button"
                className="icon-btn"
                aria-label={`${isDelivered ? 'Read' : 'Edit'} ${title}`}
                onClick={() => acts.open(message)}
              >
                <Icon name={isDelivered ? 'eye' : 'pen'} />
              </button>
            )}
            <button
              type="button"
              className="icon-btn"
              aria-label={`Delete ${title}`}
              onClick={() => acts.remove(message)}
            >
              <Icon name="trash" />
            </button>
          </>
        ) : null}
      </div>
    </li>
  );
});

/** Ribbon of a letter that waits: its day, or the months after the release. */
function ribbonOf({ deliverOn }: Envelope) {
  if (deliverOn === null || !doesWait(deliverOn)) return undefined;
  if (typeof deliverOn === 'string') return { before: 'waits until', after: shortDate(deliverOn), day: deliverOn };
  return { before: 'waits for', after: counted(deliverOn.months, 'month') };
}

function Words({ message, isHidden }: { message: Envelope; isHidden: boolean }) {
  if (message.isDamaged) {
    return (
      <DamagedNote>
        There is nothing you have to do. If you have the words, write them again and delete this.
      </DamagedNote>
    );
  }
  if (message.isSealed) {
    return (
      <p className="env-words env-locked">
        <Icon name="lock" />
        Sealed with a passphrase
      </p>
    );
  }
  if (isHidden) return <p className="env-words is-hidden" aria-hidden="true" />;
  return <p className="env-words">{message.preview}</p>;
}

function Facts({ message }: { message: Envelope }) {
  const { category, status, recipients, createdAt, pictures, hasVoice, isDamaged } = message;
  const attachment = savedAttachment(message);
  return (
    <p className="env-facts small">
      <Badge tone={statuses[status].tone}>{statuses[status].label}</Badge>
      {isDamaged ? null : <span className="anywhere">{recipients.map(({ email }) => email).join(', ')}</span>}
      <span className="env-fact">
        <Icon name={icons[category]} />
        {categoryLabels[category]}
      </span>
      <time dateTime={isoDay(createdAt)}>{relativeAge(createdAt)}</time>
      {status === 'draft' && doesWait(message.deliverOn) ? <span>{whenWords(message.deliverOn)}</span> : null}
      {attachment ? (
        <span className="env-fact">
          <Icon name="clip" />
          <span className="vh">Attachment: </span>
          <bdi className="anywhere">{attachment.name}</bdi>
        </span>
      ) : null}
      {pictures > 0 ? <span>{counted(pictures, 'picture')}</span> : null}
      {hasVoice ? (
        <span className="env-fact">
          <Icon name="microphone" />
          With your voice
        </span>
      ) : null}
      {status === 'delivered' ? <span>{openedNote(recipients)}</span> : null}
    </p>
  );
}
