import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { importData } from '#shared/contract/export.ts';
import type { RouteResult } from '#shared/contract/route.ts';
import { NotConfirmedError } from '#web/components/fresh-sign-in/not-confirmed.ts';
import { useFreshSignIn } from '#web/components/fresh-sign-in/use-fresh-sign-in.tsx';
import { ApiError } from '#web/lib/api/api.ts';
import { UploadCancelled } from '#web/lib/api/upload.ts';
import { useUpload } from '#web/lib/api/use-upload.ts';

export type ImportResult = RouteResult<typeof importData>;
/** Fields sent with the file. */
export type ImportFields = { key: string | null; preview?: boolean; takeSettings?: boolean; asReady?: boolean };

/** Sends an export to be looked at, and then to be taken in, with progress. `onDone` is called once it was. */
export function useImport(onDone: () => void) {
  const client = useQueryClient();
  const freshSignIn = useFreshSignIn('Go on with the import');
  const { progress, send, cancel } = useUpload();
  const [result, setResult] = useState<ImportResult>();
  const [failure, setFailure] = useState<string>();
  const [keyError, setKeyError] = useState<string>();

  const forget = () => {
    setResult(undefined);
    setFailure(undefined);
    setKeyError(undefined);
  };

  async function start(file: File, fields: ImportFields): Promise<void> {
    setFailure(undefined);
    setKeyError(undefined);
    try {
      const taken = await freshSignIn.run(() => send(importData, { file, fields }));
      setResult(taken);
      if (taken.isPreview) return;
      onDone();
      await client.invalidateQueries();
    } catch (error) {
      if (error instanceof UploadCancelled || error instanceof NotConfirmedError) return;
      if (!(error instanceof ApiError)) throw error;
      const aboutKey = error.issues?.find(({ path }) => path === 'key')?.message;
      if (aboutKey) setKeyError(aboutKey);
      else setFailure(error.message);
    }
  }

  return { progress, cancel, start, forget, result, failure, keyError, dialog: freshSignIn.dialog };
}
