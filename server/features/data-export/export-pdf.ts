import { PassThrough, pipeline, type Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { tellActivity } from '#server/features/audit/activity.words.ts';
import { type Book, openBook } from '#server/platform/pdf/book.ts';
import { failedBy } from '#server/platform/streams/streams.ts';
import { productName } from '#shared/product.ts';
import { isSealedEnvelope, sealedEnvelopeLine } from '#shared/rules/letters/sealed-envelope.ts';
import type { ExportedEnclosure, ExportedMessage, ExportSource } from './export.source.ts';
import type { ExportOptions } from './export-json.ts';
import { categoryTitle, damagedWords, dayOf, fateOf, forWhom, momentOf } from './export-words.ts';

const numberWidth = 3;

/** A vault as a book to read: letters, the list of documents, contacts, and the log where it is wanted. */
export function writePdf(source: ExportSource, options: ExportOptions): Readable {
  const out = new PassThrough();
  return failedBy(out, setBook(source, options, out));
}

const contentsPage = 2;

/**
 * Sets the book into `out`. Where nobody reads it any more, no other letter is opened: its pages stay in memory until
 * the end, for nobody.
 */
export async function setBook(source: ExportSource, options: ExportOptions, out: PassThrough): Promise<void> {
  const account = await source.account();
  const owner = [account.firstName, account.lastName].filter(Boolean).join(' ') || account.email;
  const letters = await countLetters(source, out);
  if (out.destroyed) return;
  const book = await openBook({ title: `The vault of ${owner}`, language: 'en-GB', size: 'A5' });
  // A reader of `out` receives every failure.
  pipeline(book.content, out, () => undefined);
  book.titlePage(owner, [productName, 'The letters and papers of a vault', dayOf(options.exportedAt)]);
  book.reserveContents(letters + (options.includeAuditLogs ? 4 : 3));
  const parts = [
    () => writeLetters(book, whileRead(source.messages(), out), letters),
    // Their files are in no book, so whether those are wanted says nothing here: the list stays.
    () => writeDocuments(book, source),
    () => writeContacts(book, source),
    ...(options.includeAuditLogs ? [() => writeLog(book, source)] : []),
  ];
  for (const writePart of parts) {
    await writePart();
    if (out.destroyed) return;
  }
  book.finish({ contentsPage });
}

async function countLetters(source: ExportSource, out: PassThrough): Promise<number> {
  let letters = 0;
  for await (const _ of whileRead(source.messages(), out)) letters += 1;
  return letters;
}

/** As many as are there, or until nobody reads the book any more. */
async function* whileRead<Row>(rows: AsyncIterable<Row>, out: PassThrough): AsyncGenerator<Row> {
  if (out.destroyed) return;
  for await (const row of rows) {
    yield row;
    if (out.destroyed) return;
  }
}

async function writeLetters(book: Book, letters: AsyncIterable<ExportedMessage>, count: number): Promise<void> {
  book.begin('Letters', { isPart: true });
  if (count > 0) book.quietly(count === 1 ? 'One letter' : `${count} letters, oldest first`);
  let number = 0;
  for await (const { fields, attachment, enclosures } of letters) {
    number += 1;
    // Setting a letter keeps the processor busy; others are served in between.
    await nextTurn();
    const { title, content, recipients, status, createdAt, deliveredAt, problem } = fields;
    const written = `written on ${dayOf(createdAt)}`;
    const about = [forWhom(recipients), written, fateOf({ status, deliveredAt })].filter(Boolean).join(', ');
    const isTitleWhole = book.begin(title, { isPart: false });
    book.quietly(about);
    book.space(10);
    if (problem) book.quietly(damagedWords);
    else if (content === '') book.quietly('Sealed with a passphrase by the one who wrote it.');
    const areWhole = content.split(/\n{2,}/).map((paragraph) => book.write(paragraph));
    book.space(6);
    if (attachment)
      book.quietly(isSealedEnvelope(attachment.facts) ? sealedEnvelopeLine : `Enclosed: ${attachment.facts.name}`);
    if (fields.attachmentTranscript) book.write(fields.attachmentTranscript);
    for (const enclosure of enclosures) writeEnclosure(book, enclosure);
    if (isTitleWhole && areWhole.every(Boolean)) continue;
    const name = `letter-${String(number).padStart(numberWidth, '0')}.txt`;
    book.attach(name, `${title}\n\n${content}\n`);
    book.quietly(`Some characters of this letter cannot be set here. It is attached to this file, whole, as ${name}.`);
  }
  if (number === 0) book.write('There are no letters.');
}

/** What cannot be heard or is not shown in a book is told of in words. */
function writeEnclosure(book: Book, { fields: { kind, caption, transcript }, file }: ExportedEnclosure): void {
  const what = kind === 'voice' ? 'A recording' : 'A picture';
  book.quietly(`Enclosed: ${what}, ${file.facts.name}${caption === '' ? '' : `. ${caption}`}`);
  if (transcript !== '') book.write(transcript);
}

async function writeDocuments(book: Book, source: ExportSource): Promise<void> {
  book.begin('Documents', { isPart: true });
  const documents = await source.documents();
  for (const { fields, file } of documents) {
    book.write(fields.name, { gapAfter: 0 });
    book.quietly([categoryTitle(fields.category), file.facts.name, `stored on ${dayOf(fields.createdAt)}`].join(', '));
    if (fields.problem) book.quietly(damagedWords);
    if (fields.description) book.write(fields.description);
    book.space(4);
  }
  if (documents.length === 0) book.write('There are no documents.');
}

async function writeContacts(book: Book, source: ExportSource): Promise<void> {
  book.begin('Trusted contacts', { isPart: true });
  const contacts = await source.contacts();
  for (const { name, email, phone, relationship, isConfirmed, problem } of contacts) {
    book.write(relationship ? `${name}, ${relationship}` : name, { gapAfter: 0 });
    const reached = [email, phone].filter((words) => words !== null).join(', ');
    book.quietly(`${reached}, ${isConfirmed ? 'has accepted' : 'has not accepted'}`);
    if (problem) book.quietly(damagedWords);
    book.space(4);
  }
  if (contacts.length === 0) book.write('There are no trusted contacts.');
}

async function writeLog(book: Book, source: ExportSource): Promise<void> {
  book.begin('What happened in the vault', { isPart: true });
  for (const { createdAt, action, details } of await source.auditLog()) {
    book.write(`${momentOf(createdAt)}   ${tellActivity(action, details).words}`, { size: 9, gapAfter: 3 });
  }
}
