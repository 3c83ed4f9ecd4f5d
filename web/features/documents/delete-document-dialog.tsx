import { useMutation, useQueryClient } from '@tanstack/react-query';
import { deleteDocument, type Document as VaultDocument } from '#shared/contract/documents.ts';
import { ConfirmDialog } from '#web/components/ui/dialog.tsx';
import { call } from '#web/lib/api.ts';
import { clearDraft } from '#web/lib/draft-store.ts';
import { toast } from '#web/lib/toast.ts';

type DeleteDocumentDialogProps = { document: VaultDocument | undefined; onClose: () => void };

/** Asks before a document is deleted for good. */
export function DeleteDocumentDialog({ document, onClose }: DeleteDocumentDialogProps) {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: (id: string) => call(deleteDocument, { params: { id } }),
    onSuccess: (_, id) => {
      toast({ title: 'Document Deleted', description: 'The document has been permanently deleted.' });
      clearDraft(`document:${id}`);
      onClose();
      client.invalidateQueries();
    },
    onError: () => {
      // A notice can't be reached beside an open dialog; the question is asked again with the next press.
      onClose();
      toast({
        title: 'Delete Failed',
        description: 'Unable to delete document. Please try again.',
        variant: 'destructive',
      });
    },
  });
  return (
    <ConfirmDialog
      open={document !== undefined}
      onClose={onClose}
      onConfirm={() => {
        if (document && !remove.isPending) remove.mutate(document.id);
      }}
      title="Delete this document?"
      text="Are you sure you want to delete this document? This action cannot be undone."
      cancelLabel="Keep it"
      confirmLabel={remove.isPending ? 'Deleting…' : 'Delete the document'}
      busy={remove.isPending}
      danger
    />
  );
}
