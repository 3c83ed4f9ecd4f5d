import { useCallback, useEffect, useRef, useState } from 'react';
import { exportData, exportFurtherHeader, exportKeyHeader, exportSizeHeader } from '#shared/contract/export.ts';
import type { RouteBody } from '#shared/contract/route.ts';
import { productSlug } from '#shared/product.ts';
import { NotConfirmedError } from '#web/components/fresh-sign-in/not-confirmed.ts';
import { useFreshSignIn } from '#web/components/fresh-sign-in/use-fresh-sign-in.tsx';
import { ApiError, addressOf, apiErrorOf, reach } from '#web/lib/api/api.ts';
import { saveFile } from '#web/lib/api/download.ts';
import { fileNameOf, readBlob } from '#web/lib/api/read-blob.ts';
import { requireFile } from '#web/lib/api/read-file.ts';
import { toast } from '#web/lib/toast.ts';
import { askAgain } from './ask-again.ts';
import { keyFileName, keyFileText } from './key-file.ts';

export type ExportChoice = RouteBody<typeof exportData>;
/** `totalBytes` is about right; null where nothing tells. */
export type ExportProgress = { bytes: number; totalBytes: number | null };
/** A key that was saved with its archive, in case the browser kept only one of the two files. */
export type SavedKey = { name: string; text: string };

/** Ids of files beside a page, which are still to be saved. */
type Exported = { key: SavedKey | null; further: readonly string[] };

/** Exports to a file, with progress, after a fresh sign-in where the service wants one, and keeps the key at hand. */
export function useExport() {
  const freshSignIn = useFreshSignIn('Go on with the export');
  const [progress, setProgress] = useState<ExportProgress>();
  const [savedKey, setSavedKey] = useState<SavedKey>();
  const current = useRef<AbortController>(undefined);
  const cancel = useCallback(() => current.current?.abort(), []);
  useEffect(() => cancel, [cancel]);

  async function attempt(choice: ExportChoice, signal: AbortSignal): Promise<Exported> {
    setProgress({ bytes: 0, totalBytes: null });
    try {
      return await exportToFile(choice, signal, setProgress);
    } finally {
      setProgress(undefined);
    }
  }

  /** Saves the files beside a page one after another. Returns how many were not saved, also where the person gave up. */
  async function saveFurther(choice: ExportChoice, further: readonly string[], signal: AbortSignal): Promise<number> {
    let missed = 0;
    for (const [index, id] of further.entries()) {
      try {
        await freshSignIn.run(() => attempt({ ...choice, further: id }, signal));
      } catch (error) {
        if (signal.aborted || error instanceof NotConfirmedError) return missed + further.length - index;
        missed += 1;
      }
    }
    return missed;
  }

  async function start(choice: ExportChoice): Promise<void> {
    const controller = new AbortController();
    current.current = controller;
    setSavedKey(undefined);
    try {
      const made = await freshSignIn.run(() => attempt(choice, controller.signal));
      if (made.key) setSavedKey(made.key);
      const missed = await saveFurther(choice, made.further, controller.signal);
      if (missed > 0)
        return toast({ title: 'Export Incomplete', description: missedWords(missed), variant: 'destructive' });
      toast({ title: 'Export Complete', description: wordsOf(made) });
    } catch (error) {
      if (controller.signal.aborted) return toast({ title: 'Export Cancelled', description: 'Nothing was saved.' });
      if (error instanceof NotConfirmedError) return;
      toast({ title: 'Export Failed', description: sentenceOf(error), variant: 'destructive' });
    } finally {
      current.current = undefined;
    }
  }

  return { progress, savedKey, cancel, start, dialog: freshSignIn.dialog };
}

/** Saves the key of an archive again. */
export function saveKey({ name, text }: SavedKey): void {
  saveFile(new Blob([text], { type: 'text/plain;charset=utf-8' }), name);
}

async function exportToFile(
  choice: ExportChoice,
  signal: AbortSignal,
  onProgress: (progress: ExportProgress) => void,
): Promise<Exported> {
  const ask = () =>
    reach(addressOf(exportData), {
      method: exportData.method,
      credentials: 'include',
      headers: { accept: '*/*', 'content-type': 'application/json' },
      body: JSON.stringify(choice),
      signal,
    });
  // A fast line saves files beside a page faster than the limit of a minute allows.
  const response = await (choice.further ? askAgain(ask, signal) : ask());
  if (!response.ok) throw await apiErrorOf(response);
  requireFile(response);
  const totalBytes = Number(response.headers.get(exportSizeHeader)) || null;
  const blob = await readBlob(response, (bytes) => onProgress({ bytes, totalBytes }));
  const name = fileNameOf(response) ?? `${productSlug}-export`;
  saveFile(blob, name);
  const further = response.headers.get(exportFurtherHeader)?.split(',') ?? [];
  const key = response.headers.get(exportKeyHeader);
  if (!key) return { key: null, further };
  const savedKey = { name: keyFileName(name), text: keyFileText(key, name) };
  saveKey(savedKey);
  return { key: savedKey, further };
}

function wordsOf({ key, further }: Exported): string {
  if (key) return 'Two files were saved: the archive, and the key that opens it.';
  if (further.length === 0) return 'The file is among your downloads.';
  const files = further.length === 1 ? 'a large file' : `${further.length} large files`;
  return `The page and ${files} beside it are among your downloads. Keep them together.`;
}

function missedWords(missed: number): string {
  const files = missed === 1 ? 'a large file' : `${missed} large files`;
  return `The page was saved, but without ${files} beside it. Make the copy again in a while.`;
}

function sentenceOf(error: unknown): string {
  return (error instanceof ApiError && error.message) || 'Failed to export data';
}
