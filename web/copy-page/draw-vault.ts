import { notedFields } from '#shared/rules/first-weeks/notes.ts';
import { fileSize } from '#shared/rules/sizes.ts';
import { checklists } from '#web/content/checklists.ts';
import { shownItems } from '#web/features/guidance/checklist.rules.ts';
import { element, pressButton, quiet } from './elements.ts';
import { fileElements, notHere, openAllPictures, saveButton } from './files.ts';
import { type Drawing, letterElement } from './letters.ts';
import { type Further, type Items, openFurther, openItem, recogniseFurther } from './open-copy.ts';
import { furtherFilesOf, type Vault, type VaultFile } from './vault.ts';

/** An opened copy: its key, its items, and files beside it that were chosen so far. */
export type Opened = { key: CryptoKey; items: Items; passphrase: string; further: Map<string, Further> };

const problems = {
  missing: 'This file was missing when the copy was made.',
  damaged: 'This file was damaged when the copy was made.',
};
const leftOut = 'This file was left out when the copy was made.';
const choose = 'This file is beside this page. Choose it above first.';

/** The whole vault, for reading. `text` is vault.json itself. */
export function vaultElements(vault: Vault, text: Blob, opened: Opened): HTMLElement[] {
  const drawing = drawingOf(opened);
  const letters = vault.messages.map((letter, index) => letterElement(letter, `letter-${index + 1}`, drawing));
  const further = furtherFilesOf(vault);
  const all = element('div');
  all.append(
    ...(further.length > 0 ? [furtherBox(further, opened)] : []),
    contents(vault),
    section('letters', 'Letters', letters, 'There are no letters.'),
    section('documents', 'Documents', documentsOf(vault, drawing), 'There are no documents.'),
    section('contacts', 'Trusted contacts', contactsOf(vault), 'There are no trusted contacts.'),
    section('wishes', 'Wishes and notes', wishesOf(vault), 'There are no notes.'),
    element(
      'div',
      { class: 'box' },
      quiet(
        'All words and records of the vault, as a file for programs. Everkept can import it. It has no files in it.',
      ),
      saveButton({ name: 'vault.json', sizeBytes: text.size, open: () => Promise.resolve(text) }),
      pressButton('Show all pictures and print', async () => {
        await openAllPictures(all);
        window.print();
      }),
    ),
  );
  return [all];
}

function drawingOf(opened: Opened): Drawing {
  const open = ({ file, further, problem }: VaultFile): Promise<Blob> => {
    if (further !== undefined) {
      const chosen = opened.further.get(further);
      return chosen ? openFurther(chosen) : notHere(choose)();
    }
    if (file === undefined) return notHere(problem ? problems[problem] : leftOut)();
    return openItem(opened.key, file, opened.items);
  };
  return {
    open,
    draw: (file, caption = '') => {
      const { name, sizeBytes, problem } = file;
      const isHere = file.file !== undefined && problem === undefined;
      if (isHere || file.further !== undefined)
        return fileElements({ name, sizeBytes, caption, open: () => open(file) });
      const words = problem ? problems[problem] : leftOut;
      return [quiet(`${name}: ${words}`), ...(caption === '' ? [] : [quiet(caption)])];
    },
  };
}

/** Takes files beside the page, under whatever names they were saved. */
function furtherBox(files: readonly (VaultFile & { further: string })[], opened: Opened): HTMLElement {
  const input = element('input', { type: 'file', multiple: '', id: 'further' });
  const said = element('p', { class: 'said', role: 'status' });
  const tell = (strangers: number) => {
    const waiting = files.filter(({ further }) => !opened.further.has(further));
    const unknown = strangers === 0 ? '' : ' A file that you chose is none of them.';
    said.textContent = `${waiting.length === 0 ? 'All of them are here now.' : `Still to choose: ${waiting.map(({ name }) => name).join(', ')}.`}${unknown}`;
  };
  input.addEventListener('change', async () => {
    let strangers = 0;
    said.textContent = 'Looking at the files…';
    for (const file of input.files ?? []) {
      const names = files.map(({ further }) => further);
      const found = await recogniseFurther(file, names, opened.passphrase);
      if (found) opened.further.set(found.name, found);
      else strangers += 1;
    }
    tell(strangers);
  });
  tell(0);
  const list = files.map(({ name, sizeBytes, further }) =>
    element(
      'li',
      {},
      element('bdi', {}, name),
      ` (${fileSize(sizeBytes)}), in the file whose name ends in ${further}.sealed`,
    ),
  );
  return element(
    'div',
    { class: 'box' },
    element('p', {}, 'Large files were saved beside this page, sealed with the same passphrase:'),
    element('ul', {}, ...list),
    element('label', { for: 'further' }, 'Choose those files'),
    input,
    said,
  );
}

function contents({ messages }: Vault): HTMLElement {
  const links = messages.map(({ title, recipients }, index) =>
    element(
      'li',
      {},
      element('a', { href: `#letter-${index + 1}`, dir: 'auto' }, title),
      element('span', {}, recipients.map(({ name, email }) => name ?? email).join(', ')),
    ),
  );
  const parts = [
    ['letters', 'Letters'],
    ['documents', 'Documents'],
    ['contacts', 'Trusted contacts'],
    ['wishes', 'Wishes and notes'],
  ] as const;
  const nav = element(
    'nav',
    { 'aria-label': 'Contents' },
    ...parts.map(([id, name]) => element('a', { href: `#${id}` }, name)),
  );
  return element('div', {}, nav, links.length > 1 ? element('ul', { class: 'list' }, ...links) : null);
}

function section(id: string, title: string, content: HTMLElement[], none: string): HTMLElement {
  const heading = element('h2', { id }, title);
  return element('section', { 'aria-labelledby': id }, heading, ...(content.length > 0 ? content : [quiet(none)]));
}

function documentsOf({ documents }: Vault, { draw }: Drawing): HTMLElement[] {
  return documents.map(({ name, category, description, file, problem }) =>
    element(
      'article',
      {},
      element('h3', { dir: 'auto' }, name),
      quiet(category.charAt(0).toUpperCase() + category.slice(1)),
      description === null ? null : element('p', { dir: 'auto' }, description),
      problem ? quiet('Its words were damaged where they were kept.') : null,
      ...draw(file),
    ),
  );
}

function contactsOf({ contacts }: Vault): HTMLElement[] {
  const rows = contacts.map(({ name, email, phone, relationship, isConfirmed }) => {
    const facts = [relationship, email, phone, isConfirmed ? 'has accepted' : 'has not accepted'].filter(Boolean);
    return element('li', {}, element('b', { dir: 'auto' }, name), element('br'), facts.join(' · '));
  });
  return rows.length > 0 ? [element('ul', {}, ...rows)] : [];
}

function wishesOf({ firstWeeks, checklists: kept }: Vault): HTMLElement[] {
  const notes = firstWeeks
    .flatMap(notedFields)
    .map(({ label, words }) =>
      element('li', {}, element('b', {}, label), element('br'), element('span', { dir: 'auto' }, words)),
    );
  const lists = kept.map((state) => {
    const list = checklists.find(({ id }) => id === state.checklistId);
    const items = shownItems(list?.items ?? [], state).map(({ text, isCompleted }) =>
      element('li', { dir: 'auto' }, `${isCompleted ? '☑' : '☐'} ${text}`),
    );
    return element('article', {}, element('h3', {}, list?.title ?? state.checklistId), element('ul', {}, ...items));
  });
  return [...(notes.length > 0 ? [element('ul', {}, ...notes)] : []), ...lists];
}
