import type { ErrorType, Issue } from '#shared/contract/errors.ts';
import type { Route, RouteBodyInput, RouteParams, RouteQuery, RouteResult } from '#shared/contract/route.ts';
import { takeEarly } from './early-reads.ts';

type Given<Name extends string, Value> = [Value] extends [undefined] ? unknown : { [Key in Name]: Value };
/** Undefined values are left out of the address. */
type Optional<Value> = [Value] extends [undefined] ? undefined : { [Key in keyof Value]?: Value[Key] | undefined };

/** Parts of a route's address: `params` if the route declares them, optional `query`. */
export type AddressOptions<R extends Route> = Given<'params', RouteParams<R>> & { query?: Optional<RouteQuery<R>> };

/** Options of a call besides its route: `params` and `body` if the route declares them, the rest optional. */
export type CallOptions<R extends Route> = AddressOptions<R> &
  Given<'body', RouteBodyInput<R>> & {
    /** Sent as multipart instead of a JSON body, for uploads. */
    form?: FormData;
    signal?: AbortSignal | undefined;
    /** Names a change: sent again under the same key, it is made once. */
    changeKey?: string | undefined;
  };

/** The options as an argument that may be left out where nothing in them has to be there. */
export type OptionsArgument<Options> = Record<never, never> extends Options ? [options?: Options] : [options: Options];

type LooseOptions = {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
  form?: FormData;
  signal?: AbortSignal | undefined;
  changeKey?: string | undefined;
};

/**
 * Makes one call of the HTTP surface, with the session cookies, and gives its answer (undefined where there is none).
 *
 * @throws ApiError for every answer that is not a success or not the one of the contract, and with status 0 if no answer came.
 */
export async function call<R extends Route>(
  route: R,
  ...[options]: OptionsArgument<CallOptions<R>>
): Promise<RouteResult<R>> {
  const { params, query, body, form, signal, changeKey } = (options ?? {}) as LooseOptions;
  const isJson = body !== undefined && form === undefined;
  const response = await reach(pathOf(route.path, params, query), {
    method: route.method,
    credentials: 'include',
    headers: {
      accept: 'application/json',
      ...(isJson ? { 'content-type': 'application/json' } : {}),
      ...(changeKey ? { 'idempotency-key': changeKey } : {}),
    },
    ...(isJson ? { body: JSON.stringify(body) } : form ? { body: form } : {}),
    ...(signal ? { signal } : {}),
  });
  if (!response.ok) {
    const error = await apiErrorOf(response, unclear(route, response.status), isChange(route));
    signal?.throwIfAborted();
    throw error;
  }
  return answerOf(route, response, signal);
}

/** Reads the answer that the contract promises. @throws ApiError if it is another one, as the page of a proxy is. */
export async function answerOf<R extends Route>(
  route: R,
  response: Response,
  signal?: AbortSignal,
): Promise<RouteResult<R>> {
  const { status, redirected } = response;
  try {
    const isJson = isJsonAnswer(response);
    return resultOf(route, { status, isJson, isRedirected: redirected, text: await response.text() });
  } catch (error) {
    if (error instanceof ApiError || signal?.aborted) throw error;
    throw unclear(route, status);
  }
}

type Answered = { status: number; isJson: boolean; isRedirected: boolean; text: string };

/** Takes the result out of a success answer. @throws ApiError if the answer is not the one of the contract. */
export function resultOf<R extends Route>(route: R, { status, isJson, isRedirected, text }: Answered): RouteResult<R> {
  const value = isJson && !isRedirected ? parsed(text) : undefined;
  if (route.expects ? !isExpected(route.expects, value) : status !== noBody) throw unclear(route, status);
  return value as RouteResult<R>;
}

const noBody = 204;

function isExpected(expects: string, value: unknown): boolean {
  if (expects === '*') return value !== undefined;
  if (expects === '[') return Array.isArray(value);
  return typeof value === 'object' && value !== null && (expects === '{' || expects in value);
}

/** Something else has answered, and the service may have done what it was asked or not. */
function unclear(route: Route, status: number): ApiError {
  const unsure = 'We can’t tell whether this was saved. Your words are still here.';
  return new ApiError(isChange(route) ? unsure : unreachable().message, { status, isUnclear: true });
}

function isChange({ method }: Route): boolean {
  return method !== 'GET';
}

