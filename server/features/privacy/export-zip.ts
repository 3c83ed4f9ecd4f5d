import { cleanFileName } from '#server/platform/files/file-name.ts';
import { encryptedZip, type ZipEntries } from '#server/platform/zip/encrypted-zip.ts';
import type { ExportedFile, ExportSource } from './export.source.ts';
import { openForExport, readForExport } from './export-files.ts';
import { type ArchivedFile, archiveDataName, archivePageName, type FileProblem } from './export-format.ts';
import { type ExportOptions, problemMember, writeJson } from './export-json.ts';
import { writePage } from './export-page.ts';

const numberWidth = 3;

/**
 * An archive with real files, a page to read and the same data as a JSON export, encrypted with `key`. Files come
 * first, so that what follows can say what became of each.
 */
export function writeZip(source: ExportSource, options: ExportOptions, key: string) {
  return encryptedZip(key, async (entries) => {
    const files = options.includeDocuments ? await addFiles(entries, source, options) : new Map();
    const modifiedAt = options.exportedAt;
    const data = writeJson(source, options, (file) => writePlace(files.get(file.id)));
    await entries.addText({ name: archiveDataName, text: data, modifiedAt });
    await entries.addText({ name: archivePageName, text: writePage(source, options, files), modifiedAt });
  });
}

async function addFiles(entries: ZipEntries, source: ExportSource, { exportedAt }: ExportOptions) {
  const files = new Map<string, ArchivedFile>();
  let letters = 0;
  for await (const attachment of source.attachments()) {
    letters += 1;
    if (attachment) files.set(attachment.id, await addFile(entries, attachment, nameOf('letter', letters, attachment)));
  }
  for (const [index, { file }] of (await source.documents()).entries()) {
    files.set(file.id, await addFile(entries, file, nameOf('document', index + 1, file)));
  }
  return files;

  async function addFile(to: ZipEntries, { content, facts }: ExportedFile, name: string): Promise<ArchivedFile> {
    const opened = await openForExport(content);
    if (typeof opened === 'string') return { problem: opened };
    let problem: FileProblem | null = null;
    const pieces = wholeLength(readForExport(opened), facts.sizeBytes, (found) => {
      problem = found;
    });
    try {
      await to.addFile({ name, sizeBytes: facts.sizeBytes, content: pieces, modifiedAt: exportedAt });
    } finally {
      opened.destroy();
    }
    return problem ? { name, problem } : { name };
  }
}

/** The length of an entry is written before its bytes: what cannot be read of a broken file is filled up with zeros. */
async function* wholeLength(
  pieces: AsyncGenerator<Buffer, FileProblem | null>,
  sizeBytes: number,
  onProblem: (problem: FileProblem) => void,
): AsyncGenerator<Buffer> {
  let given = 0;
  let step = await pieces.next();
  for (; !step.done; step = await pieces.next()) {
    given += step.value.length;
    yield step.value;
  }
  if (step.value === null) return;
  onProblem(step.value);
  const zeros = Buffer.alloc(65_536);
  for (; given < sizeBytes; given += zeros.length) yield zeros.subarray(0, Math.min(zeros.length, sizeBytes - given));
}

/** All side by side and in order, with no path in any name, and none that a system keeps for itself. */
function nameOf(kind: 'letter' | 'document', number: number, { facts }: ExportedFile): string {
  return `${kind}-${String(number).padStart(numberWidth, '0')}-${cleanFileName(facts.name)}`;
}

async function* writePlace(file: ArchivedFile | undefined): AsyncGenerator<string> {
  if (file?.name) yield `,"file":${JSON.stringify(file.name)}`;
  if (file?.problem) yield problemMember(file.problem);
}
