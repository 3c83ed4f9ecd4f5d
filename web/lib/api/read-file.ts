import { apiErrorOf, reach } from './api.ts';

/** Reads a whole file, to be worked with here. @throws ApiError */
export async function readFile(href: string, signal?: AbortSignal): Promise<Blob> {
  const response = await reach(href, { credentials: 'same-origin', ...(signal ? { signal } : {}) });
  if (!response.ok) throw await apiErrorOf(response);
  return response.blob();
}
