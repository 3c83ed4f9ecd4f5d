import type { FastifyInstance } from 'fastify';
import { Counter, type Registry } from 'prom-client';
import { cspReportsPath } from './content-security.ts';
import type { RateLimits } from './rate-limits.ts';

/** The longest report that is read; a browser's is a few hundred bytes, and several may come together. */
const reportBytesMax = 16_384;
const perMinute = { limit: 60, windowMs: 60_000 };

/** The directives of our policy (CSP Level 3, section 6), and those that a browser names for a part of one. */
const directives: ReadonlySet<string> = new Set([
  'base-uri',
  'connect-src',
  'default-src',
  'font-src',
  'form-action',
  'frame-ancestors',
  'frame-src',
  'img-src',
  'manifest-src',
  'media-src',
  'object-src',
  'require-trusted-types-for',
  'script-src',
  'script-src-attr',
  'script-src-elem',
  'style-src',
  'style-src-attr',
  'style-src-elem',
  'trusted-types',
  'worker-src',
]);

type CspReportsOptions = { limits: Pick<RateLimits, 'spendOfAddress'>; registry?: Registry | undefined };

/**
 * Adds the route for reports, both of `report-uri` and of the Reporting API. Reports are counted by directive and not
 * stored, since any page or client may write them. It needs no session and no origin.
 */
export function registerCspReports(app: FastifyInstance, { limits, registry }: CspReportsOptions): void {
  const reports = new Counter({
    name: 'everkept_csp_reports_total',
    help: 'Reports of browsers that a page broke the content security policy, by directive',
    labelNames: ['directive'],
    registers: registry ? [registry] : [],
  });
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    for (const type of ['application/csp-report', 'application/reports+json']) {
      scope.addContentTypeParser<string>(type, { parseAs: 'string', bodyLimit: reportBytesMax }, (_, text, done) => {
        done(null, directivesIn(text));
      });
    }
    scope.post<{ Body: string[] }>(cspReportsPath, { schema: { hide: true } }, async (request, reply) => {
      await limits.spendOfAddress('csp-reports', request.ip, perMinute);
      for (const directive of request.body ?? []) reports.inc({ directive });
      return reply.code(204).send();
    });
  });
}

/** An unreadable report counts as `unknown`. */
function directivesIn(text: string): string[] {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return ['unknown'];
  }
  return [read].flat().map((report) => {
    const body = fieldOf(report, 'csp-report') ?? fieldOf(report, 'body');
    const named = fieldOf(body, 'effective-directive') ?? fieldOf(body, 'effectiveDirective');
    return typeof named === 'string' && directives.has(named) ? named : 'unknown';
  });
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}
