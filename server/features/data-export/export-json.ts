import { productName } from '#shared/product.ts';
import type { ExportedMessage, ExportSource } from './export.source.ts';
import { type ExportedFile, openForExport, readForExport } from './export-files.ts';
import { contentMember, exportFormatName, exportFormatVersion, type FileProblem } from './export-format.ts';

export type ExportOptions = { includeDocuments: boolean; includeAuditLogs: boolean; exportedAt: Date };

/** Writes the members that say where the bytes of a file are, each with a comma before it. */
export type WriteContent = (file: ExportedFile) => AsyncIterable<string | Buffer>;

/**
 * An export as JSON text (RFC 8259), row by row, each on a line of its own: never more of it in memory than one page of
 * letters and one piece of a file.
 */
export async function* writeJson(source: ExportSource, options: ExportOptions, writeContent: WriteContent) {
  const { includeDocuments, includeAuditLogs, exportedAt } = options;
  const head = {
    format: exportFormatName,
    version: exportFormatVersion,
    product: productName,
    exportedAt,
    includes: { documents: includeDocuments, auditLogs: includeAuditLogs },
    account: await source.account(),
  };
  // The closing brace comes at the very end: a file without it was cut.
  yield JSON.stringify(head).slice(0, -1);
  yield* section('messages', withFiles(source.messages(), writeMessage));
  yield* section('documents', withFiles(await source.documents(), writeWithFile));
  yield* section('contacts', rows(await source.contacts()));
  yield* section('checklists', rows(await source.checklists()));
  yield* section('firstWeeks', rows(await source.firstWeeks()));
  for (const { name, read } of source.records()) yield* section(name, rows(await read()));
  if (includeAuditLogs) yield* section('auditLog', rows(await source.auditLog()));
  yield '\n}\n';

  async function* writeMessage({ fields, attachment, enclosures }: ExportedMessage) {
    yield `${JSON.stringify(fields).slice(0, -1)},"attachment":`;
    if (attachment) yield* writeFile(attachment);
    else yield 'null';
    yield ',"enclosures":[';
    for (const [index, enclosure] of enclosures.entries()) {
      if (index > 0) yield ',';
      yield* writeWithFile(enclosure);
    }
    yield ']}';
  }

  type WithFile = { fields: object; file: ExportedFile; original?: ExportedFile | null };

  /** A document, or what lies in an envelope, which may have an original beside it. */
  async function* writeWithFile({ fields, file, original }: WithFile) {
    yield `${JSON.stringify(fields).slice(0, -1)},"file":`;
    yield* writeFile(file);
    if (original) {
      yield ',"original":';
      yield* writeFile(original);
    }
    yield '}';
  }

  async function* writeFile(file: ExportedFile) {
    yield JSON.stringify(file.facts).slice(0, -1);
    if (includeDocuments) yield* writeContent(file);
    yield '}';
  }
}

/** The bytes of a file as base64 (RFC 4648 §4), in the text itself. */
export async function* writeInline({ content }: ExportedFile): AsyncGenerator<string | Buffer> {
  const opened = await openForExport(content);
  if (typeof opened === 'string') {
    yield problemMember(opened);
    return;
  }
  try {
    yield* writeBase64(readForExport(opened));
  } finally {
    opened.destroy();
  }
}

async function* writeBase64(pieces: AsyncGenerator<Buffer, FileProblem | null>): AsyncGenerator<string | Buffer> {
  yield `,"${contentMember}":"`;
  // Three bytes make four letters, so what is left over waits for the next piece.
  let rest: Buffer = Buffer.alloc(0);
  let step = await pieces.next();
  for (; !step.done; step = await pieces.next()) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, step.value]) : step.value;
    const whole = bytes.length - (bytes.length % 3);
    rest = Buffer.from(bytes.subarray(whole));
    yield Buffer.from(bytes.toString('base64', 0, whole), 'latin1');
  }
  yield `${rest.toString('base64')}"`;
  if (step.value) yield problemMember(step.value);
}

export function problemMember(problem: FileProblem): string {
  return `,"problem":${JSON.stringify(problem)}`;
}

async function* section(name: string, lines: AsyncIterable<string | Buffer> | Iterable<string>) {
  yield `,\n"${name}":[`;
  yield* lines;
  yield ']';
}

function* rows(given: readonly object[]) {
  for (const [index, row] of given.entries()) yield `${index > 0 ? ',' : ''}\n${JSON.stringify(row)}`;
}

async function* withFiles<Row>(
  given: AsyncIterable<Row> | Iterable<Row>,
  write: (row: Row) => AsyncIterable<string | Buffer>,
) {
  let isFirst = true;
  for await (const row of given) {
    yield isFirst ? '\n' : ',\n';
    isFirst = false;
    yield* write(row);
  }
}
