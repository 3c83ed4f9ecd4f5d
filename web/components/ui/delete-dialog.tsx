import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { DeletedKind } from '#shared/rules/retention.ts';
import { NotConfirmedError } from '#web/components/fresh-sign-in/not-confirmed.ts';
import { ConfirmDialog } from '#web/components/ui/dialog.tsx';
import { ApiError } from '#web/lib/api/api.ts';
import { isChangedElsewhere } from '#web/lib/api/saves.ts';
import { clearDraft } from '#web/lib/drafts/draft-store.ts';
import { undoing } from '#web/lib/take-back.ts';
import { toast } from '#web/lib/toast.ts';

type DeleteDialogProps = {
  /** Item to delete; undefined closes the dialog. */
  id: string | undefined;
  onClose: () => void;
  deleteById: (id: string) => Promise<unknown>;
  /** Kind of the item; its drafts are stored under kind and id. */
  kind: DeletedKind;
  words: {
    title: string;
    text: string;
    confirm: string;
    cancel?: string;
    deleted: { title: string; description: string };
    failed: string;
  };
};

/** Asks before something of the vault is deleted, deletes it with its draft, says so, and offers to undo it. */
export function DeleteDialog({ id, onClose, deleteById, kind, words }: DeleteDialogProps) {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: async (id: string) => unlessGone(deleteById(id)),
    onSuccess: (_, deletedId) => {
      toast({ ...words.deleted, ...undoing(client, [{ kind, id: deletedId }]) });
      clearDraft(`${kind}:${deletedId}`);
      onClose();
      client.invalidateQueries();
    },
    onError: (error) => {
      // The dialog stays open after a cancelled proof of identity.
      if (error instanceof NotConfirmedError) return;
      // The question is asked again with the next press.
      onClose();
      const description = isChangedElsewhere(error) ? `${error.message} Read it before you delete it.` : words.failed;
      toast({ title: 'Delete Failed', description, variant: 'destructive' });
      client.invalidateQueries();
    },
  });
  return (
    <ConfirmDialog
      open={id !== undefined}
      onClose={onClose}
      onConfirm={() => {
        if (id !== undefined && !remove.isPending) remove.mutate(id);
      }}
      title={words.title}
      text={words.text}
      cancelLabel={words.cancel ?? 'Keep it'}
      confirmLabel={remove.isPending ? 'Deleting…' : words.confirm}
      busy={remove.isPending}
      danger
    />
  );
}

/** The item has gone already, as after a first press without an answer. */
async function unlessGone(deletion: Promise<unknown>): Promise<void> {
  try {
    await deletion;
  } catch (error) {
    if (!(error instanceof ApiError && error.type === 'NOT_FOUND')) throw error;
  }
}
