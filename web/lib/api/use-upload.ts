import { useCallback, useEffect, useRef, useState } from 'react';
import type { RouteResult } from '#shared/contract/route.ts';
import { UploadCancelled, type UploadOptions, type UploadProgress, type UploadRoute, upload } from './upload.ts';

export type Uploading = {
  /** Progress; undefined while nothing is sent. */
  progress: UploadProgress | undefined;
  /** Sends a file, as `upload` does. */
  send: <R extends UploadRoute>(route: R, options: UploadOptions<R>) => Promise<RouteResult<R>>;
  /** Stops the upload; the promise of `send` rejects with `UploadCancelled`. */
  cancel: () => void;
};

/** Uploads for one form, with progress. A running upload stops when the form unmounts. */
export function useUpload(): Uploading {
  const [progress, setProgress] = useState<UploadProgress>();
  const current = useRef<AbortController>(undefined);
  const cancel = useCallback(() => current.current?.abort(new UploadCancelled()), []);
  useEffect(() => cancel, [cancel]);

  const send = useCallback(async <R extends UploadRoute>(route: R, options: UploadOptions<R>) => {
    const controller = new AbortController();
    current.current = controller;
    setProgress({ sentBytes: 0, totalBytes: options.file.size });
    try {
      return await upload(route, { ...options, onProgress: setProgress, signal: controller.signal });
    } finally {
      current.current = undefined;
      setProgress(undefined);
    }
  }, []);

  return { progress, send, cancel };
}
