import { type SubmitEvent, useEffect, useRef, useState } from 'react';
import { titleLengthMax } from '#shared/contract/fields.ts';
import { endingOf, typeOfExtension } from '#shared/rules/files.ts';
import type { PlanName } from '#shared/rules/plans.ts';
import { Banner } from '#web/components/ui/banner.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { FileField } from '#web/components/ui/file-field.tsx';
import { UploadProgress } from '#web/components/ui/upload-progress.tsx';
import { UploadCancelled } from '#web/lib/api/upload.ts';
import { useLeaveWarning } from '#web/lib/drafts/leave-warning.ts';
import { acceptedWords, acceptOf, isNoticed, refusalOf } from '#web/lib/file-choice.rules.ts';
import { toast } from '#web/lib/toast.ts';
import { DocumentFields, type DocumentForm, type DocumentValues, useDocumentForm } from './document-fields.tsx';
import { uploadFailureWords, useUploadDocument } from './use-upload-document.ts';
import './documents.css';

type UploadFormProps = {
  plan: PlanName;
  onStored: () => void;
  /** Told of files where several were chosen at once. */
  onSeveral: (files: File[]) => void;
  onCancel: () => void;
  /** Told whether a file is on its way. */
  onSending: (isSending: boolean) => void;
};

const empty: DocumentValues = { name: '', category: 'personal', description: '', visibleToTrustedContact: false };

/** A file and its details. */
export function UploadForm({ plan, onStored, onSeveral, onCancel, onSending }: UploadFormProps) {
  const { form, forget } = useDocumentForm('document:new', empty);
  const { file, error, choose, remove, demand } = useChosenFile(plan, form);
  const { store, progress, cancel } = useUploadDocument(() => {
    forget();
    onStored();
  });
  const { isPending } = store;
  const submitButton = useRef<HTMLButtonElement>(null);
  const stop = () => {
    // The button that was pressed goes away, and the focus would go with it.
    submitButton.current?.focus();
    cancel();
  };
  useLeaveWarning(!store.isSuccess && (isPending || file !== undefined || form.formState.isDirty));
  useEffect(() => onSending(isPending), [isPending, onSending]);
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (demand(file)) {
      return form.handleSubmit((answers) => {
        if (!isPending) store.mutate({ file, answers });
      })(event);
    }
    // Everything that is missing is said at once, and the first of it has the focus.
    form.trigger();
    event.currentTarget.querySelector<HTMLInputElement>('input[type=file]')?.focus();
  };
  return (
    <form className="doc-form" noValidate onSubmit={submit}>
      <FileField
        label="File *"
        hint={acceptedWords(plan)}
        accept={acceptOf(plan)}
        required
        error={error}
        file={file && shownOf(file)}
        onChoose={choose}
        onSeveral={onSeveral}
        onRemove={remove}
        locked={isPending}
      />
      <DocumentFields form={form} />
      {progress && file ? <UploadProgress fileName={file.name} progress={progress} onCancel={stop} /> : null}
      <Outcome error={store.error} />
      <div className="btns">
        <Button type="submit" ref={submitButton} busy={isPending}>
          {isPending ? 'Uploading…' : 'Store in my vault'}
        </Button>
        {isPending ? null : (
          <Button variant="secondary" onClick={onCancel}>
            Cancel
          </Button>
        )}
      </div>
    </form>
  );
}

function Outcome({ error }: { error: Error | null }) {
  if (!error) return null;
  if (error instanceof UploadCancelled) {
    return <Banner>The upload was cancelled. What you typed and the file you chose are still here.</Banner>;
  }
  return (
    <Banner tone="bad" role="alert">
      {uploadFailureWords(error)}
    </Banner>
  );
}

/** The file of the form. Choosing one fills in the name, unless the person has given it another. */
function useChosenFile(plan: PlanName, form: DocumentForm) {
  const [file, setFile] = useState<File>();
  const [error, setError] = useState<string>();

  const choose = (chosen: File): boolean => {
    const refusal = refusalOf(chosen, plan);
    setError(refusal?.description);
    setFile(refusal ? undefined : chosen);
    if (refusal && isNoticed(refusal)) toast({ ...refusal, variant: 'destructive' });
    if (refusal) return false;
    if (isOfAFile(form.getValues('name'))) {
      form.setValue('name', chosen.name.slice(0, titleLengthMax), { shouldDirty: true, shouldValidate: true });
    }
    return true;
  };
  const demand = (chosen: File | undefined): chosen is File => {
    if (chosen === undefined) setError('Please select a file to upload.');
    return chosen !== undefined;
  };
  const remove = () => setFile(undefined);
  return { file, error, choose, remove, demand };
}

/** True if the name is empty, or comes from a file. The file may be one of an earlier try, whose name was kept. */
function isOfAFile(name: string): boolean {
  return name.trim() === '' || typeOfExtension(endingOf(name.trim())) !== null;
}

/** Browsers don't know every type by its name; ours are known by their endings. */
export function shownOf({ name, size, type }: File) {
  return { name, sizeBytes: size, mimeType: typeOfExtension(endingOf(name)) ?? type };
}
