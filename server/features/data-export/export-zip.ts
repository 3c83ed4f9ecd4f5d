import { encryptedZip, type ZipEntries } from '#server/platform/zip/encrypted-zip.ts';
import { extensionOf, typeOfExtension } from '#shared/rules/files.ts';
import { enclosureTypeOf, originalTypeOf } from '#shared/rules/letters/enclosures.ts';
import { sealedEnvelopeExtension } from '#shared/rules/letters/sealed-envelope.ts';
import type { ExportSource } from './export.source.ts';
import { type ExportedFile, openForExport, readForExport } from './export-files.ts';
import {
  type ArchivedFile,
  type ArchivedFiles,
  archiveDataName,
  archivePageName,
  type FileProblem,
} from './export-format.ts';
import { type ExportOptions, problemMember, writeJson } from './export-json.ts';
import { type ListedLetter, writePage } from './export-page.ts';

const numberWidth = 3;
/** How often the vault is looked through for files that came meanwhile: somebody may go on adding some for ever. */
const listingsMax = 5;
/** How many files are open before it is their turn; of each some 100 KB are in memory by then. */
const filesAhead = 3;

/**
 * An archive with real files, a page to read and the same data as a JSON export, encrypted with `key`. Files come
 * first, so that what follows can say what became of each: what is stored after the last look has no entry, and is said
 * to be missing from the archive.
 */
export function writeZip(source: ExportSource, options: ExportOptions, key: string) {
  return encryptedZip(key, async (entries) => {
    const { noting, letters } = notingLetters(source);
    const files = await addVault(entries, noting, options);
    const page = writePage(source, options, { files, letters });
    await entries.addText({ name: archivePageName, text: page, modifiedAt: options.exportedAt });
  });
}

/** Adds all files, then the text that says what became of each. `furtherIdOf` gives the id of a file that stays apart. */
export async function addVault(
  entries: ZipEntries,
  source: ExportSource,
  options: ExportOptions,
  furtherIdOf: FurtherIdOf = () => null,
): Promise<ArchivedFiles> {
  const { includeDocuments, exportedAt: modifiedAt } = options;
  const files = includeDocuments ? await addFiles(entries, source, { modifiedAt, furtherIdOf }) : new Map();
  const text = writeJson(source, options, (file) => writePlace(files.get(file.id) ?? cameTooLate));
  await entries.addText({ name: archiveDataName, text, modifiedAt });
  return files;
}

type FurtherIdOf = (file: ExportedFile) => string | null;
type Adding = { modifiedAt: Date; furtherIdOf: FurtherIdOf };

/** Opening every letter once more only for the list at the top of the page would cost as much as the page. */
function notingLetters(source: ExportSource) {
  const letters: ListedLetter[] = [];
  async function* messages() {
    for await (const message of source.messages()) {
      const { id, title, recipients } = message.fields;
      letters.push({ id, title, recipients });
      yield message;
    }
  }
  return { noting: { ...source, messages }, letters };
}

const cameTooLate: ArchivedFile = { problem: 'missing' };

async function addFiles(entries: ZipEntries, source: ExportSource, adding: Adding) {
  const files = new Map<string, ArchivedFile>();
  const numbers = { letter: 0, document: 0 };
  for (let listing = 1; listing <= listingsMax; listing += 1) {
    const filesBefore = files.size;
    for await (const opened of openedAhead(filesToAdd(source, files, numbers))) {
      const further = adding.furtherIdOf(opened.file);
      if (further !== null) discard(opened);
      files.set(opened.file.id, further === null ? await addOpened(entries, opened, adding.modifiedAt) : { further });
    }
    if (files.size === filesBefore) break;
  }
  return files;
}

async function addOpened(entries: ZipEntries, { name, file, opened }: OpenedFile, modifiedAt: Date) {
  if (typeof opened === 'string') return { problem: opened };
  const { sizeBytes } = file.facts;
  let problem: FileProblem | null = null;
  const content = wholeLength(readForExport(opened), sizeBytes, (found) => {
    problem = found;
  });
  try {
    await entries.addFile({ name, sizeBytes, content, modifiedAt });
  } finally {
    opened.destroy();
  }
  return problem ? { name, problem } : { name };
}

type NamedFile = { name: string; file: ExportedFile };

/**
 * Files that are not in the archive: all side by side and in order, with no path in any name. The numbers are those of the letters; what came later goes on from the last, so no name is given
 * twice.
 */
async function* filesToAdd(
  source: ExportSource,
  files: ArchivedFiles,
  numbers: Record<FileKind, number>,
): AsyncGenerator<NamedFile> {
  const isFirstListing = numbers.letter + numbers.document === 0;
  const isNew = (file: ExportedFile) => !files.has(file.id);
  const named = (kind: FileKind, file: ExportedFile, index = 0) => ({
    name: nameOf(kind, { number: numbers[kind], index }, file),
    file,
  });
  for await (const ofLetter of source.filesOfMessages()) {
    const added = ofLetter.filter(isNew);
    if (isFirstListing || added.length > 0) numbers.letter += 1;
    for (const [index, file] of added.entries()) yield named('letter', file, index);
  }
  for (const { file } of await source.documents()) {
    if (!isNew(file)) continue;
    numbers.document += 1;
    yield named('document', file);
  }
}

/** Opens the next files while one is read: where they are small, opening takes longer than reading. */
async function* openedAhead(files: AsyncIterable<NamedFile>) {
  const waiting: Promise<OpenedFile>[] = [];
  try {
    for await (const file of files) {
      const opening = openNamed(file);
      // Where it fails, that is told when its turn has come.
      opening.catch(() => undefined);
      waiting.push(opening);
      if (waiting.length > filesAhead) yield await (waiting.shift() as Promise<OpenedFile>);
    }
    for (let next = waiting.shift(); next; next = waiting.shift()) yield await next;
  } finally {
    for (const opening of waiting) opening.then(discard, () => undefined);
  }
}

type OpenedFile = NamedFile & { opened: Awaited<ReturnType<typeof openForExport>> };

async function openNamed(named: NamedFile): Promise<OpenedFile> {
  return { ...named, opened: await openForExport(named.file.content) };
}

function discard({ opened }: OpenedFile): void {
  if (typeof opened !== 'string') opened.destroy();
}

/** The length of an entry is written before its bytes: what cannot be read of a broken file is filled up with zeros. */
export async function* wholeLength(
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

type FileKind = 'letter' | 'document';

/**
 * Names of entries can be read without the key, and what somebody called a file may say as much as a letter: it stands in
 * the texts of the archive alone. The ending is kept where it is one of those that are stored here.
 */
function nameOf(kind: FileKind, { number, index }: { number: number; index: number }, { facts }: ExportedFile): string {
  const extension = extensionOf(facts.name);
  const isKnown =
    typeOfExtension(extension) !== null ||
    enclosureTypeOf(facts.name) !== null ||
    originalTypeOf(facts.name) !== null ||
    extension === sealedEnvelopeExtension;
  const ending = isKnown ? `.${extension}` : '';
  const further = index === 0 ? '' : `-${index + 1}`;
  return `${kind}-${String(number).padStart(numberWidth, '0')}${further}${ending}`;
}

async function* writePlace(file: ArchivedFile): AsyncGenerator<string> {
  if (file.further) yield `,"further":${JSON.stringify(file.further)}`;
  if (file.name) yield `,"file":${JSON.stringify(file.name)}`;
  if (file.problem) yield problemMember(file.problem);
}
