import { useMutation, useQueryClient } from '@tanstack/react-query';
import { createDocument } from '#shared/contract/documents.ts';
import { ApiError } from '#web/lib/api/api.ts';
import { UploadCancelled } from '#web/lib/api/upload.ts';
import { useUpload } from '#web/lib/api/use-upload.ts';
import { renamedWords } from '#web/lib/file-words.ts';
import { toast } from '#web/lib/toast.ts';
import type { DocumentAnswers } from './document-fields.tsx';

/** Stores a document and says so. Everything that shows documents, limits or the release is read again. */
export function useUploadDocument(onStored: () => void) {
  const client = useQueryClient();
  const { send, progress, cancel } = useUpload();
  const store = useMutation({
    mutationFn: ({ file, answers }: { file: File; answers: DocumentAnswers }) =>
      send(createDocument, { file, fields: answers }),
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

/** Why it was not stored: the service's own words, where it has answered. */
export function uploadFailure(error: unknown): string {
  const isAnswered = error instanceof ApiError && error.status > 0;
  return isAnswered ? error.message : 'Failed to store document. Please try again.';
}
