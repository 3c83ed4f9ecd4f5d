import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';

/** Address for browsers' reports of policy violations; see `registerCspReports`. */
export const cspReportsPath = '/csp-reports';
const nonceBytes = 16;
const hstsMaxAgeSeconds = 365 * 24 * 60 * 60;

const nonces = new WeakMap<FastifyRequest, string>();

/**
 * A hook for every answer. Register it with `app.addHook('onRequest', …)` before all others, so that errors,
 * redirects and refusals carry the headers too. HSTS is sent only if the product is reached by https. After the OWASP
 * Secure Headers and CSP cheat sheets.
 */
export function securityHeaders({ baseUrl }: { baseUrl: string | URL }): onRequestHookHandler {
  const fixed = fixedFor(baseUrl);
  return (request, reply, done) => {
    setHeaders(request, reply, fixed);
    done();
  };
}

/** Headers of an answer outside of Fastify that is not a page. */
export function bareHeaders(baseUrl: string | URL): Record<string, string> {
  return { ...fixedFor(baseUrl), 'content-security-policy': barePolicy };
}

function fixedFor(baseUrl: string | URL): Record<string, string> {
  return { ...fixedHeaders, ...(new URL(baseUrl).protocol === 'https:' ? httpsHeaders : {}) };
}

/** The nonce of this answer's policy, for the scripts and styles of the page that it holds. */
export function nonceOf(request: FastifyRequest): string {
  const nonce = nonces.get(request);
  if (nonce === undefined) throw new Error('The hook of securityHeaders has not run for this request.');
  return nonce;
}

const fixedHeaders = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'x-permitted-cross-domain-policies': 'none',
  'x-dns-prefetch-control': 'off',
  'reporting-endpoints': `csp="${cspReportsPath}"`,
  'permissions-policy':
    'accelerometer=(), camera=(self), display-capture=(), encrypted-media=(), fullscreen=(self), geolocation=(), gyroscope=(), magnetometer=(), microphone=(self), midi=(), payment=(), screen-wake-lock=(), usb=(), xr-spatial-tracking=()',
};

const httpsHeaders = { 'strict-transport-security': `max-age=${hstsMaxAgeSeconds}; includeSubDomains` };

function setHeaders(request: FastifyRequest, reply: FastifyReply, fixed: Record<string, string>): void {
  const nonce = randomBytes(nonceBytes).toString('base64');
  nonces.set(request, nonce);
  reply.headers(fixed);
  reply.header('content-security-policy', policyWith(nonce));
}

/**
 * Policy of the script that decodes phone pictures in a worker. It alone may compile WebAssembly. Its decoder runs in
 * a worker of its own, without network.
 */
export const decoderPolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src blob:";

/** Policy of answers that are not pages: allows nothing, and names no nonce. */
export const barePolicy = "default-src 'none'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'";

/** Every Trusted Types policy that our pages create: for the picture decoder (`heic.ts`) and for notices (`this-browser.ts`). */
const trustedTypesPolicies = ['everkept-push', 'everkept-worker'];

function policyWith(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' 'strict-dynamic'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "worker-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "object-src 'none'",
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
    `trusted-types ${trustedTypesPolicies.join(' ')}`,
    `report-uri ${cspReportsPath}`,
    'report-to csp',
  ].join('; ');
}
