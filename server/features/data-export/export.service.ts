import { Readable } from 'node:stream';
import type { z } from 'zod';
import type { Accounts, Principal } from '#server/features/accounts/accounts.service.ts';
import type { Audit, RequestOrigin } from '#server/features/audit/audit.service.ts';
import type { Files } from '#server/features/files/files.service.ts';
import type { FreshSignIns } from '#server/features/sessions/fresh-sign-in.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import type { Vaults } from '#server/platform/crypto/vault.ts';
import type { Database } from '#server/platform/db/database.ts';
import type { OutgoingStream } from '#server/platform/files/incoming.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import { type ExportFormat, type exportBody, exportKeyHeader, exportSizeHeader } from '#shared/contract/export.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { measureVault } from './export.repository.ts';
import { estimateBytes, exportFileName } from './export.rules.ts';
import { createExportSource } from './export.source.ts';
import { type ExportOptions, writeInline, writeJson } from './export-json.ts';
import { newExportKey } from './export-key.ts';
import { writePdf } from './export-pdf.ts';
import { writeZip } from './export-zip.ts';

/** Exports of one account in a day: each reads and seals all of a vault. */
export const exportsPerDayMax = 30;

type ExportInput = z.output<typeof exportBody>;
type ExportCall = { principal: Principal; origin: RequestOrigin; signal?: AbortSignal };

export type Exports = {
  /**
   * Everything that is kept of a person, as one file that is made while it is read.
   * @throws AppError `EMAIL_VERIFICATION_REQUIRED`, `REAUTHENTICATION_REQUIRED`, `RATE_LIMITED`, `UNAVAILABLE` or `PAYLOAD_TOO_LARGE`.
   */
  export(call: ExportCall, input: ExportInput): Promise<OutgoingStream>;
};

export type ExportsDependencies = {
  db: Database;
  clock: Clock;
  vaults: Pick<Vaults, 'open'>;
  serviceKeys: ServiceKeys;
  accounts: Pick<Accounts, 'lockOwner'>;
  freshSignIns: Pick<FreshSignIns, 'requireFreshSignIn'>;
  audit: Pick<Audit, 'record'>;
  files: Pick<Files, 'giveOut'>;
  /** Counts a use of something that has a name. @throws AppError `RATE_LIMITED`. */
  spendBudget(name: string, budget: { limit: number; windowMs: number }): Promise<void>;
};

/** Gives people what is theirs. An export is written down when it begins: from then on it may be in other hands. */
export function createExports(dependencies: ExportsDependencies): Exports {
  const { db, clock, vaults, accounts, freshSignIns, audit, spendBudget } = dependencies;

  function recordStart({ principal, origin }: ExportCall, input: ExportInput): Promise<Date> {
    const { userId } = principal;
    return db.transaction(async (tx) => {
      if (!(await accounts.lockOwner(tx, userId))) throw notFound();
      const at = await clock.now(tx);
      const entry = { action: 'export.create', resource: 'vault', resourceId: userId, details: { ...input } };
      await audit.record(tx, { ...entry, userId, origin, at });
      return at;
    });
  }

  return {
    async export(call, input) {
      const { principal } = call;
      if (input.format === 'pdf') requireVerified(principal);
      await freshSignIns.requireFreshSignIn(principal);
      await spendBudget(`export ${principal.userId}`, { limit: exportsPerDayMax, windowMs: dayMs });
      const exportedAt = await recordStart(call, input);

      const { userId } = principal;
      const source = createExportSource(dependencies, userId, vaults.open(userId, principal.vaultKey));
      const { includeDocuments, includeAuditLogs, format } = input;
      const options = { includeDocuments, includeAuditLogs, exportedAt };
      const made = await writers[format](source, options, {
        owner: userId,
        ...(call.signal && { signal: call.signal }),
      });
      const size = estimateBytes(await measureVault(db, userId), input);
      return {
        name: exportFileName(exportedAt.getTime(), format),
        mimeType: made.mimeType,
        content: made.content,
        headers: { ...made.headers, ...(size === null ? {} : { [exportSizeHeader]: String(size) }) },
      };
    },
  };
}

/** A book costs more than any other export, so only an owner with a verified address may have one made. */
function requireVerified({ emailVerified }: Principal): void {
  if (emailVerified) return;
  throw new AppError('EMAIL_VERIFICATION_REQUIRED', 'Confirm your email address first. We sent you a link.');
}

type Made = Pick<OutgoingStream, 'mimeType' | 'content' | 'headers'>;
type Writer = (
  source: ReturnType<typeof createExportSource>,
  options: ExportOptions,
  call: { owner: string; signal?: AbortSignal },
) => Made | Promise<Made>;

const writers: Record<ExportFormat, Writer> = {
  'encrypted-zip': (source, options) => {
    const key = newExportKey();
    const headers = { [exportKeyHeader]: key };
    return { mimeType: 'application/zip', content: writeZip(source, options, key), headers };
  },
  json: (source, options) => ({
    mimeType: 'application/json; charset=utf-8',
    content: Readable.from(writeJson(source, options, writeInline), { objectMode: false }),
  }),
  pdf: async (source, options, call) => ({
    mimeType: 'application/pdf',
    content: await writePdf(source, options, call),
  }),
};
