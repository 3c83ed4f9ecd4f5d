import type { Document as VaultDocument } from '#shared/contract/documents.ts';
import { DeleteDialog } from '#web/components/ui/delete-dialog.tsx';
import { call } from '#web/lib/api/api.ts';
import { vaultRoutes } from '#web/lib/api/vault-routes.ts';
import { keptWords } from '#web/lib/take-back.ts';

type DeleteDocumentDialogProps = { document: VaultDocument | undefined; onClose: () => void };

/** Asks before a document is deleted. */
export function DeleteDocumentDialog({ document, onClose }: DeleteDocumentDialogProps) {
  return (
    <DeleteDialog
      id={document?.id}
      onClose={onClose}
      deleteById={(id) => call(vaultRoutes.deleteDocument, { params: { id }, query: { version: document?.version } })}
      kind="document"
      words={{
        title: 'Delete this document?',
        text: `Are you sure you want to delete this document? ${keptWords(1)}`,
        confirm: 'Delete the document',
        deleted: { title: 'Document Deleted', description: keptWords(1) },
        failed: 'Unable to delete document. Please try again.',
      }}
    />
  );
}
