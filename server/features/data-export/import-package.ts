import type { Readable } from 'node:stream';
import { type Archive, openArchive, type ReadPart } from '#server/platform/zip/zip-archive.ts';
import { AppError } from '#shared/contract/errors.ts';
import type { ImportLimits } from '#shared/rules/imports.ts';
import { archiveDataName, contentMember, type FileGiven, type ImportGiven } from './export-format.ts';
import { findExportKey } from './export-key.ts';
import { decodeBase64, readSkeleton, unreadable } from './import-json.ts';
import { type ImportCaller, parseExport } from './import-parse.ts';

const entriesMax = 20_000;
const directoryBytesMax = 10_000_000;

/** An export that somebody gave us, its text checked, its files still to be read. */
export type ImportPackage = {
  given: ImportGiven;
  /** The bytes of a file; null where the export came without them. @throws AppError `VALIDATION`. */
  open(file: FileGiven): Promise<AsyncIterable<Buffer> | null>;
};

type Held = { sizeBytes: number; read: ReadPart };
type Opening = { key: string | null; limits: ImportLimits; caller: ImportCaller };

/**
 * Reads an export that lies in our store, JSON or archive, whichever it is, for as much as `limits` let it cost.
 * @throws AppError `VALIDATION` or `PAYLOAD_TOO_LARGE`.
 */
export async function openPackage(held: Held, opening: Opening): Promise<ImportPackage> {
  if (held.sizeBytes === 0) throw unreadable();
  const head = Buffer.concat(await partsOf(await held.read({ start: 0, end: Math.min(held.sizeBytes, 64) - 1 })));
  if (head.subarray(0, 2).toString('latin1') === 'PK') return openArchived(held, opening);
  if (head.subarray(0, 5).toString('latin1') === '%PDF-') {
    throw new AppError(
      'VALIDATION',
      'A PDF book is for reading and cannot be imported. Choose an export as an archive or as JSON.',
    );
  }
  if (/^<!doctype html>/i.test(head.toString('latin1'))) {
    throw new AppError(
      'VALIDATION',
      'A sealed page can’t be imported by itself. Open it, save vault.json at its end, and import that. Add its files one by one.',
    );
  }
  if (!/^\s*\{/.test(head.toString('utf8'))) throw unreadable();
  return openJson(held, opening);
}

async function openJson({ sizeBytes, read }: Held, { limits, caller }: Opening): Promise<ImportPackage> {
  const { text, places } = await readSkeleton(await read({ start: 0, end: sizeBytes - 1 }), limits);
  const given = await parseExport(text, limits, caller);
  // Only where this reader found a string itself: numbers that somebody wrote there could name any place.
  requireOnce(given, ({ [contentMember]: place }) => place?.join(), places);
  return {
    given,
    async open({ problem, [contentMember]: place }) {
      if (problem !== undefined || place === undefined) return null;
      const [start, end] = place;
      return decodeBase64(end === start ? emptyText() : await read({ start, end: end - 1 }));
    },
  };
}

async function openArchived({ sizeBytes, read }: Held, { key, limits, caller }: Opening): Promise<ImportPackage> {
  const archive = await openArchive({
    sizeBytes,
    read,
    password: key === null ? null : findExportKey(key) || key.trim() || null,
    limits: { entriesMax, directoryBytesMax, contentBytesMax: limits.textBytesMax + limits.fileBytesMax },
  });
  if (!archive.has(archiveDataName)) throw unreadable();
  const { text, places } = await readSkeleton(await archive.open(archiveDataName), limits);
  // An archive has its files beside the text, so bytes that stand in it belong to nobody.
  if (places.size > 0) throw unreadable();
  const given = await parseExport(text, limits, caller);
  requireOnce(given, ({ file }) => file, namesOf(given, archive));
  return {
    given,
    async open({ problem, file }) {
      return problem !== undefined || file === undefined ? null : archive.open(file);
    },
  };
}

function namesOf(given: ImportGiven, archive: Archive): ReadonlySet<string> {
  return new Set(filesOf(given).flatMap(({ file }) => (file !== undefined && archive.has(file) ? [file] : [])));
}

/** Each file there once, and named once: a place that many rows name would be read for each of them. */
function requireOnce(
  given: ImportGiven,
  placeOf: (file: FileGiven) => string | undefined,
  there: ReadonlySet<string>,
): void {
  const left = new Set(there);
  for (const file of filesOf(given)) {
    const place = placeOf(file);
    if (file.problem === undefined && place !== undefined && !left.delete(place)) throw unreadable();
  }
}

function filesOf({ messages, documents }: ImportGiven): FileGiven[] {
  const ofMessages = messages.flatMap(({ attachment, enclosures }) => [
    ...(attachment ? [attachment] : []),
    ...enclosures.flatMap(({ file, original }) => (original ? [file, original] : [file])),
  ]);
  return [...ofMessages, ...documents.map(({ file }) => file)];
}

async function partsOf(stream: Readable): Promise<Buffer[]> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part as Buffer);
  return parts;
}

async function* emptyText(): AsyncGenerator<Buffer> {}
