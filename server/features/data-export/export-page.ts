import { productName } from '#shared/product.ts';
import type { MessageStatus } from '#shared/rules/categories.ts';
import { notedFields } from '#shared/rules/first-weeks/notes.ts';
import type { ExportedEnclosure, ExportSource } from './export.source.ts';
import type { ExportedFile } from './export-files.ts';
import type { ArchivedFiles, FileProblem } from './export-format.ts';
import type { ExportOptions } from './export-json.ts';
import { categoryTitle, damagedWords, dayOf, fateOf, firstWeeksTitle, forWhom } from './export-words.ts';

/**
 * The page to read in an archive: letters, documents, contacts, in any browser, without a line and without a script.
 * What people wrote is escaped, and the page may load nothing.
 */
export async function* writePage(source: ExportSource, options: ExportOptions, { files, letters: listed }: InArchive) {
  const account = await source.account();
  const owner = [account.firstName, account.lastName].filter(Boolean).join(' ') || account.email;
  yield head(owner, options.exportedAt);
  yield section('Letters', 'letters');
  if (listed.length > 1) yield listOfLetters(listed);
  let letters = 0;
  for await (const { fields, attachment, enclosures } of source.messages()) {
    letters += 1;
    const lines = enclosures.map((enclosure) => enclosureLine(enclosure, files, options));
    const said = fields.attachmentTranscript ? transcriptLine(fields.attachmentTranscript) : null;
    yield letter(fields, [attachment && fileLine(attachment, files, options), said, ...lines]);
  }
  yield letters === 0 ? '<p>There are no letters.</p></section>' : '</section>';

  yield section('Documents', 'documents');
  const documents = await source.documents();
  yield list(
    documents.map(({ fields, file }) => {
      const about = [categoryTitle(fields.category), fields.problem ? damagedWords : fields.description]
        .filter((words) => words !== null)
        .map(escaped);
      return `<b><bdi>${escaped(fields.name)}</bdi></b><br>${about.join(' · ')}${fileLine(file, files, options)}`;
    }),
  );
  yield section('Trusted contacts', 'contacts');
  const contacts = await source.contacts();
  yield list(
    contacts.map(({ name, email, phone, relationship, isConfirmed, problem }) => {
      const facts = [relationship, email, phone, problem ? damagedWords : null]
        .filter((words) => words !== null)
        .map(escaped);
      return `<b><bdi>${escaped(name)}</bdi></b><br>${facts.join(' · ')} · ${isConfirmed ? 'has accepted' : 'has not accepted'}`;
    }),
  );
  yield section(firstWeeksTitle, 'first-weeks');
  yield list(
    (await source.firstWeeks()).flatMap((notes) => [
      ...(notes.problem ? [escaped(damagedWords)] : []),
      ...notedFields(notes).map(
        ({ label, words }) => `<b>${label}</b><br><span dir="auto">${escaped(words).replaceAll('\n', '<br>')}</span>`,
      ),
    ]),
  );
  yield '<footer><p>Everything here, and what was recorded beside it, is also in <a href="vault.json">vault.json</a>.</p></footer>\n</body>\n</html>\n';
}

/** What of a letter stands in the list of them. */
export type ListedLetter = Pick<LetterFields, 'id' | 'title' | 'recipients'>;
/** What the archive holds by now. */
type InArchive = { files: ArchivedFiles; letters: readonly ListedLetter[] };

/** Whoever opens the page looks for the one that is for them. */
function listOfLetters(letters: readonly ListedLetter[]): string {
  const lines = letters.map(({ id, title, recipients }) => {
    const whom = recipients.length > 0 ? ` <span>${escaped(forWhom(recipients))}</span>` : '';
    return `<li><a href="#letter-${id}">${escaped(title)}</a>${whom}</li>`;
  });
  return `<ul class="list">${lines.join('\n')}</ul>\n`;
}

function head(owner: string, exportedAt: Date): string {
  return `<!doctype html>
<html lang="en-GB">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>The vault of ${escaped(owner)}</title>
<style>${pageStyle}</style>
</head>
<body>
<header><p>${productName}</p><h1>The vault of ${escaped(owner)}</h1><p>Exported on ${dayOf(exportedAt)}</p>
<nav aria-label="Contents"><a href="#letters">Letters</a> <a href="#documents">Documents</a> <a href="#contacts">Trusted contacts</a> <a href="#first-weeks">${firstWeeksTitle}</a></nav></header>
`;
}

function section(title: string, id: string): string {
  return `<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>\n`;
}

function list(items: readonly string[]): string {
  const lines = items.map((item) => `<li>${item}</li>`).join('\n');
  return `${items.length > 0 ? `<ul>${lines}</ul>` : '<p>There are none.</p>'}</section>\n`;
}

type LetterFields = {
  id: string;
  problem?: FileProblem;
  title: string;
  content: string;
  recipients: readonly { name: string | null; email: string }[];
  status: MessageStatus;
  createdAt: Date;
  deliveredAt: Date | null;
};

