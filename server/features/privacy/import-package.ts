import type { Readable } from 'node:stream';
import { z } from 'zod';
import { openArchive, type ReadPart } from '#server/platform/zip/zip-archive.ts';
import { AppError } from '#shared/contract/errors.ts';
import {
  archiveDataName,
  contentMember,
  exportFormatVersion,
  exportHead,
  type FileGiven,
  type ImportGiven,
  importSchema,
} from './export-format.ts';
import { findExportKey } from './export-key.ts';
import { decodeBase64, readSkeleton, unreadable } from './import-json.ts';

/** Text of an export, files aside: far more than any vault holds, and little enough to be read as a whole. */
const textBytesMax = 64_000_000;
const limits = { entriesMax: 20_000, directoryBytesMax: 10_000_000 };

/** An export that somebody gave us, its text checked, its files still to be read. */
export type ImportPackage = {
  given: ImportGiven;
  /** The bytes of a file; null where the export came without them. @throws AppError `VALIDATION`. */
  open(file: FileGiven): Promise<AsyncIterable<Buffer> | null>;
};

type Held = { sizeBytes: number; read: ReadPart };

/** Reads an export that lies in our store, JSON or archive, whichever it is. @throws AppError `VALIDATION`. */
export async function openPackage(held: Held, keyGiven: string | null): Promise<ImportPackage> {
  if (held.sizeBytes === 0) throw unreadable();
  const head = Buffer.concat(await partsOf(await held.read({ start: 0, end: Math.min(held.sizeBytes, 64) - 1 })));
  if (head.subarray(0, 2).toString('latin1') === 'PK') return openArchived(held, keyGiven);
  if (head.subarray(0, 5).toString('latin1') === '%PDF-') {
    throw new AppError(
      'VALIDATION',
      'A PDF book is for reading and cannot be taken back. Choose an export as an archive or as JSON.',
    );
  }
  if (!/^\s*\{/.test(head.toString('utf8'))) throw unreadable();
  return openJson(held);
}

async function openJson({ sizeBytes, read }: Held): Promise<ImportPackage> {
  const text = await readSkeleton(await read({ start: 0, end: sizeBytes - 1 }), textBytesMax);
  return {
    given: parse(text),
    async open({ problem, [contentMember]: place }) {
      if (problem !== undefined || place === undefined) return null;
      const [start, end] = place;
      if (end < start || end > sizeBytes) throw unreadable();
      return decodeBase64(end === start ? emptyText() : await read({ start, end: end - 1 }));
    },
  };
}

async function openArchived({ sizeBytes, read }: Held, keyGiven: string | null): Promise<ImportPackage> {
  const password = keyGiven === null ? null : (findExportKey(keyGiven) ?? keyGiven.trim());
  const archive = await openArchive({ sizeBytes, read, password: password || null, limits });
  if (!archive.has(archiveDataName)) throw unreadable();
  const text = await readSkeleton(await archive.open(archiveDataName), textBytesMax);
  return {
    given: parse(text),
    async open({ problem, file }) {
      if (problem !== undefined || file === undefined) return null;
      if (!archive.has(file)) throw unreadable();
      return archive.open(file);
    },
  };
}

function parse(text: string): ImportGiven {
  const value = parseJson(text);
  const head = z.safeParse(exportHead, value);
  if (!head.success) throw unreadable();
  if (head.data.version !== exportFormatVersion) {
    throw new AppError(
      'VALIDATION',
      `This export has version ${head.data.version}, and this Everkept reads version ${exportFormatVersion}. Nothing was taken.`,
    );
  }
  const result = z.safeParse(importSchema, value);
  if (!result.success) throw unreadable();
  return result.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable();
  }
}

async function partsOf(stream: Readable): Promise<Buffer[]> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part as Buffer);
  return parts;
}

async function* emptyText(): AsyncGenerator<Buffer> {}
