import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { importData } from '#shared/contract/export.ts';
import type { RouteResult } from '#shared/contract/route.ts';
import { ApiError } from '#web/lib/api.ts';
import { toast } from '#web/lib/toast.ts';
import { UploadCancelled } from '#web/lib/upload.ts';
import { useUpload } from '#web/lib/use-upload.ts';

type Result = RouteResult<typeof importData>;

/** Sends an export to be taken in, with progress. `onDone` is called once it was. */
export function useImport(onDone: () => void) {
  const client = useQueryClient();
  const { progress, send, cancel } = useUpload();
  const [result, setResult] = useState<Result>();
  const [failure, setFailure] = useState<string>();
  const [keyError, setKeyError] = useState<string>();

  const forget = () => {
    setResult(undefined);
    setFailure(undefined);
    setKeyError(undefined);
  };

  async function start(file: File, key: string | null): Promise<void> {
    forget();
    try {
      const taken = await send(importData, { file, fields: { key } });
      setResult(taken);
      toast(noticeOf(taken));
      onDone();
      await client.invalidateQueries();
    } catch (error) {
      if (error instanceof UploadCancelled) return;
      if (!(error instanceof ApiError)) throw error;
      const aboutKey = error.issues?.find(({ path }) => path === 'key')?.message;
      if (aboutKey) setKeyError(aboutKey);
      else setFailure(error.message);
    }
  }

  return { progress, cancel, start, forget, result, failure, keyError };
}

function noticeOf({ messages, documents, contacts, checklists, alreadyThere }: Result) {
  if (messages + documents + contacts + checklists > 0) {
    return { title: 'Import Complete', description: 'Your vault has what was missing.' };
  }
  const description =
    alreadyThere > 0 ? 'All of it was in your vault already.' : 'This export holds nothing to bring in.';
  return { title: 'Nothing Was Added', description };
}
