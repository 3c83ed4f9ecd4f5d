import { useId } from 'react';
import type { TrustedContact } from '#shared/contract/contacts.ts';
import { PickCard } from '#web/components/choosing/pick-card.tsx';
import { Badge } from '#web/components/ui/badge.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { DamagedNote } from '#web/components/ui/damaged-note.tsx';
import { Icon } from '#web/components/ui/icon.tsx';
import { isoDay, longDate } from '#web/lib/format.ts';
import { contactState } from './contact-state.ts';
import { relationshipKind } from './relationship.rules.ts';
import { RelationshipIcon } from './relationship-icon.tsx';
import './contacts.css';

type ContactCardProps = {
  contact: TrustedContact;
  /** True if the contact is chosen. Null if choosing is not possible. */
  isChosen: boolean | null;
  onChoose: () => void;
  onEdit: () => void;
  onDelete: () => void;
  onInvite: () => void;
  isInviting: boolean;
};

/** One trusted contact: who they are, how to reach them, and whether they have said yes. */
export function ContactCard({ contact, isChosen, onChoose, ...acts }: ContactCardProps) {
  const { onEdit, onDelete, onInvite, isInviting } = acts;
  const titleId = useId();
  const { name, email, phone, relationship, isActive, createdAt, isDamaged } = contact;
  const state = contactState(contact);
  // Only who is switched on and has said yes would be asked.
  const counts = isActive && contact.isConfirmed;
  const dotLabel = counts ? 'Active' : isActive ? 'Not active until they say yes' : 'Not active';
  return (
    <li className={isChosen ? 'card person is-chosen' : 'card person'}>
      {isChosen === null ? null : <PickCard isChosen={isChosen} onChoose={onChoose} labelledBy={titleId} />}
      <div className="person-head">
        <RelationshipIcon kind={relationshipKind(relationship)} />
        <h3 id={titleId} className={isDamaged ? 'anywhere' : undefined}>
          {name}
        </h3>
        <span className={counts ? 'dot dot-on' : 'dot'} role="img" aria-label={dotLabel} />
      </div>
      {relationship ? <p className="quiet">{relationship}</p> : null}
      {isDamaged ? null : <p className="anywhere">{email}</p>}
      {isDamaged ? (
        <DamagedNote>
          Their address is intact, so they still count. You can write their name and number again.
        </DamagedNote>
      ) : null}
      {phone ? <p className="num">{phone}</p> : null}
      <div className="person-state">
        <Badge tone={state.tone}>{state.label}</Badge>
        <p className="small quiet">{state.note}</p>
      </div>
      <div className="person-foot">
        <p className="small quiet">
          Added <time dateTime={isoDay(createdAt)}>{longDate(createdAt)}</time>
        </p>
        {isChosen === null ? (
          <div className="person-acts">
            <button type="button" className="icon-btn" aria-label={`Edit ${name}`} onClick={onEdit}>
              <Icon name="pen" />
            </button>
            <button type="button" className="icon-btn" aria-label={`Delete ${name}`} onClick={onDelete}>
              <Icon name="trash" />
            </button>
          </div>
        ) : null}
      </div>
      {state.canBeInvited && isChosen === null ? (
        <Button variant="text" size="small" busy={isInviting} onClick={onInvite}>
          {isInviting ? 'Sending...' : 'Send the invitation again'} <span className="vh">to {name}</span>
        </Button>
      ) : null}
    </li>
  );
}
