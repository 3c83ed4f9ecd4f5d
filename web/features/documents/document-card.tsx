import { memo, useId } from 'react';
import type { Document as VaultDocument } from '#shared/contract/documents.ts';
import type { DocumentCategory } from '#shared/rules/categories.ts';
import { PickCard } from '#web/components/choosing/pick-card.tsx';
import { Badge } from '#web/components/ui/badge.tsx';
import { DamagedNote } from '#web/components/ui/damaged-note.tsx';
import { Icon, type IconName } from '#web/components/ui/icon.tsx';
import { addressOf } from '#web/lib/api/api.ts';
import { vaultRoutes } from '#web/lib/api/vault-routes.ts';
import { isoDay, longDate } from '#web/lib/format.ts';
import { documentCategoryLabels, documentSize, documentType } from './document-list.rules.ts';
import './documents.css';

export type DocumentActs = {
  choose: (document: VaultDocument) => void;
  edit: (document: VaultDocument) => void;
  remove: (document: VaultDocument) => void;
};

type DocumentCardProps = {
  document: VaultDocument;
  /** True if the document is chosen. Null if choosing is not possible. */
  isChosen: boolean | null;
  acts: DocumentActs;
};

const icons: Record<DocumentCategory, IconName> = {
  personal: 'person',
  legal: 'scales',
  financial: 'coins',
  medical: 'cross',
  property: 'house',
  business: 'case',
  other: 'file',
};

/** One document: its facts, and the link to its file. */
export const DocumentCard = memo(function DocumentCard({ document, isChosen, acts }: DocumentCardProps) {
  const titleId = useId();
  const { name, category, description, fileSize, mimeType, visibleToTrustedContact, createdAt, isDamaged } = document;
  return (
    <li className={isChosen ? 'card doc is-chosen' : 'card doc'}>
      {isChosen === null ? null : (
        <PickCard isChosen={isChosen} onChoose={() => acts.choose(document)} labelledBy={titleId} />
      )}
      <div className="doc-head">
        <Icon name={icons[category]} />
        <Badge>{documentCategoryLabels[category]}</Badge>
        {isChosen === null ? <Acts document={document} acts={acts} /> : null}
      </div>
      <h3 id={titleId} dir="auto">
        {name}
      </h3>
      {isDamaged ? (
        <DamagedNote>Its file may be intact: you can download it, and give it a name again.</DamagedNote>
      ) : null}
      {description ? (
        <p className="doc-description" dir="auto">
          {description}
        </p>
      ) : null}
      <dl className="doc-facts small">
        <div>
          <dt>Size</dt>
          <dd className="num">{documentSize(fileSize)}</dd>
        </div>
        <div>
          <dt>Type</dt>
          <dd>{documentType(mimeType)}</dd>
        </div>
        <div>
          <dt>Uploaded</dt>
          <dd>
            <time dateTime={isoDay(createdAt)}>{longDate(createdAt)}</time>
          </dd>
        </div>
      </dl>
      {visibleToTrustedContact ? (
        <p className="doc-seen small quiet">
          <Icon name="eye" />
          Shown to your trusted contacts
        </p>
      ) : null}
    </li>
  );
});

function Acts({ document, acts }: Pick<DocumentCardProps, 'document' | 'acts'>) {
  const { id, name, fileName } = document;
  return (
    <div className="doc-acts">
      <a
        className="icon-btn"
        href={addressOf(vaultRoutes.downloadDocument, { params: { id } })}
        download={fileName}
        aria-label={`Download ${name}`}
      >
        <Icon name="download" />
      </a>
      <button type="button" className="icon-btn" aria-label={`Edit ${name}`} onClick={() => acts.edit(document)}>
        <Icon name="pen" />
      </button>
      <button type="button" className="icon-btn" aria-label={`Delete ${name}`} onClick={() => acts.remove(document)}>
        <Icon name="trash" />
      </button>
    </div>
  );
}

const skeletonCards = 6;

/** The shape of the cards while they load. */
export function DocumentSkeletons() {
  return (
    <div className="docs" role="status" aria-label="Loading documents">
      {Array.from({ length: skeletonCards }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the cards are alike and never change places.
        <div className="card doc" key={index}>
          <div className="skel" style={{ width: '7rem', height: '2.75rem' }} />
          <div className="skel" style={{ width: '70%', height: '1.5rem' }} />
          <div className="skel" style={{ width: '90%', height: '1rem' }} />
          <div className="skel" style={{ width: '60%', height: '3rem' }} />
        </div>
      ))}
    </div>
  );
}
