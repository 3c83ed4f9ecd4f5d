import type { z } from 'zod';
import type { Route, RouteParams, RouteQuery, RouteResult } from '#shared/contract/route.ts';
import { ApiError, errorBodyIn, pathOf, resultOf, unreachable } from './api.ts';

/** Progress of an upload, in bytes of the whole request. */
export type UploadProgress = { sentBytes: number; totalBytes: number };

/** A route that takes a file, and text fields beside it. */
export type UploadRoute = Route & { form: z.ZodObject };

export type UploadOptions<R extends UploadRoute> = {
  file: File;
  /** Text fields. Undefined and null are not sent. */
  fields: { [Name in keyof z.input<R['form']>]?: string | boolean | null | undefined };
  query?: Partial<RouteQuery<R>>;
  onProgress?: (progress: UploadProgress) => void;
  signal?: AbortSignal;
  /** Names a change: sent again under the same key, it is made once. */
  changeKey?: string | undefined;
} & ([RouteParams<R>] extends [undefined] ? unknown : { params: RouteParams<R> });

/** Error of an upload that the person cancelled. */
export class UploadCancelled extends Error {
  override readonly name = 'UploadCancelled';
}

/** Longest answer without JSON that is shown to a person as it is. */
const plainAnswerLengthMax = 300;

/**
 * Sends one file as `multipart/form-data` (RFC 7578), with the session cookies, and gives the answer. `fetch` does not
 * tell how much of a body has been sent, so this is an XMLHttpRequest.
 *
 * @throws ApiError as `call`.
 * @throws the signal's reason where it was cancelled.
 */
export function upload<R extends UploadRoute>(route: R, options: UploadOptions<R>): Promise<RouteResult<R>> {
  const { file, fields, query, onProgress, signal, changeKey } = options;
  const params = 'params' in options ? (options.params as Record<string, unknown>) : {};
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    const ended = () => signal?.removeEventListener('abort', abort);
    const path = pathOf(route.path, params, query);
    request.open(route.method, path);
    request.setRequestHeader('accept', 'application/json');
    if (changeKey) request.setRequestHeader('idempotency-key', changeKey);
    request.withCredentials = true;
    request.upload.onprogress = ({ loaded, total }) => onProgress?.({ sentBytes: loaded, totalBytes: total });
    request.onload = () => {
      ended();
      if (request.status < 200 || request.status > 299) return reject(errorOf(request));
      const { status, responseText: text, responseURL } = request;
      const isRedirected = Boolean(responseURL) && !responseURL.endsWith(path);
      try {
        resolve(resultOf(route, { status, isJson: isJson(request), isRedirected, text }));
      } catch (error) {
        reject(error);
      }
    };
    request.onerror = () => {
      ended();
      reject(unreachable());
    };
    request.onabort = () => {
      ended();
      reject(signal?.reason ?? new UploadCancelled());
    };
    signal?.addEventListener('abort', abort);
    request.send(formOf(fields, file));
  });
}

/** The fields come first, so that the service can refuse them before it has read the file. */
function formOf(fields: Record<string, unknown>, file: File): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined && value !== null) form.set(name, String(value));
  }
  form.set('file', file);
  return form;
}

/** The message is that of the JSON body, else the text of the body, else `HTTP {status}`. */
function errorOf(request: XMLHttpRequest): ApiError {
  const { status, responseText } = request;
  const body = errorBodyIn(responseText);
  if (body) {
    const { message, ...fields } = body;
    return new ApiError(message || `HTTP ${status}`, { ...fields, status });
  }
  return new ApiError(plainTextOf(request) || `HTTP ${status}`, { status });
}

/** A sentence of the body. The page of a proxy is none. */
function plainTextOf(request: XMLHttpRequest): string {
  const text = request.responseText.trim();
  return text.length > plainAnswerLengthMax || text.startsWith('<') ? '' : text;
}

function isJson(request: XMLHttpRequest): boolean {
  return request.getResponseHeader('content-type')?.includes('json') ?? false;
}
