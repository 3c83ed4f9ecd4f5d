import { ApiError, apiErrorOf, reach } from './api.ts';

/** Reads a whole file, to be worked with here. @throws ApiError */
export async function readFile(href: string, signal?: AbortSignal): Promise<Blob> {
  const response = await reach(href, { credentials: 'same-origin', ...(signal ? { signal } : {}) });
  if (!response.ok) throw await apiErrorOf(response);
  requireFile(response);
  return response.blob();
}

/** @throws ApiError if a page came in place of a file, as proxies answer. */
export function requireFile({ headers, redirected, status }: Response): void {
  if (!redirected && !headers.get('content-type')?.startsWith('text/html')) return;
  const message = 'Something other than Everkept has answered, so there is no file. Try again in a minute.';
  throw new ApiError(message, { status, isUnclear: true });
}