/** Address of a route, for a link or a read: with parameters and query. */
export function addressOf<R extends Route>(route: R, ...[options]: OptionsArgument<AddressOptions<R>>): string {
  const { params, query } = (options ?? {}) as LooseOptions;
  return pathOf(route.path, params, query);
}

type ErrorFields = {
  status: number;
  isUnclear?: boolean;
  stored?: unknown;
  upgradeRequired?: boolean;
  type?: ErrorType;
  current?: number;
  limit?: number;
  issues?: readonly Issue[];
};

/** An answer that is not a success. `message` is the service's own sentence, fit to be shown. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** The HTTP status; 0 where no answer came. */
  readonly status: number;
  /** True if another service has answered, such as a proxy. */
  readonly isUnclear: boolean;
  /** The stored item, if a change was made from an older version of it. */
  readonly stored: unknown;
  readonly upgradeRequired: boolean;
  readonly type: ErrorType | undefined;
  readonly current: number | undefined;
  readonly limit: number | undefined;
  readonly issues: readonly Issue[] | undefined;

  constructor(message: string, fields: ErrorFields) {
    super(message);
    this.status = fields.status;
    this.isUnclear = fields.isUnclear ?? false;
    this.stored = fields.stored;
    this.upgradeRequired = fields.upgradeRequired ?? false;
    this.type = fields.type;
    this.current = fields.current;
    this.limit = fields.limit;
    this.issues = fields.issues;
  }
}

/**
 * Reads an unsuccessful answer. If the body can't be parsed, the status text is the message. If it is JSON without a
 * message, the message is the status code and status text. If the connection breaks off, the error is `broken`.
 *
 * @param hasChanged true for a change. A proxy's 5xx is then `broken` too: the service may have made the change.
 */
export async function apiErrorOf(response: Response, broken = unreachable(), hasChanged = false): Promise<ApiError> {
  const { status, statusText } = response;
  const text = await response.text().catch(() => null);
  if (text === null) return broken;
  const body = errorBodyIn(text);
  if (body === undefined && hasChanged && status >= 500) return broken;
  if (body === undefined) return new ApiError(statusText || `${status}: ${statusText}`, { status });
  return apiErrorIn(body, { status, statusText });
}

/** Error in the body of an unsuccessful answer. */
export function apiErrorIn({ message, ...fields }: ErrorBody, { status, statusText = '' }: AnswerLine): ApiError {
  return new ApiError(message || `${status}: ${statusText}`, { ...fields, status });
}

type AnswerLine = { status: number; statusText?: string };

/** Fetches an address, unless it is being fetched already. Tells an unreachable service from a cancelled call. */
export async function reach(url: string, init: RequestInit): Promise<Response> {
  const early = isRead(init) ? takeEarly(url) : undefined;
  try {
    return await (early ?? fetch(url, init));
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw unreachable();
  }
}

function isRead({ method = 'GET' }: RequestInit): boolean {
  return method === 'GET';
}

/** No answer came. */
export function unreachable(): ApiError {
  return new ApiError('We could not reach Everkept. What you typed is kept. Try again in a minute.', { status: 0 });
}

/** Discards the body of an answer. Left unread it would keep its connection. */
export function leaveUnread(response: Response): null {
  response.text().catch(() => undefined);
  return null;
}

/** True if an answer says of itself that it is JSON. */
export function isJsonAnswer(response: Response): boolean {
  return response.headers.get('content-type')?.includes('json') ?? false;
}

/** The address of a route: `:name` filled in, the query appended, values escaped. Undefined values are left out. */
export function pathOf(
  path: string,
  params: Record<string, unknown> = {},
  query: Record<string, unknown> = {},
): string {
  const filled = path.replace(/:([A-Za-z]+)/g, (_, name: string) => encodeURIComponent(String(params[name])));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) search.set(name, String(value));
  }
  return search.size > 0 ? `${filled}?${search}` : filled;
}

export type ErrorBody = { message?: string } & Omit<ErrorFields, 'status' | 'isUnclear'>;

/** JSON body of an unsuccessful answer; undefined if it is not JSON. */
export function errorBodyIn(text: string): ErrorBody | undefined {
  const value = parsed(text);
  // A proxy's page, or nothing. The caller falls back to what else it knows.
  if (value === undefined) return undefined;
  return typeof value === 'object' && value !== null ? value : {};
}

/** Undefined if the text is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
