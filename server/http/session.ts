import type { FastifyReply, FastifyRequest } from 'fastify';

/** 256 bits in base64url. A value of another shape is not ours, so it is not looked up. */
const sessionTokenPattern = /^[A-Za-z0-9_-]{43}$/;

export type SessionCookie = {
  name: string;
  /** Session token of a request. Null if it has none of our shape. */
  read(request: FastifyRequest): string | null;
  /** A cookie that `isKept` outlives the browser's window. */
  set(reply: FastifyReply, token: string, isKept: boolean | undefined): void;
  clear(reply: FastifyReply): void;
};

/** Lifetime of a kept session's cookie. No session lasts longer. */
const keptCookieSeconds = 30 * 86_400;

/**
 * The cookie that carries a session. It lasts until the browser is closed, unless its owner chose to stay signed in. The
 * server decides how long the session lasts.
 * On https its name has the prefix `__Host-`, which binds it to this very host (RFC 6265bis §4.1.3.2).
 */
export function createSessionCookie(baseUrl: URL): SessionCookie {
  const isSecure = baseUrl.protocol === 'https:';
  const name = isSecure ? '__Host-everkept' : 'everkept';
  const attributes = { path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure } as const;

  return {
    name,
    read(request) {
      const value = request.cookies[name];
      return value !== undefined && sessionTokenPattern.test(value) ? value : null;
    },
    set(reply, token, isKept = false) {
      reply.setCookie(name, token, isKept ? { ...attributes, maxAge: keptCookieSeconds } : attributes);
    },
    clear(reply) {
      reply.clearCookie(name, attributes);
    },
  };
}

/** A cookie with a fixed lifetime, which scripts cannot read. */
export type TimedCookie = {
  read(request: FastifyRequest): string | null;
  set(reply: FastifyReply, value: string): void;
  clear(reply: FastifyReply): void;
};

/**
 * Creates a cookie that is also sent when another site leads the browser back here (`SameSite=Lax`). The caller protects
 * its value. On https its name has the prefix `__Host-`, so that no other host can set it.
 */
export function createTimedCookie(
  baseUrl: URL,
  { name: bareName, maxAgeMs }: { name: string; maxAgeMs: number },
): TimedCookie {
  const isSecure = baseUrl.protocol === 'https:';
  const name = isSecure ? `__Host-${bareName}` : bareName;
  const attributes = { path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure } as const;

  return {
    read: (request) => request.cookies[name] || null,
    set(reply, value) {
      reply.setCookie(name, value, { ...attributes, maxAge: maxAgeMs / 1000 });
    },
    clear(reply) {
      reply.clearCookie(name, attributes);
    },
  };
}
