import type { FastifyInstance } from 'fastify';
import type { Administration } from '#server/features/admin/administrator.service.ts';
import { bind } from '#server/http/bind.ts';
import { listReleasesUnderWay } from '#shared/contract/operator/releases.ts';
import { releasesForAdministrator, type UnderWayDependencies } from './under-way.service.ts';

type Dependencies = UnderWayDependencies & { administration: Administration };

/** Releases in progress, for the designated administrator. */
export function registerUnderWayRoutes(app: FastifyInstance, deps: Dependencies): void {
  bind(app, listReleasesUnderWay, ({ principal, origin, query }) =>
    releasesForAdministrator(deps, { principal, origin }, query),
  );
}
