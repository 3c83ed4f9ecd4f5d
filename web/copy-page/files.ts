import { extensionOf, typeOfExtension } from '#shared/rules/files.ts';
import { enclosureTypeOf } from '#shared/rules/letters/enclosures.ts';
import { fileSize } from '#shared/rules/sizes.ts';
import { element, pressButton, quiet, ReaderError } from './elements.ts';

/** A file, and how to get its content. */
export type Shown = { name: string; sizeBytes: number; caption?: string; open: () => Promise<Blob> };

const plain = 'application/octet-stream';
/** Pictures begin to open so far before they are seen. */
const aheadOfView = '1500px';

const opening = new WeakMap<Element, () => void>();
const observer =
  'IntersectionObserver' in globalThis
    ? new IntersectionObserver((entries) => entries.forEach(openSeen), { rootMargin: aheadOfView })
    : null;

function openSeen({ isIntersecting, target }: IntersectionObserverEntry): void {
  if (!isIntersecting) return;
  observer?.unobserve(target);
  opening.get(target)?.();
}

/** Type by the ending alone, and only of kinds that run nothing. */
function mediaTypeOf(name: string): string | null {
  const type = enclosureTypeOf(name) ?? typeOfExtension(extensionOf(name));
  return type && /^(?:image|audio|video)\//.test(type) ? type : null;
}

/** A picture that opens near the view, a recording or film behind a button, and a button to save any file. */
export function fileElements(file: Shown): HTMLElement[] {
  const type = mediaTypeOf(file.name);
  const words = file.caption ? [quiet(file.caption)] : [];
  if (type?.startsWith('image/')) return [pictureOf(file, type), saveButton(file)];
  return [...words, ...(type ? [playerOf(file, type)] : []), saveButton(file)];
}

/** Opens all pictures, to print them. */
export async function openAllPictures(within: HTMLElement): Promise<void> {
  for (const figure of within.querySelectorAll('figure')) {
    // By its turn, the view may have opened it.
    if (!figure.hasAttribute('data-waits')) continue;
    const shown = new Promise((resolve) => figure.addEventListener('shown', resolve, { once: true }));
    opening.get(figure)?.();
    await shown;
  }
}

function pictureOf({ name, caption = '', open }: Shown, type: string): HTMLElement {
  const figure = element('figure', { 'data-waits': '' }, quiet(name));
  const words = caption === '' ? null : element('figcaption', { dir: 'auto' }, caption);
  const settle = (...shown: (HTMLElement | null)[]) => {
    figure.replaceChildren(...[...shown, words].filter((one) => one !== null));
    figure.removeAttribute('data-waits');
    figure.dispatchEvent(new Event('shown'));
  };
  opening.set(figure, async () => {
    opening.set(figure, () => undefined);
    try {
      const image = element('img', { alt: caption || name });
      image.addEventListener('load', () => settle(image), { once: true });
      image.addEventListener('error', () => settle(quiet(`${name} can be saved, but not shown here.`)), { once: true });
      image.src = URL.createObjectURL(new Blob([await open()], { type }));
    } catch {
      settle(quiet(`${name} could not be opened.`));
    }
  });
  observer?.observe(figure);
  return figure;
}

function playerOf({ name, sizeBytes, open }: Shown, type: string): HTMLElement {
  const isFilm = type.startsWith('video/');
  const place = element('div');
  const press = async () => {
    const player = element(isFilm ? 'video' : 'audio', { controls: '', 'aria-label': name });
    player.src = URL.createObjectURL(new Blob([await open()], { type }));
    place.replaceChildren(player);
    player.focus();
  };
  place.append(pressButton(`${isFilm ? 'Watch' : 'Listen to'} ${name} (${fileSize(sizeBytes)})`, press, false));
  return place;
}

export function saveButton({ name, sizeBytes, open }: Shown): HTMLElement {
  return pressButton(`Save ${name} (${fileSize(sizeBytes)})`, async () => saveBlob(await open(), name));
}

/** Under a type that no browser opens as a page. */
export function saveBlob(content: Blob, name: string): void {
  const href = URL.createObjectURL(new Blob([content], { type: plain }));
  element('a', { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

/** Said in place of content that the copy does not have. */
export function notHere(words: string): () => Promise<never> {
  return () => Promise.reject(new ReaderError(words));
}
