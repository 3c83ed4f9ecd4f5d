import type { z } from 'zod';
import type { apiPrefix } from '#shared/api-prefix.ts';

/**
 * Required caller of a route. `public`: any caller. `session`: a signed-in person. `verified`: signed in with a
 * verified address. `administrator`: the one designated account. `token`: the holder of the link in the path, which
 * the service checks.
 */
export type Access = 'public' | 'session' | 'verified' | 'administrator' | 'token';

type ObjectSchema = z.ZodObject;

/** Pages with a token in their path whose form posts to their own address. */
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
type LetterForm = '/message/:token/new-link' | '/message/:token/say';
/** Addresses that the forms of the sign-in page post to. */
type SignInForm = '/login' | '/login/second-step' | '/login/reset';
/** Pages without a token in their path whose form posts to their own address. */
type PublicForm = '/register' | '/verify-email' | '/emergency-activation' | '/complaint';

/** One call of the HTTP surface. The server binds it, the web calls it, the documentation is made from it. */
export type Route = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With `:name` for each path parameter. */
  path: `${typeof apiPrefix}${string}` | `/${FormPage}/:token` | LetterForm | SignInForm | PublicForm;
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
  /** Largest file of a form in bytes, if that is more than the largest file of a vault. */
  fileBytesMax?: number;
  /** In place of `body`: the unchanged bytes of a JSON body, to check the signature made over them. */
  rawBody?: true;
  /** Reads the `Idempotency-Key` header: a repeated change is answered and not made twice. */
  takesChangeKey?: true;
  /** Accepts any form body and ignores it, such as the one-click unsubscribe of a mail program (RFC 8058). */
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
   * Sign by which the web tells the success answer from the page of a proxy. Pages load it in place of the schema.
   * Empty: no body. `[`: a list. `{`: an object. `*`: any JSON. Otherwise: a key of the object. `defineRoute` sets it.
   */
  expects?: string;
  /** In place of `answer`: the bytes of a file, or the part that `Range` asks for (RFC 9110 §14). */
  answersFile?: true;
  /** Allowed while the account is being deleted. All other routes that need an account are refused then. */
  whileClosing?: true;
  /** In place of `answer`: a file that is made while it is sent, so its length is not known before. */
  answersStream?: true;
  /** Budget per client address and minute, if the general one is too generous. */
  ratePerMinute?: number;
  /** Budget per client network and day, for a route that mails people who did not ask for it. */
  networkPerDay?: number;
};

/** Declares a route without widening its literal types, and sets its `expects`. */
export function defineRoute<const R extends Route>(route: R): R {
  return { ...route, expects: expectsOf(route) };
}

/** Keys that answers of other services often have too, so they are a poor sign of ours. */
const commonKeys: ReadonlySet<string> = new Set(['ok', 'status', 'state', 'message', 'type']);

type Schema = { type?: string; shape?: Record<string, Schema>; options?: readonly Schema[] };

/** Reads the sign of the success answer from its schema. Prefers a key that other services do not use. */
function expectsOf({ answer }: Pick<Route, 'answer'>): string {
  if (!answer) return '';
  const schema = answer as Schema;
  if (schema.type === 'array') return '[';
  const keys = keysOf(schema);
  return keys ? (keys.find((key) => !commonKeys.has(key)) ?? keys[0] ?? '{') : '*';
}

/** Required keys of every object that fits the schema. Null if a value that fits may be no object. */
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
/** Body as a client may send it, before defaults are filled in. */
export type RouteBodyInput<R extends Route> = In<R['body']>;
/** Return value of a handler, with instants as dates. */
export type RouteAnswer<R extends Route> = R['answer'] extends z.ZodType ? z.output<R['answer']> : undefined;
/** Result for a client, with instants as text. */
export type RouteResult<R extends Route> = R['answer'] extends z.ZodType ? z.input<R['answer']> : undefined;