function letter(fields: LetterFields, files: readonly (string | null)[]): string {
  const { id, title, content, recipients, status, createdAt, deliveredAt, problem } = fields;
  const facts = [escaped(forWhom(recipients)), `written on ${dayOf(createdAt)}`, fateOf({ status, deliveredAt })];
  const wordless = problem ? damagedWords : 'Sealed with a passphrase by the one who wrote it.';
  const paragraphs = content
    .split(/\n{2,}/)
    .map((words) => `<p dir="auto">${escaped(words).replaceAll('\n', '<br>')}</p>`);
  return `<article id="letter-${id}"><h3 dir="auto">${escaped(title)}</h3>
<p class="facts">${facts.filter(Boolean).join(' · ')}</p>
${content === '' ? `<p class="facts">${wordless}</p>` : paragraphs.join('\n')}${files.join('')}</article>\n`;
}

function transcriptLine(transcript: string): string {
  return `<p class="facts" dir="auto">${escaped(transcript).replaceAll('\n', '<br>')}</p>`;
}

function enclosureLine(
  { fields, file, original }: ExportedEnclosure,
  files: ArchivedFiles,
  options: ExportOptions,
): string {
  const { caption, transcript } = fields;
  const said = transcript === '' ? '' : transcriptLine(transcript);
  const kept = original ? fileLine(original, files, options) : '';
  return `${fileLine(file, files, options)}${kept}${caption === '' ? '' : `<p class="facts" dir="auto">${escaped(caption)}</p>`}${said}`;
}

function fileLine({ id, facts }: ExportedFile, files: ArchivedFiles, { includeDocuments }: ExportOptions): string {
  const words = escaped(facts.name);
  if (!includeDocuments) return `<p class="file">${words}, left out of this export as you asked</p>`;
  const archived = files.get(id);
  if (!archived) return `<p class="file">${words}, which was added while this export was made and is not in it</p>`;
  const { name, problem } = archived;
  const shown = name ? `<a href="${escaped(encodeURIComponent(name))}">${words}</a>` : words;
  return `<p class="file">${shown}${problem ? `, which is ${problem} in the vault` : ''}</p>`;
}

/** Text as it may stand between tags and in a quoted attribute. */
function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}

/** The paper and ink of the product, without a font of its own: a browser without a line has only its own ones. */
export const pageStyle = `
:root{color-scheme:light dark;--page:#f3f0e7;--sheet:#fff;--ink:#14302a;--soft:#56665f;--line:#d3cebe;--link:#1b4f43}
@media (prefers-color-scheme:dark){:root{--page:#0f1714;--sheet:#19231f;--ink:#ece7da;--soft:#9aa69d;--line:#2e3b35;--link:#c3dcc9}}
body{margin:0 auto;max-width:42rem;padding:2.5rem 1.25rem 4rem;background:var(--page);color:var(--ink);
font:1.125rem/1.6 "Iowan Old Style","Palatino Linotype",Palatino,Georgia,"Liberation Serif",serif;overflow-wrap:anywhere}
h1,h2,h3{font-weight:400;line-height:1.2;letter-spacing:-.012em;text-wrap:balance}h1{font-size:clamp(1.9rem,6vw,2.6rem);margin:.25rem 0}
h2{font-size:1.6rem;margin:3.5rem 0 1.25rem}h3{font-size:1.5rem;margin:0}
header{border-bottom:3px double var(--ink);padding-bottom:1.5rem}header p{margin:.25rem 0}
header p,.facts,.file,footer,li{color:var(--soft);font-size:1rem}li b{color:var(--ink);font-size:1.125rem;font-weight:600}
a{color:var(--link);text-underline-offset:.2em}nav{display:flex;flex-wrap:wrap;gap:.25rem 1.5rem;margin-top:1rem}
article{background:var(--sheet);border:1px solid var(--line);border-radius:8px;padding:clamp(1.25rem,5vw,2.5rem);margin-bottom:1.5rem}
.facts{font-style:italic;margin:.5rem 0 1.5rem}article>:last-child{margin-bottom:0}
article .file{border-top:1px solid var(--line);padding-top:1rem;margin-top:1.75rem}
ul{list-style:none;padding:0;margin:0;border-bottom:1px solid var(--line)}li{border-top:1px solid var(--line);padding:.9rem 0}
.list{margin-bottom:2.5rem}.list li{padding:.5rem 0}.list a{font-size:1.125rem}.list span{display:block;font-size:.9375rem}article{scroll-margin-top:1rem}
li .file{margin:.25rem 0 0}footer{margin-top:4rem}
@media print{body{max-width:none;padding:0;background:#fff;color:#000}article{border:0;padding:1rem 0;break-inside:auto}
article+article{break-before:page}h3,.facts{break-after:avoid}nav{display:none}}
`;
