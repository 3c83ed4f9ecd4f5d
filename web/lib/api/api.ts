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
  };

/** The options as an argument that may be left out where nothing in them has to be there. */
export type OptionsArgument<Options> = Record<never, never> extends Options ? [options?: Options] : [options: Options];

type LooseOptions = {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
  form?: FormData;
  signal?: AbortSignal | undefined;
};

/**
 * Makes one call of the HTTP surface, with the session cookies, and gives its answer (undefined where there is none).
 *
 * @throws ApiError for every answer that is not a success, and with status 0 where the service could not be reached.
 */
export async function call<R extends Route>(
  route: R,
  ...[options]: OptionsArgument<CallOptions<R>>
): Promise<RouteResult<R>> {
  const { params, query, body, form, signal } = (options ?? {}) as LooseOptions;
  const isJson = body !== undefined && form === undefined;
  const response = await reach(pathOf(route.path, params, query), {
    method: route.method,
    credentials: 'include',
    headers: isJson
      ? { accept: 'application/json', 'content-type': 'application/json' }
      : { accept: 'application/json' },
    ...(isJson ? { body: JSON.stringify(body) } : form ? { body: form } : {}),
    ...(signal ? { signal } : {}),
  });
  if (!response.ok) throw await apiErrorOf(response);
  return (isJsonAnswer(response) ? await response.json() : undefined) as RouteResult<R>;
}

/** Address of a route, for a link or a read: with parameters and query. */
export function addressOf<R extends Route>(route: R, ...[options]: OptionsArgument<AddressOptions<R>>): string {
  const { params, query } = (options ?? {}) as LooseOptions;
  return pathOf(route.path, params, query);
}

type ErrorFields = {
  status: number;
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
  readonly upgradeRequired: boolean;
  readonly type: ErrorType | undefined;
  readonly current: number | undefined;
  readonly limit: number | undefined;
  readonly issues: readonly Issue[] | undefined;

  constructor(message: string, fields: ErrorFields) {
    super(message);
    this.status = fields.status;
    this.upgradeRequired = fields.upgradeRequired ?? false;
    this.type = fields.type;
    this.current = fields.current;
    this.limit = fields.limit;
    this.issues = fields.issues;
  }
}

/**
 * Reads an unsuccessful answer. If the body can't be parsed, the status text is the message. If it is JSON without a
 * message, the message is the status code and status text.
 */
export async function apiErrorOf(response: Response): Promise<ApiError> {
  const { status, statusText } = response;
  const body = errorBodyIn(await response.text());
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

export type ErrorBody = { message?: string } & Omit<ErrorFields, 'status'>;

/** JSON body of an unsuccessful answer; undefined if it is not JSON. */
export function errorBodyIn(text: string): ErrorBody | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    // A proxy's page, or nothing. The caller falls back to what else it knows.
    return undefined;
  }
}
