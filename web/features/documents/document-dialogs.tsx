import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { updateDocument, type Document as VaultDocument } from '#shared/contract/documents.ts';
import type { PlanName } from '#shared/rules/plans.ts';
import { Banner } from '#web/components/ui/banner.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { ConfirmDialog, Dialog } from '#web/components/ui/dialog.tsx';
import { useChange } from '#web/lib/api/changes.ts';
import { useLeaveWarning } from '#web/lib/drafts/leave-warning.ts';
import { toast } from '#web/lib/toast.ts';
import { DocumentFields, type DocumentValues, useDocumentForm } from './document-fields.tsx';
import { UploadForm } from './upload-form.tsx';
import { UploadSeveral } from './upload-several.tsx';

type UploadDialogProps = { open: boolean; plan: PlanName; onClose: () => void };

/** Stores a document. While the file is on its way, closing asks first. */
export function UploadDialog({ open, plan, onClose }: UploadDialogProps) {
  const [isSending, setSending] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const [several, setSeveral] = useState<readonly File[]>();
  const close = () => {
    setAsking(false);
    setSending(false);
    setSeveral(undefined);
    onClose();
  };
  return (
    <>
      <Dialog
        open={open}
        onClose={() => (isSending ? setAsking(true) : close())}
        title={several ? 'Upload Documents' : 'Upload Document'}
        closesOutside={false}
      >
        {several ? (
          <UploadSeveral plan={plan} files={several} onClose={close} onSending={setSending} />
        ) : (
          <UploadForm plan={plan} onStored={close} onSeveral={setSeveral} onCancel={close} onSending={setSending} />
        )}
      </Dialog>
      <ConfirmDialog
        open={open && isAsking && isSending}
        onClose={() => setAsking(false)}
        onConfirm={close}
        title="Stop the upload?"
        text={
          several
            ? 'What is stored stays. The others are not in your vault yet.'
            : 'The file is not stored in your vault yet.'
        }
        cancelLabel="Keep uploading"
        confirmLabel="Stop the upload"
      />
    </>
  );
}

type EditDialogProps = { document: VaultDocument | undefined; onClose: () => void };

/** Changes what is said of a document. What was typed is kept when it is closed, and found again. */
export function EditDialog({ document, onClose }: EditDialogProps) {
  if (!document) return null;
  return (
    <Dialog open onClose={onClose} title="Edit Document" closesOutside={false}>
      <EditForm key={document.id} document={document} onClose={onClose} />
    </Dialog>
  );
}

function EditForm({ document, onClose }: { document: VaultDocument; onClose: () => void }) {
  const { form, forget } = useDocumentForm(`document:${document.id}`, valuesOf(document));
  const save = useSaveDocument(() => {
    forget();
    onClose();
  });
  useLeaveWarning(form.formState.isDirty && !save.isSuccess);
  const submit = form.handleSubmit((body) => {
    if (!save.isPending) save.mutate({ params: { id: document.id }, body });
  });
  return (
    <form className="doc-form" noValidate onSubmit={submit}>
      <DocumentFields form={form} />
      {save.isError ? (
        <Banner tone="bad" role="alert">
          {save.error.message} What you typed is still here.
        </Banner>
      ) : null}
      <div className="btns">
        <Button type="submit" busy={save.isPending}>
          {save.isPending ? 'Saving…' : 'Save the changes'}
        </Button>
        <Button variant="secondary" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

function useSaveDocument(onSaved: () => void) {
  const client = useQueryClient();
  return useChange(updateDocument, {
    onSuccess: () => {
      toast({ title: 'Document Updated', description: 'Your changes have been saved.' });
      onSaved();
      client.invalidateQueries();
    },
  });
}

function valuesOf({ name, category, description, visibleToTrustedContact }: VaultDocument): DocumentValues {
  return { name, category, description: description ?? '', visibleToTrustedContact };
}
