import type { Readable } from 'node:stream';
import { tellActivity } from '#server/features/audit/activity.words.ts';
import { type BookStep, isolated } from '#server/platform/pdf/book-steps.ts';
import { createHanCount, hanFormsOf } from '#server/platform/pdf/han-forms.ts';
import { setBook } from '#server/platform/pdf/set-book.ts';
import { productName } from '#shared/product.ts';
import { notedFields } from '#shared/rules/first-weeks/notes.ts';
import { isSealedEnvelope, sealedEnvelopeLine } from '#shared/rules/letters/sealed-envelope.ts';
import type { ExportedEnclosure, ExportedMessage, ExportSource } from './export.source.ts';
import type { ExportOptions } from './export-json.ts';
import { categoryTitle, damagedWords, dayOf, fateOf, firstWeeksTitle, forWhom, momentOf } from './export-words.ts';

const numberWidth = 3;
const contentsPage = 2;
const tooLarge =
  'Your vault is too large to be set as a PDF, so no file was made. Choose the encrypted archive, which has everything.';

/** A vault as a book to read: letters, the list of documents, contacts, and the log if it is wanted. */
export async function writePdf(
  source: ExportSource,
  options: ExportOptions,
  call: { owner: string; signal?: AbortSignal },
): Promise<Readable> {
  const title = `The vault of ${await nameOf(source)}`;
  const input = { title, language: 'en-GB', size: 'A5', contentsPage } as const;
  return setBook({ input, ...call, steps: stepsOf(source, options), tooLarge });
}

async function nameOf(source: ExportSource): Promise<string> {
  const account = await source.account();
  return [account.firstName, account.lastName].filter(Boolean).join(' ') || account.email;
}

/** Steps of the whole book, a letter or a list at a time. Letters are opened only as their steps are asked for. */
export async function* stepsOf(source: ExportSource, options: ExportOptions): AsyncGenerator<BookStep[]> {
  let letters = 0;
  const count = createHanCount();
  for await (const letter of source.messages()) {
    letters += 1;
    for (const words of wordsOf(letter)) count.add(words);
  }
  const lines = [productName, 'The letters and papers of a vault', dayOf(options.exportedAt)];
  yield [
    { do: 'titlePage', owner: await nameOf(source), lines, hanForms: count.forms() },
    attachUnlessWhole('title-page.txt'),
    { do: 'reserveContents', lines: letters + (options.includeAuditLogs ? 5 : 4) },
  ];
  yield* letterSteps(source.messages(), letters);
  // Their files are in no book, so the list stays even if they are not wanted.
  yield await documentSteps(source);
  yield await contactSteps(source);
  yield await firstWeeksSteps(source);
  if (options.includeAuditLogs) yield await logSteps(source);
}

const quietly = (words: string): BookStep => ({ do: 'quietly', words });
const write = (words: string): BookStep => ({ do: 'write', words });
const space = (points: number): BookStep => ({ do: 'space', points });
const attachUnlessWhole = (name: string): BookStep => ({
  do: 'attachUnlessWhole',
  name,
  note: `Some characters cannot be shown here. This text is attached to this file as ${name}, complete.`,
});

async function* letterSteps(letters: AsyncIterable<ExportedMessage>, count: number): AsyncGenerator<BookStep[]> {
  const counted = quietly(count === 1 ? 'One letter' : `${count} letters, oldest first`);
  yield [{ do: 'begin', title: 'Letters', isPart: true }, ...(count > 0 ? [counted] : [])];
  let number = 0;
  for await (const letter of letters) {
    number += 1;
    yield stepsOfLetter(letter, `letter-${String(number).padStart(numberWidth, '0')}.txt`);
  }
  if (number === 0) yield [write('There are no letters.')];
}

/** Words of a letter that may tell its language. */
function wordsOf({ fields, enclosures }: ExportedMessage): string[] {
  const { title, content, recipients, attachmentTranscript } = fields;
  const said = enclosures.flatMap(({ fields: { caption, transcript } }) => [caption, transcript]);
  return [title, content, attachmentTranscript ?? '', ...recipients.map(({ name }) => name ?? ''), ...said];
}

