import type { FastifyReply, FastifyRequest } from 'fastify';

/** 256 bits in base64url. Anything of another shape was not given out by us and is not looked up. */
const sessionTokenPattern = /^[A-Za-z0-9_-]{43}$/;

export type SessionCookie = {
  name: string;
  /** The session token that came with a request; null where there is none that could be ours. */
  read(request: FastifyRequest): string | null;
  /** One that `isKept` outlives the browser's window. */
  set(reply: FastifyReply, token: string, isKept: boolean | undefined): void;
  clear(reply: FastifyReply): void;
};

/** No session is good for longer, whatever its cookie says. */
const keptCookieSeconds = 30 * 86_400;

/**
 * The cookie that carries a session. It lives until the browser is closed, unless its holder chose to stay signed in; the
 * server decides how long it is good for.
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

/** A cookie that carries something for a few minutes, out of the reach of scripts. */
export type PassingCookie = {
  read(request: FastifyRequest): string | null;
  set(reply: FastifyReply, value: string): void;
  clear(reply: FastifyReply): void;
};

/**
 * A cookie that is sent when another site leads the browser back here (`SameSite=Lax`). The setting code seals its
 * value. On https its name has the prefix `__Host-`, so that no neighbouring host can plant one.
 */
export function createPassingCookie(
  baseUrl: URL,
  { name: bareName, maxAgeMs }: { name: string; maxAgeMs: number },
): PassingCookie {
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
