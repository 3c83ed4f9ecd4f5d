import { createHash, type Hash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Extract, extract } from 'tar-stream';
import {
  BackupError,
  type BackupHeader,
  type BackupManifest,
  headerSchema,
  kindOfEntry,
  manifestSchema,
  readableVersions,
  rowsEntryBytesMax,
  textEntryBytesMax,
} from './backup.format.ts';
import { BrokenPackError, openPacked } from './backup-pack.ts';

/** Callbacks for the entries of a backup, in its order. Entries without a callback are only checked. */
export type BackupVisitor = {
  header?: (header: BackupHeader) => Promise<void> | void;
  masterKey?: (text: string) => Promise<void> | void;
  /** Whole lines, each a row. */
  rows?: (table: string, lines: Buffer) => Promise<void>;
  file?: (key: string, content: Readable) => Promise<void>;
};

/** A stored backup, and the file with the key if it is sealed to a public one. */
export type BackupFile = {
  path: string;
  /** Reads it if it is no file of this machine. */
  open?: () => Promise<Readable>;
  identityFile?: string | undefined;
};

/** Entry of the tar iterator, with the chunk type that it really yields. */
type Entry = (Extract extends AsyncIterable<infer One> ? One : never) & AsyncIterable<Buffer>;

const newline = 0x0a;

/**
 * Reads a complete backup and checks it against its manifest. A visitor gets rows and files before the check, so its
 * effects must be undone if this fails.
 * @throws BackupError
 */
export async function readBackup(from: BackupFile, visitor: BackupVisitor = {}): Promise<BackupManifest> {
  if (!from.open) await refuseMissing(from.path);
  const reading = readingWith(visitor);
  try {
    await readEntries(await openPacked(from), reading.take);
  } catch (error) {
    throw isDamage(error) ? damaged() : error;
  }
  return reading.end();
}

async function readEntries(source: Readable, take: (entry: Entry) => Promise<void>): Promise<void> {
  const tar = extract();
  // The loop receives every failure.
  const flowing = pipeline(source, tar).catch(() => undefined);
  try {
    for await (const entry of tar) await take(entry as Entry);
  } finally {
    source.destroy();
    await flowing;
  }
}

/** Error for a file that is not a complete backup. */
function damaged(): BackupError {
  return new BackupError(
    'This backup is damaged or was cut off: it does not match its own checksums. Use another one.',
  );
}

/** True for a file that is no tar file, ends too early, or has invalid JSON. Other errors are no damage. */
function isDamage(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof BackupError) return false;
  const isOfTar = /Invalid tar header|Unexpected end of data|Unknown format/.test(error.message);
  return error instanceof SyntaxError || error instanceof BrokenPackError || isOfTar;
}

async function refuseMissing(path: string): Promise<void> {
  try {
    await (await open(path, 'r')).close();
  } catch {
    throw new BackupError(`There is no backup at ${path} that can be read.`);
  }
}

function readingWith(visitor: BackupVisitor) {
  const hash = createHash('sha256');
  const tables: FoundTables = new Map();
  const files = { count: 0, bytes: 0 };
  let before = '';
  let header: BackupHeader | undefined;
  let manifest: BackupManifest | undefined;

  async function take(entry: Entry): Promise<void> {
    const { name, size = 0, type } = entry.header;
    const kind = kindOfEntry(name);
    const isInOrder = header ? kind?.kind !== 'header' : kind?.kind === 'header';
    if (!kind || type !== 'file' || manifest || !isInOrder) throw damaged();
    before = hash.copy().digest('hex');
    hash.update(`${name} ${size}\n`);
    if (kind.kind === 'file') return takeFile(kind.key, size, entry);

    const content = await wholeOf(entry, kind.kind === 'rows' ? rowsEntryBytesMax : textEntryBytesMax);
    hash.update(content);
    if (kind.kind === 'header') await takeHeader(content);
    else if (kind.kind === 'masterKey') await visitor.masterKey?.(content.toString('utf8'));
    else if (kind.kind === 'rows') await takeRows(kind.table, content);
    else manifest = parse(manifestSchema, content);
  }

  async function takeHeader(content: Buffer): Promise<void> {
    const found = JSON.parse(content.toString('utf8')) as { format?: unknown; version?: unknown };
    if (found.format === 'everkept-backup' && !readableVersions.includes(Number(found.version))) {
      throw new BackupError(
        `This backup has the format ${Number(found.version)}, and this release reads the formats ${readableVersions.join(' and ')}. Restore it with the release that made it.`,
      );
    }
    header = parse(headerSchema, content);
    await visitor.header?.(header);
  }

  async function takeRows(table: string, lines: Buffer): Promise<void> {
    const known = tables.get(table) ?? { rows: 0, hash: createHash('sha256') };
    tables.set(table, known);
    if (lines.at(-1) !== newline) throw damaged();
    for (let at = lines.indexOf(newline); at >= 0; at = lines.indexOf(newline, at + 1)) known.rows += 1;
    known.hash.update(lines);
    await visitor.rows?.(table, lines);
  }

  async function takeFile(key: string, size: number, entry: Entry): Promise<void> {
    const passing = async function* () {
      for await (const chunk of entry) {
        hash.update(chunk);
        yield chunk;
      }
    };
    const content = Readable.from(passing(), { objectMode: false });
    if (visitor.file) await visitor.file(key, content);
    else for await (const _ of content);
    files.count += 1;
    files.bytes += size;
  }

  function end(): BackupManifest {
    if (!manifest || !isKept(manifest, { before, files, tables })) throw damaged();
    return manifest;
  }

  return { take, end };
}

type FoundTables = Map<string, { rows: number; hash: Hash }>;
/** `before`: hash of all entries before the manifest. */
type Found = { before: string; files: BackupManifest['files']; tables: FoundTables };

/** True if the file holds exactly the entries of the manifest. */
function isKept({ sha256, files, tables: promised }: BackupManifest, found: Found): boolean {
  return (
    sha256 === found.before &&
    files.count === found.files.count &&
    files.bytes === found.files.bytes &&
    [...found.tables.keys()].every((table) => Object.hasOwn(promised, table)) &&
    Object.entries(promised).every(([name, { rows, sha256: tableSha256 }]) => {
      const table = found.tables.get(name);
      return table ? table.rows === rows && table.hash.digest('hex') === tableSha256 : rows === 0;
    })
  );
}

function parse<T>(
  schema: { safeParse(value: unknown): { success: true; data: T } | { success: false } },
  content: Buffer,
): T {
  const result = schema.safeParse(JSON.parse(content.toString('utf8')));
  if (!result.success) throw damaged();
  return result.data;
}

async function wholeOf(entry: Entry, bytesMax: number): Promise<Buffer> {
  if ((entry.header.size ?? 0) > bytesMax) throw damaged();
  const parts: Buffer[] = [];
  for await (const part of entry) parts.push(part);
  return Buffer.concat(parts);
}
