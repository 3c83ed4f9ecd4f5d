import type { z } from 'zod';
import type { apiPrefix } from '#shared/api-prefix.ts';

/**
 * Required caller of a route. `public`: any caller. `session`: a signed-in person. `verified`: signed in with a
 * verified address. `administrator`: the one designated account. `token`: the holder of the link in the path, which
 * the service checks.
 */
export type Access = 'public' | 'session' | 'verified' | 'administrator' | 'token';

type ObjectSchema = z.ZodObject;

/** Pages whose form posts to their own address. */
type FormPage =
  | 'message'
  | 'check-in'
  | 'checkout'
  | 'confirm-mailbox'
  | 'remove-contact'
  | 'trusted-contact-accept'
  | 'trusted-contact-admin'
  | 'news'
  | 'new-address'
  | 'not-me'
  | 'reset-password'
  | 'link-sign-in'
  | 'unlink-sign-in';
/** Address that the page of an expired letter posts to. */
type NewLinkForm = '/message/:token/new-link';
/** Addresses that the forms of the sign-in page post to. */
type SignInForm = '/login' | '/login/second-step' | '/login/reset';
/** Pages without a token in their path whose form posts to their own address. */
type PublicForm = '/register' | '/verify-email' | '/emergency-activation' | '/complaint';

/** One call of the HTTP surface. The server binds it, the web calls it, the documentation is made from it. */
export type Route = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With `:name` for each path parameter. */
  path: `${typeof apiPrefix}${string}` | `/${FormPage}/:token` | NewLinkForm | SignInForm | PublicForm;
  access: Access;
  summary: string;
  /** Allowed before an account replaces the password that an administrator set. */
  beforePasswordChange?: true;
  params?: ObjectSchema;
  query?: ObjectSchema;
  body?: z.ZodType;
  /**
   * In place of `body`: the text fields of a `multipart/form-data` body (RFC 7578) whose part `file` is one file.
   * Fields and file may come in any order.
   */
  form?: ObjectSchema;
  /** Number of bytes the file of a form may have at most, where that is more than the largest file of a vault. */
  fileBytesMax?: number;
  /** In place of `body`: the bytes of a JSON body exactly as they came, for a signature that is made over them. */
  rawBody?: true;
  /** Reads the `Idempotency-Key` header: a repeated change is answered and not made twice. */
  takesChangeKey?: true;
  /** Takes a form whose content is of no interest, from a program that can send nothing else. */
  takesAnyForm?: true;
  /** With `body`: it comes as a plain form (`application/x-www-form-urlencoded`), as other services post it. */
  urlEncoded?: true;
  /** Status of the success answer; 204 has no body. */
  status?: 200 | 201 | 202 | 204;
  /** Another status that a success may have, with the same schema. */
  otherStatus?: 202;
  /** Schema of the success body. Fields it does not declare are dropped. Absent for 204 and redirects. */
  answer?: z.ZodType;
  /**
   * Form of the success answer, short enough for small pages. Empty for no body, `[` for a list, `{` for an object, `*` for any
   * JSON. Otherwise a key that the object has. `defineRoute` fills it in.
   */
  needs?: string;
  /** In place of `answer`: the bytes of a file, whole or, where `Range` asks for it, a part (RFC 9110 §14). */
  answersFile?: true;
  /** Allowed while the account is being deleted. Such a person can export, and every other change is refused. */
  whileClosing?: true;
  /** In place of `answer`: the bytes of a file that is made while it is sent, so that its length is not known before. */
  answersStream?: true;
  /** Budget per client address and minute, where the general one is too generous. */
  ratePerMinute?: number;
  /** Budget of a whole network in a day, for what writes to people who did not ask for it. */
  networkPerDay?: number;
};

/** Declares a route without widening its literal types. */
export function defineRoute<const R extends Route>(route: R): R {
  return { ...route, needs: needsOf(route) };
}

/** Keys that other services send too. */
const commonKeys: ReadonlySet<string> = new Set(['ok', 'status', 'state', 'message', 'type']);

type Schema = { type?: string; shape?: Record<string, Schema>; options?: readonly Schema[] };

/** Form of the success answer of a route, read from its schema. */
function needsOf({ answer }: Pick<Route, 'answer'>): string {
  if (!answer) return '';
  const schema = answer as Schema;
  if (schema.type === 'array') return '[';
  const keys = keysOf(schema);
  return keys ? (keys.find((key) => !commonKeys.has(key)) ?? keys[0] ?? '{') : '*';
}

/** Keys that each object of the schema has; null if it may be no object. */
function keysOf({ type, shape, options }: Schema): string[] | null {
  if (type === 'object' && shape) {
    return Object.entries(shape).flatMap(([name, { type }]) => (type === 'optional' ? [] : [name]));
  }
  if (type !== 'union' || !options) return null;
  const [first, ...rest] = options.map(keysOf);
  return first ? first.filter((key) => rest.every((keys) => keys?.includes(key))) : null;
}

type Out<S> = S extends z.ZodType ? z.output<S> : undefined;
type In<S> = S extends z.ZodType ? z.input<S> : undefined;

export type RouteParams<R extends Route> = Out<R['params']>;
export type RouteQuery<R extends Route> = Out<R['query']>;
export type RouteBody<R extends Route> = Out<R['body']>;
export type RouteForm<R extends Route> = Out<R['form']>;
/** Body as a client may send it, before defaults. */
export type RouteBodyInput<R extends Route> = In<R['body']>;
/** Return value of a handler, with instants as dates. */
export type RouteAnswer<R extends Route> = R['answer'] extends z.ZodType ? z.output<R['answer']> : undefined;
/** Result for a client, with instants as text. */
export type RouteResult<R extends Route> = R['answer'] extends z.ZodType ? z.input<R['answer']> : undefined;
