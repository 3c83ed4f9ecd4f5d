import type { ReactNode } from 'react';
import type { RelationshipKind } from './relationship.rules.ts';

const shapes: Record<RelationshipKind, ReactNode> = {
  partner: (
    <path d="M12 20C5.5 15.5 3 12.3 3 8.9 3 6.2 5 4.5 7.3 4.500c2 0 3.7 1.2 4.7 3 1-1.8 2.7-3 4.7-3 2.3 0 4.3 1.7 4.3 4.4 0 3.4-2.5 6.6-9 11.100Z" />
  ),
  family: (
    <>
      <path d="M3 11.5 12 4l9 7.5" />
      <path d="M5.5 9.500V20h13V9.5" />
      <path d="M10 20v-5.500h4V20" />
    </>
  ),
  friend: (
    <>
      <circle cx="8.5" cy="8.5" r="3.2" />
      <path d="M2.5 19.500c.4-3.5 2.8-5.7 6-5.700s5.6 2.2 6 5.7" />
      <path d="M15 5.500a3.2 3.2 0 0 1 0 6M17 14.200c2.4.6 4.1 2.5 4.5 5.3" />
    </>
  ),
  lawyer: (
    <>
      <path d="M12 4v16.500M7.5 20.500h9M5 6.500h14" />
      <path d="M5.5 6.500l-3 7h6ZM18.5 6.500l-3 7h6Z" />
      <path d="M2.5 13.500q3 3.4 6 0M15.5 13.500q3 3.4 6 0" />
    </>
  ),
  doctor: <path d="M9 3.500h6V9h5.500v6H15v5.500H9V15H3.500V9H9Z" />,
  person: (
    <>
      <circle cx="12" cy="8" r="3.7" />
      <path d="M5 20c.5-4 3.3-6.5 7-6.500s6.5 2.5 7 6.5" />
    </>
  ),
};

/** Sign for the relationship of a contact. The words are next to it. */
export function RelationshipIcon({ kind }: { kind: RelationshipKind }) {
  return (
    <svg className="ic" viewBox="0 0 24 24" aria-hidden="true" focusable="false" data-kind={kind}>
      {shapes[kind]}
    </svg>
  );
}
