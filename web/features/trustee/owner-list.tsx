import type { TrusteeRelationship } from '#shared/contract/release/trustee.ts';
import { Badge } from '#web/components/ui/badge.tsx';
import { fullName } from './trustee-words.ts';

type OwnerListProps = {
  owners: readonly TrusteeRelationship[];
  selectedId: string;
  onSelect: (id: string) => void;
};

/** Everybody whose trustee this person is; one of them is looked at. */
export function OwnerList({ owners, selectedId, onSelect }: OwnerListProps) {
  return (
    <ul className="owners">
      {owners.map((owner) => (
        <li key={owner.id}>
          <button
            type="button"
            className="owner"
            aria-pressed={owner.id === selectedId}
            onClick={() => onSelect(owner.id)}
          >
            <span className="owner-name">
              <bdi>{fullName(owner)}</bdi>
            </span>
            <OwnerBadge isActive={owner.isActive} />
            <span className="owner-role">
              <bdi>{owner.trustedContactRelationship ?? 'Relationship not given'}</bdi>
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}

export function OwnerBadge({ isActive }: { isActive: boolean }) {
  return <Badge tone={isActive ? 'ready' : 'plain'}>{isActive ? 'Active' : 'Inactive'}</Badge>;
}
