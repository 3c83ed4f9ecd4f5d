import type { FastifyInstance } from 'fastify';
import { bind } from '#server/http/bind.ts';
import { leftSignal } from '#server/http/bodies/downloads.ts';
import { exportData, importData } from '#shared/contract/export.ts';
import type { Exports } from './export.service.ts';
import type { Imports } from './import.service.ts';

export function registerExportRoutes(app: FastifyInstance, exports: Exports, imports: Imports): void {
  bind(app, exportData, ({ principal, origin, body, reply }) =>
    exports.export({ principal, origin, signal: leftSignal(reply) }, body),
  );
  bind(app, importData, ({ principal, origin, upload, reply }) =>
    imports.importUpload({ principal, origin, signal: leftSignal(reply) }, upload),
  );
}
