import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type DeletedItem, removeDeleted, restoreDeleted } from '#shared/contract/vault/recently-deleted.ts';
import type { DeletedKind } from '#shared/rules/retention.ts';
import { NotConfirmedError } from '#web/components/fresh-sign-in/not-confirmed.ts';
import { useFreshSignIn } from '#web/components/fresh-sign-in/use-fresh-sign-in.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { ConfirmDialog } from '#web/components/ui/dialog.tsx';
import { useChange } from '#web/lib/api/changes.ts';
import { isoDay, longDate } from '#web/lib/format.ts';
import { tellNotTakenBack, tellTakenBack } from '#web/lib/take-back.ts';
import { type ToastContent, toast } from '#web/lib/toast.ts';
import './recently-deleted.css';

const kinds: Record<DeletedKind, string> = { message: 'Message', document: 'Document', contact: 'Trusted contact' };
const deletedWords: Record<DeletedKind, ToastContent> = {
  message: { title: 'Message Deleted', description: 'The message has been permanently deleted.' },
  document: { title: 'Document Deleted', description: 'The document has been permanently deleted.' },
  contact: { title: 'Contact Deleted', description: 'The contact has been permanently deleted.' },
};
const nounOf = (kind: DeletedKind) => kinds[kind].toLowerCase();

export function DeletedList({ items }: { items: readonly DeletedItem[] }) {
  const client = useQueryClient();
  const { run, dialog } = useFreshSignIn('Take the contact back');
  const removal = useFreshSignIn('Delete for good');
  const [asked, setAsked] = useState<DeletedItem>();
  const restore = useChange(restoreDeleted, {
    through: run,
    onSuccess: () => tellTakenBack(client, 1),
    onError: (error) => {
      // The question was left, and nothing was tried.
      if (!(error instanceof NotConfirmedError)) tellNotTakenBack(client, error);
    },
  });
  const remove = useChange(removeDeleted, {
    through: removal.run,
    onSuccess: (_, { params: { kind } }) => {
      setAsked(undefined);
      toast(deletedWords[kind]);
      client.invalidateQueries();
    },
    onError: (error) => {
      if (error instanceof NotConfirmedError) return;
      toast({ title: 'Delete Failed', description: error.message, variant: 'destructive' });
    },
  });
  const paramsOf = ({ kind, id }: DeletedItem) => ({ params: { kind, id } });
  return (
    <>
      <ul className="deleted">
        {items.map((item) => (
          <DeletedEntry
            key={item.id}
            item={item}
            busy={restore.isPending}
            onRestore={() => restore.mutate(paramsOf(item))}
            onRemove={() => setAsked(item)}
          />
        ))}
      </ul>
      <ConfirmDialog
        open={asked !== undefined}
        onClose={() => setAsked(undefined)}
        onConfirm={() => {
          if (asked && !remove.isPending) remove.mutate(paramsOf(asked));
        }}
        title={asked?.title ? `Delete “${asked.title}” for good?` : 'Delete it for good?'}
        text={`Are you sure you want to delete this ${asked ? nounOf(asked.kind) : 'item'}? This action cannot be undone.`}
        cancelLabel="Keep it"
        confirmLabel={remove.isPending ? 'Deleting…' : 'Delete for good'}
        busy={remove.isPending}
        danger
      />
      {dialog}
      {removal.dialog}
    </>
  );
}

type DeletedEntryProps = { item: DeletedItem; busy: boolean; onRestore: () => void; onRemove: () => void };

function DeletedEntry({ item: { kind, title, deletedAt, goneAt }, busy, onRestore, onRemove }: DeletedEntryProps) {
  return (
    <li className="deleted-item">
      <div>
        <h2>{title || 'Its title can’t be read'}</h2>
        <p className="small quiet">
          {kinds[kind]}, deleted on {longDate(deletedAt)}. It goes on{' '}
          <time dateTime={isoDay(goneAt)}>{longDate(goneAt)}</time>.
        </p>
      </div>
      <div className="btns">
        <Button variant="secondary" size="small" busy={busy} aria-label={`Take it back: ${title}`} onClick={onRestore}>
          Take it back
        </Button>
        <Button variant="text" size="small" aria-label={`Delete for good: ${title}`} onClick={onRemove}>
          Delete for good
        </Button>
      </div>
    </li>
  );
}
