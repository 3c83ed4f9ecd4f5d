import { Readable } from 'node:stream';
import type { App } from '#server/app.ts';
import { lockOwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { recordAudit } from '#server/features/audit/record.ts';
import { requireFreshSignIn } from '#server/features/sessions/fresh-sign-in.ts';
import type { Call, HttpCall } from '#server/http/bind.ts';
import { leftSignal } from '#server/http/bodies/downloads.ts';
import type { OutgoingStream } from '#server/platform/files/incoming.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import type * as contract from '#shared/contract/export.ts';
import { type ExportFormat, exportFurtherHeader, exportKeyHeader, exportSizeHeader } from '#shared/contract/export.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { type FurtherFiles, findFurther, writeCopy, writeFurther } from './copy/export-copy.ts';
import { measureVault } from './export.repository.ts';
import { estimateBytes, exportFileName, furtherFileName } from './export.rules.ts';
import { createExportSource, type ExportSource } from './export.source.ts';
import { type ExportOptions, writeInline, writeJson } from './export-json.ts';
import { newExportKey } from './export-key.ts';
import { writePdf } from './export-pdf.ts';
import { writeZip } from './export-zip.ts';

/** Exports of one account in a day. Each reads and seals a whole vault. */
export const exportsPerDayMax = 30;
/** Files beside a page in a day: those of a full vault, a few times. */
const furtherPerDayMax = 300;

const exportBudget = { name: 'export', perDayMax: exportsPerDayMax };
const furtherBudget = { name: 'export further', perDayMax: furtherPerDayMax };

/**
 * Returns all data of the caller as one file, which is made while it is sent.
 * @throws AppError `EMAIL_VERIFICATION_REQUIRED`, `REAUTHENTICATION_REQUIRED`, `RATE_LIMITED`, `UNAVAILABLE` or `PAYLOAD_TOO_LARGE`.
 */
export async function exportData(app: App, call: HttpCall<typeof contract.exportData>): Promise<OutgoingStream> {
  const { principal, body } = call;
  const { userId } = principal;
  const { includeDocuments, includeAuditLogs, format } = body;
  if (format === 'pdf') requireVerified(principal);
  await requireFreshSignIn(app, principal);
  const budget = body.further === undefined ? exportBudget : furtherBudget;
  await app.limits.spend(`${budget.name} ${userId}`, { limit: budget.perDayMax, windowMs: dayMs });
  const exportedAt = await recordStart(app, call);

  const source = createExportSource(app, userId, app.vaults.open(userId, principal.vaultKey));
  const options = { includeDocuments, includeAuditLogs, exportedAt };
  const made = await writers[format](source, options, { ...body, owner: userId, signal: leftSignal(call.reply) });
  const { fileBytes, textBytes } = await measureVault(app.db, userId);
  const { apartBytes = 0 } = made;
  const size = made.sizeBytes ?? estimateBytes({ textBytes, fileBytes: fileBytes - apartBytes }, body);
  return {
    name: made.name ?? exportFileName(exportedAt.getTime(), format),
    mimeType: made.mimeType,
    content: made.content,
    headers: { ...made.headers, ...(size === null ? {} : { [exportSizeHeader]: String(size) }) },
  };
}

/** Records the export before it begins, because from then on the data may be in other hands. It is no sign of life. */
function recordStart(app: App, { principal, origin, body }: Call<typeof contract.exportData>): Promise<Date> {
  const { userId } = principal;
  // The passphrase is written down nowhere.
  const { passphrase: _, ...details } = body;
  return app.db.transaction(async (tx) => {
    if (!(await lockOwnerRow(tx, userId))) throw notFound();
    const at = await app.clock.now(tx);
    const entry = { action: 'export.create', resource: 'vault', resourceId: userId, details };
    await recordAudit(app, tx, { ...entry, userId, origin, at });
    return at;
  });
}

/** A book costs more than any other export, so only an owner with a verified address may have one made. */
function requireVerified({ emailVerified }: { emailVerified: boolean }): void {
  if (emailVerified) return;
  throw new AppError('EMAIL_VERIFICATION_REQUIRED', 'Confirm your email address first. We sent you a link.');
}

type Body = Call<typeof contract.exportData>['body'];
type Made = {
  mimeType: string;
  content: Readable;
  headers?: Record<string, string>;
  /** If it is not named and measured as a whole export. */
  name?: string;
  sizeBytes?: number;
  /** Bytes of files that stay outside. */
  apartBytes?: number;
};
type WriterCall = Pick<Body, 'passphrase' | 'further'> & { owner: string; signal: AbortSignal };
type Writer = (source: ExportSource, options: ExportOptions, call: WriterCall) => Made | Promise<Made>;

const bytesType = 'application/octet-stream';
const noFurther: FurtherFiles = new Map();

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
  html: async (source, options, { passphrase = '', further: asked }) => {
    const further = options.includeDocuments ? await findFurther(source) : noFurther;
    if (asked !== undefined) {
      const content = await writeFurther(further, asked, passphrase);
      const sizeBytes = further.get(asked)?.facts.sizeBytes ?? 0;
      const name = furtherFileName(options.exportedAt.getTime(), asked);
      return { mimeType: bytesType, content, name, sizeBytes };
    }
    const apartBytes = [...further.values()].reduce((bytes, { facts }) => bytes + facts.sizeBytes, 0);
    const content = await writeCopy(source, options, { passphrase, further });
    const headers = { [exportFurtherHeader]: [...further.keys()].join(',') };
    // As bytes: the web takes an answer of type text/html for a page of a proxy.
    return { mimeType: bytesType, content, apartBytes, ...(further.size > 0 ? { headers } : {}) };
  },
};