function stepsOfLetter(letter: ExportedMessage, name: string): BookStep[] {
  const { fields, attachment, enclosures } = letter;
  const { title, content, recipients, status, createdAt, deliveredAt, problem } = fields;
  const written = `written on ${dayOf(createdAt)}`;
  const about = [forWhom(recipients), written, fateOf({ status, deliveredAt })].filter(Boolean).join(', ');
  const steps: BookStep[] = [
    { do: 'begin', title, isPart: false, hanForms: hanFormsOf(wordsOf(letter)) },
    quietly(about),
    space(10),
  ];
  if (problem) steps.push(quietly(damagedWords));
  else if (content === '') steps.push(quietly('Sealed with a passphrase by the one who wrote it.'));
  for (const words of content.split(/\n{2,}/)) steps.push(write(words));
  steps.push(space(6));
  if (attachment)
    steps.push(
      quietly(isSealedEnvelope(attachment.facts) ? sealedEnvelopeLine : `Enclosed: ${isolated(attachment.facts.name)}`),
    );
  if (fields.attachmentTranscript) steps.push(write(fields.attachmentTranscript));
  steps.push(...enclosures.flatMap(enclosureSteps));
  return [...steps, attachUnlessWhole(name)];
}

/** Recordings and pictures are in no book, so words stand for them. */
function enclosureSteps({ fields: { kind, caption, transcript }, file }: ExportedEnclosure): BookStep[] {
  const what = kind === 'voice' ? 'A recording' : 'A picture';
  const line = quietly(`Enclosed: ${what}, ${isolated(file.facts.name)}${caption === '' ? '' : `. ${caption}`}`);
  return transcript === '' ? [line] : [line, write(transcript)];
}

async function documentSteps(source: ExportSource): Promise<BookStep[]> {
  const documents = await source.documents();
  const steps = documents.flatMap(({ fields, file }): BookStep[] => [
    { do: 'write', words: fields.name, gapAfter: 0 },
    quietly(
      [categoryTitle(fields.category), isolated(file.facts.name), `stored on ${dayOf(fields.createdAt)}`].join(', '),
    ),
    ...(fields.problem ? [quietly(damagedWords)] : []),
    ...(fields.description ? [write(fields.description)] : []),
    space(4),
  ]);
  const all = documents.length === 0 ? [write('There are no documents.')] : steps;
  const hanForms = hanFormsOf(documents.flatMap(({ fields }) => [fields.name, fields.description ?? '']));
  return [{ do: 'begin', title: 'Documents', isPart: true, hanForms }, ...all, attachUnlessWhole('documents.txt')];
}

async function contactSteps(source: ExportSource): Promise<BookStep[]> {
  const contacts = await source.contacts();
  const steps = contacts.flatMap(({ name, email, phone, relationship, isConfirmed, problem }): BookStep[] => {
    const reached = [email, phone].filter((words) => words !== null).join(', ');
    return [
      { do: 'write', words: relationship ? `${isolated(name)}, ${isolated(relationship)}` : name, gapAfter: 0 },
      quietly(`${reached}, ${isConfirmed ? 'has accepted' : 'has not accepted'}`),
      ...(problem ? [quietly(damagedWords)] : []),
      space(4),
    ];
  });
  const all = contacts.length === 0 ? [write('There are no trusted contacts.')] : steps;
  const hanForms = hanFormsOf(contacts.flatMap(({ name, relationship }) => [name, relationship ?? '']));
  return [
    { do: 'begin', title: 'Trusted contacts', isPart: true, hanForms },
    ...all,
    attachUnlessWhole('contacts.txt'),
  ];
}

async function firstWeeksSteps(source: ExportSource): Promise<BookStep[]> {
  const noted = (await source.firstWeeks()).flatMap((notes) => [
    ...(notes.problem ? [{ label: damagedWords, words: '' }] : []),
    ...notedFields(notes),
  ]);
  const steps = noted.flatMap(({ label, words }): BookStep[] => [
    { do: 'quietly', words: label },
    ...(words === '' ? [] : [write(words)]),
    space(4),
  ]);
  return [
    { do: 'begin', title: firstWeeksTitle, isPart: true, hanForms: hanFormsOf(noted.map(({ words }) => words)) },
    ...(noted.length === 0 ? [write('There are no notes.')] : steps),
    attachUnlessWhole('first-weeks.txt'),
  ];
}

async function logSteps(source: ExportSource): Promise<BookStep[]> {
  const lines = (await source.auditLog()).map(({ createdAt, action, details }): BookStep => {
    const words = `${momentOf(createdAt)}   ${tellActivity(action, details).words}`;
    return { do: 'write', words, size: 9, gapAfter: 3 };
  });
  return [{ do: 'begin', title: 'What happened in the vault', isPart: true }, ...lines, attachUnlessWhole('log.txt')];
}
