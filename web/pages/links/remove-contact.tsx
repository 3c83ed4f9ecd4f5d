import { useParams } from 'wouter';
import { Letterhead } from '#web/components/layout/letterhead.tsx';
import { UnreachableNotice } from '#web/components/layout/notice.tsx';
import {
  ContactRemoved,
  RemovalLinkDead,
  RemovalSkeleton,
  RemoveContactCard,
} from '#web/features/remove-contact/remove-contact-card.tsx';
import { useAskerRemoval, useRemoveContact } from '#web/features/remove-contact/use-remove-contact.ts';
import { isFinal } from '#web/lib/api/use-loaded.ts';

/** Page of the link in the mail about a stopped request. Only its button changes anything, because mail scanners open links. */
export function RemoveContactPage() {
  const { token = '' } = useParams<{ token?: string }>();
  return (
    <Letterhead>
      <LinkedRemoval token={token} />
    </Letterhead>
  );
}

function LinkedRemoval({ token }: { token: string }) {
  const { data: asked, error, reload } = useAskerRemoval(token);
  const { removal, remove } = useRemoveContact(token);
  if (asked && removal.state === 'done') return <ContactRemoved contactName={asked.contactName} />;
  if (asked) return <RemoveContactCard {...asked} removal={removal} onRemove={remove} />;
  if (error === null) return <RemovalSkeleton />;
  if (isFinal(error)) return <RemovalLinkDead />;
  return <UnreachableNotice message={error.message} onRetry={reload} />;
}
