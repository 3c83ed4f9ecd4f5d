/** Bytes that are gathered before they go into a blob, which a browser may keep outside of memory. */
const gatheredBytesMax = 4 * 1024 * 1024;

/**
 * Reads a file that is sent while it is made, and tells after every piece how many bytes have come.
 *
 * @throws where it ended before its end, or was cancelled.
 */
export async function readBlob(response: Response, onProgress: (bytes: number) => void): Promise<Blob> {
  const type = response.headers.get('content-type') ?? 'application/octet-stream';
  const reader = response.body?.getReader();
  if (!reader) return response.blob();
  const blobs: Blob[] = [];
  let gathered: Uint8Array<ArrayBuffer>[] = [];
  let gatheredBytes = 0;
  let bytes = 0;
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    gathered.push(step.value);
    gatheredBytes += step.value.length;
    bytes += step.value.length;
    if (gatheredBytes >= gatheredBytesMax) {
      blobs.push(new Blob(gathered));
      gathered = [];
      gatheredBytes = 0;
    }
    onProgress(bytes);
  }
  return new Blob([...blobs, ...gathered], { type });
}

/** The plain name that an answer gives its file (RFC 6266), or null. */
export function fileNameOf(response: Response): string | null {
  return /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? null;
}
