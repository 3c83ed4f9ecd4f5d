import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '#web/lib/api/api.ts';
import { failureWords } from '#web/lib/api/saves.ts';
import { UploadCancelled } from '#web/lib/api/upload.ts';
import { useUpload } from '#web/lib/api/use-upload.ts';
import { renamedWords } from '#web/lib/file-words.ts';
import { toast } from '#web/lib/toast.ts';
import type { DocumentAnswers } from './document-fields.tsx';
import { createStore } from './store-document.ts';

/** Stores a document and says so. Everything that shows documents, limits or the release is read again. */
export function useUploadDocument(onStored: () => void) {
  const client = useQueryClient();
  const { send, progress, cancel } = useUpload();
  const [storeFile] = useState(createStore);
  const store = useMutation({
    mutationFn: ({ file, answers }: { file: File; answers: DocumentAnswers }) => storeFile(file, answers, send),
    onSuccess: ({ fileName, renamedFrom }) => {
      const description = `Your document has been securely stored.${renamedWords(fileName, renamedFrom)}`;
      toast({ title: 'Document Added', description });
      onStored();
      client.invalidateQueries();
    },
    onError: (error) => {
      // A stop that came late may have been too late.
      if (error instanceof UploadCancelled) return client.invalidateQueries();
      toast({ title: 'Error', description: uploadFailure(error), variant: 'destructive' });
    },
  });
  return { store, progress, cancel };
}

/** Reason of the failure: the service's own words, if it has answered. */
export function uploadFailure(error: unknown): string {
  const isAnswered = error instanceof ApiError && error.status > 0;
  return isAnswered ? error.message : 'Failed to store document. Please try again.';
}

/** Reason of a failed upload, shown beside the form. */
export function uploadFailureWords(error: Error): string {
  const isAnswered = error instanceof ApiError && error.status > 0;
  return isAnswered ? failureWords(error) : `${uploadFailure(error)} What you typed is still here.`;
}
