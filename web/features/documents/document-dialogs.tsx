import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import { updateDocument, type Document as VaultDocument } from '#shared/contract/documents.ts';
import type { PlanName } from '#shared/rules/plans.ts';
import { Banner } from '#web/components/ui/banner.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { ConfirmDialog, Dialog } from '#web/components/ui/dialog.tsx';
import {
  comparedFields,
  FieldList,
  savedElsewhere,
  TwoVersions,
  thisWindow,
  titleFrom,
  type Which,
} from '#web/components/versions/two-versions.tsx';
import { call } from '#web/lib/api/api.ts';
import { failureWords } from '#web/lib/api/saves.ts';
import { useSaves } from '#web/lib/api/use-saves.ts';
import { clearDraft } from '#web/lib/drafts/draft-store.ts';
import { useLeaveWarning } from '#web/lib/drafts/leave-warning.ts';
import { toast } from '#web/lib/toast.ts';
import { type DocumentAnswers, DocumentFields, type DocumentValues, useDocumentForm } from './document-fields.tsx';
import { documentCategoryLabels } from './document-list.rules.ts';
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

/** Changes the details of a document. Typed text is kept when the dialog closes, and is shown again. */
export function EditDialog({ document: chosen, onClose }: EditDialogProps) {
  const [replaced, setReplaced] = useState<VaultDocument>();
  if (!chosen) return null;
  const document = replaced?.id === chosen.id ? replaced : chosen;
  const close = () => {
    setReplaced(undefined);
    onClose();
  };
  return (
    <Dialog open onClose={close} title="Edit Document" closesOutside={false}>
      <EditForm key={document.version} document={document} onClose={close} onReplaced={setReplaced} />
    </Dialog>
  );
}

type EditFormProps = {
  document: VaultDocument;
  onClose: () => void;
  /** Told of the document that another device has saved, to be shown in place of this form. */
  onReplaced: (saved: VaultDocument) => void;
};

function EditForm({ document, onClose, onReplaced }: EditFormProps) {
  const draftName = `document:${document.id}`;
  const { form, forget } = useDocumentForm(draftName, valuesOf(document));
  const { save, conflict, keepMine } = useSaveDocument(document, () => {
    forget();
    onClose();
  });
  useLeaveWarning(form.formState.isDirty && !save.isSuccess);
  const submit = form.handleSubmit((body) => {
    if (!save.isPending) save.mutate(body);
  });
  const choose = async (which: Which) => {
    if (which === 'other' && conflict) {
      forget();
      await clearDraft(draftName);
      return onReplaced(conflict);
    }
    // The form is there again before the focus is to go to it.
    flushSync(() => {
      keepMine();
      save.reset();
    });
    form.setValue('version', conflict?.version);
    form.setFocus('name');
  };
  return (
    <>
      {conflict ? <TwoDocuments these={form.getValues()} other={conflict} onChoose={choose} /> : null}
      <form className="doc-form" noValidate onSubmit={submit} hidden={conflict !== undefined}>
        <DocumentFields form={form} />
        {save.isError ? (
          <Banner tone="bad" role="alert">
            {failureWords(save.error)}
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
    </>
  );
}

type TwoDocumentsProps = { these: DocumentValues; other: VaultDocument; onChoose: (which: Which) => void };

/** One document whose words were changed in two places: both as they are, and the choice. */
function TwoDocuments({ these, other, onChoose }: TwoDocumentsProps) {
  const fields = comparedFields<DocumentValues>(these, valuesOf(other), [
    { label: 'Document Name', of: ({ name }) => name },
    { label: 'Category', of: ({ category }) => documentCategoryLabels[category] },
    { label: 'Description', of: ({ description }) => description ?? '' },
    { label: 'Shown to my trusted contacts', of: ({ visibleToTrustedContact: is }) => (is ? 'Yes' : 'No') },
  ]);
  return (
    <TwoVersions
      title="This document was changed in another window or on another device"
      text={savedElsewhere}
      these={{ title: thisWindow, children: <FieldList fields={fields.these} /> }}
      other={{ title: titleFrom('Saved elsewhere', other.updatedAt), children: <FieldList fields={fields.other} /> }}
      onChoose={onChoose}
    />
  );
}

function useSaveDocument(document: VaultDocument, onSaved: () => void) {
  const client = useQueryClient();
  const { saves, conflict, isConflict, keepMine } = useSaves(document);
  const save = useMutation({
    mutationFn: (body: DocumentAnswers) =>
      saves.save(
        body,
        (base = document, changeKey) =>
          call(updateDocument, { params: { id: base.id }, body: { ...body, version: base.version }, changeKey }),
        body.version,
      ),
    onSuccess: () => {
      toast({ title: 'Document Updated', description: 'Your changes have been saved.' });
      onSaved();
      client.invalidateQueries();
    },
    onError: (error) => void isConflict(error),
  });
  return { save, conflict, keepMine };
}

function valuesOf({ name, category, description, visibleToTrustedContact, version }: VaultDocument): DocumentValues {
  return { name, category, description: description ?? '', visibleToTrustedContact, version };
}
