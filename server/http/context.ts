import type { Principal } from './principal.ts';
import type { RateLimits } from './rate-limits.ts';
import type { SessionCookie } from './session.ts';

/** Part of the accounts feature that the HTTP layer uses. */
export type SessionLookup = {
  findPrincipal(sessionToken: string): Promise<Principal | null>;
  /** Told of what a person did, so that the session does not fall idle. Reads are not told: pages refetch by themselves. */
  touchSession(sessionId: string): Promise<void>;
};

/** Shared objects of every bound route; `app.http`. */
export type HttpContext = {
  /** The public address: scheme, host and port. */
  baseUrl: URL;
  sessionCookie: SessionCookie;
  sessions: SessionLookup;
  limits: RateLimits;
};

declare module 'fastify' {
  interface FastifyInstance {
    http: HttpContext;
  }
  interface FastifyContextConfig {
    /**
     * True if a signature authenticates the request. Its senders share few addresses, and have a budget of their own.
     */
    isSigned?: boolean;
    /**
     * True for the form of a page. Its budgets are spent after its body was read, so that a refusal keeps the typed
     * text.
     */
    isPageForm?: boolean;
  }
  interface FastifyRequest {
    /** Set by the guard of a bound route. */
    principal: Principal | null;
  }
}
