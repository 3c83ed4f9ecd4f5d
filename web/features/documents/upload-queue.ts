import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { titleLengthMax } from '#shared/contract/fields.ts';
import { UploadCancelled, type UploadProgress } from '#web/lib/api/upload.ts';
import { useUpload } from '#web/lib/api/use-upload.ts';
import type { DocumentAnswers } from './document-fields.tsx';
import { createStore } from './store-document.ts';
import { uploadFailure } from './use-upload-document.ts';

/** One of several files, and how far it has come. */
export type Queued = { key: string; file: File } & (
  | { state: 'waiting' | 'sending' | 'cancelled' }
  /** `storedAs` is the name of one whose ending was corrected. */
  | { state: 'stored'; storedAs: string | null }
  /** The file can't be stored as it is: another try would fail too. */
  | { state: 'refused'; why: string }
  | { state: 'failed'; why: string }
);

type Said = Pick<DocumentAnswers, 'category' | 'visibleToTrustedContact'>;

export type UploadQueue = {
  items: readonly Queued[];
  /** Progress of the present upload. */
  progress: UploadProgress | undefined;
  isSending: boolean;
  /** Stores all that wait, one after the other, each under its file's name. */
  storeAll: (said: Said) => Promise<void>;
  /** Stops the one that is being sent; the others go on. */
  cancel: () => void;
  /** Has one that failed, or was stopped, wait again. */
  retry: (key: string) => void;
  /** Takes one out that is not stored. */
  remove: (key: string) => void;
};

/** Several files that are stored in the vault one after the other. One that fails does not stand in the way of the others. */
export function useUploadQueue(files: readonly File[], refusalOf: (file: File) => string | undefined): UploadQueue {
  const client = useQueryClient();
  const { send, progress, cancel } = useUpload();
  const [items, setItems] = useState<readonly Queued[]>(() => files.map((file) => queuedOf(file, refusalOf(file))));
  const [isSending, setSending] = useState(false);
  const [storeFile] = useState(createStore);
  // Files that are removed or retried during an upload take effect at once.
  const now = useRef(items);
  // Nothing more is sent once the form is gone.
  const isGone = useRef(false);
  useEffect(() => {
    isGone.current = false;
    return () => {
      isGone.current = true;
    };
  }, []);
  const change = (key: string, changed: (item: Queued) => Queued | null) => {
    now.current = now.current.flatMap((item) => (item.key === key ? (changed(item) ?? []) : item));
    setItems(now.current);
  };

  async function storeOne({ key, file }: Queued, said: Said): Promise<void> {
    change(key, () => ({ key, file, state: 'sending' }));
    try {
      const answers = { ...said, name: file.name.slice(0, titleLengthMax), description: '' };
      const { fileName, renamedFrom } = await storeFile(file, answers, send);
      change(key, () => ({ key, file, state: 'stored', storedAs: renamedFrom ? fileName : null }));
    } catch (error) {
      const isStopped = error instanceof UploadCancelled;
      change(key, () =>
        isStopped ? { key, file, state: 'cancelled' } : { key, file, state: 'failed', why: uploadFailure(error) },
      );
    }
  }

  return {
    items,
    progress,
    isSending,
    async storeAll(said) {
      if (isSending) return;
      setSending(true);
      const next = () => (isGone.current ? undefined : now.current.find(({ state }) => state === 'waiting'));
      for (let item = next(); item; item = next()) await storeOne(item, said);
      setSending(false);
      client.invalidateQueries();
    },
    cancel,
    retry: (key) => change(key, ({ file }) => ({ key, file, state: 'waiting' })),
    remove: (key) => change(key, () => null),
  };
}

function queuedOf(file: File, why: string | undefined): Queued {
  const key = crypto.randomUUID();
  return why === undefined ? { key, file, state: 'waiting' } : { key, file, state: 'refused', why };
}
