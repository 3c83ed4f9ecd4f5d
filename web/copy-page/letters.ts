import { paragraphsOf } from '#shared/rules/letters/paragraphs.ts';
import { isSealedEnvelope } from '#shared/rules/letters/sealed-envelope.ts';
import { longDate } from '#web/lib/format.ts';
import { openLetter } from '#web/lib/sealing/letter-seal.ts';
import { openEnvelope } from '#web/lib/sealing/sealed-envelope.ts';
import { element, lined, pressButton, quiet, ReaderError } from './elements.ts';
import { fileElements } from './files.ts';
import type { VaultFile, VaultLetter } from './vault.ts';

/** Shows the files of a vault, and opens them. */
export type Drawing = {
  draw: (file: VaultFile, caption?: string) => HTMLElement[];
  open: (file: VaultFile) => Promise<Blob>;
};

type Placed = { afterParagraph: number | null; elements: HTMLElement[] };

/** A letter as it was written, with everything in its envelope. */
export function letterElement(letter: VaultLetter, id: string, drawing: Drawing): HTMLElement {
  const { title, recipients, createdAt, status, deliveredAt, encryptedContent, problem } = letter;
  const whom = recipients.map(({ name, email }) => (name === null ? email : `${name} (${email})`)).join(', ');
  const fate = deliveredAt ? `delivered ${longDate(deliveredAt)}` : status === 'ready' ? 'ready to send' : 'a draft';
  const facts = [whom && `For ${whom}`, `written ${longDate(createdAt)}`, fate].filter(Boolean).join(' · ');
  const heading = element('h3', { dir: 'auto', tabindex: '-1' }, title);
  const body = element('div');
  if (problem) body.append(quiet('The words of this letter were damaged where they were kept.'));
  else if (encryptedContent) body.append(sealedForm(letter, { body, heading, drawing }));
  else body.append(...written(letter, drawing));
  return element('article', { id }, heading, quiet(facts), body);
}

function written(letter: VaultLetter, { draw }: Drawing): HTMLElement[] {
  const { content, enclosures, attachment, attachmentTranscript } = letter;
  const placed = enclosures.map(({ file, original, caption, transcript, afterParagraph }) => ({
    afterParagraph,
    elements: [...draw(file, caption), ...wordsOf(transcript), ...(original ? draw(original) : [])],
  }));
  const enclosed = attachment ? [...draw(attachment), ...wordsOf(attachmentTranscript ?? '')] : [];
  return [...withPlaced(content, placed), ...enclosed];
}

/** Paragraphs, each followed by the pictures placed after it. An unknown place is the end. */
function withPlaced(content: string, placed: readonly Placed[]): HTMLElement[] {
  const paragraphs = paragraphsOf(content).map(({ lines }) => element('p', { dir: 'auto' }, ...lined(lines)));
  const at = (place: number | null) =>
    placed
      .filter(({ afterParagraph: after }) => (after !== null && after <= paragraphs.length ? after : null) === place)
      .flatMap(({ elements }) => elements);
  return [...at(0), ...paragraphs.flatMap((paragraph, index) => [paragraph, ...at(index + 1)]), ...at(null)];
}

function wordsOf(transcript: string): HTMLElement[] {
  return paragraphsOf(transcript).map(({ lines }) => element('p', { class: 'facts', dir: 'auto' }, ...lined(lines)));
}

type Place = { body: HTMLElement; heading: HTMLElement; drawing: Drawing };

/** A letter with a passphrase of its own stays sealed until that is typed. */
function sealedForm(letter: VaultLetter, place: Place): HTMLElement {
  const { encryptedContent: sealed } = letter;
  const input = element('input', { type: 'text', autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false' });
  const open = async () => {
    const opened = sealed && (await openLetter(sealed, input.value));
    if (!opened) throw new ReaderError('This passphrase does not open this letter. Check it and try again.');
    if (opened.title !== null) place.heading.textContent = opened.title;
    place.body.replaceChildren(...(await unsealed(letter, opened, place.drawing)));
    place.heading.focus();
  };
  const press = pressButton('Open this letter', open, false);
  const form = element(
    'form',
    {},
    element(
      'p',
      {},
      'This letter has a passphrase of its own, which its writer chose. It is not the one of this file.',
    ),
    sealed?.hint ? element('p', { dir: 'auto' }, `The writer’s hint: ${sealed.hint}`) : null,
    element('label', {}, 'Passphrase of this letter', input),
    press,
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    press.querySelector('button')?.click();
  });
  return form;
}

type Opened = { content: string; fileKey?: string | undefined };

async function unsealed(letter: VaultLetter, { content, fileKey }: Opened, drawing: Drawing): Promise<HTMLElement[]> {
  const { attachment } = letter;
  if (!attachment || !fileKey || !isSealedEnvelope(attachment))
    return [...withPlaced(content, []), ...(attachment ? drawing.draw(attachment) : [])];
  try {
    const packed = await openEnvelope(await drawing.open(attachment), fileKey);
    const placed = packed.map(({ file, caption, transcript, afterParagraph }) => ({
      afterParagraph,
      elements: [
        ...fileElements({ name: file.name, sizeBytes: file.size, caption, open: () => Promise.resolve(file) }),
        ...wordsOf(transcript),
      ],
    }));
    return withPlaced(content, placed);
  } catch {
    // The words can be read without the envelope.
    const words = attachment.further
      ? 'Its envelope is in a file beside this page. Choose that file above, then open this letter again.'
      : 'The contents of its envelope could not be opened.';
    return [...withPlaced(content, []), quiet(words)];
  }
}
