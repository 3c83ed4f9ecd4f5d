type Child = Node | string | null;
type Attributes = Record<string, string>;

/** An element with attributes and children. Text of people only ever becomes a text node. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children.filter((child) => child !== null));
  return made;
}

/** The first comment of a page. In a copy it says how another program opens the file. */
export function firstCommentOf(page: Document): string {
  return page.createNodeIterator(page, NodeFilter.SHOW_COMMENT).nextNode()?.textContent?.trim() ?? '';
}

/** A line beside the words of a letter. */
export function quiet(words: string): HTMLElement {
  return element('p', { class: 'facts', dir: 'auto' }, words);
}

/** Lines with breaks between them. */
export function lined(lines: readonly string[]): Child[] {
  return lines.flatMap((line, index) => (index === 0 ? [line] : [element('br'), line]));
}

/** A button that works once at a time, and says beside itself if it failed. */
export function pressButton(words: string, press: () => Promise<void>, isPlain = true): HTMLElement {
  const button = element('button', { type: 'button', ...(isPlain ? { class: 'plain' } : {}) }, words);
  const said = element('p', { class: 'said', role: 'status', hidden: '' });
  button.addEventListener('click', async () => {
    button.disabled = true;
    said.hidden = true;
    try {
      await press();
    } catch (error) {
      said.textContent = sentenceOf(error);
      said.hidden = false;
    }
    button.disabled = false;
  });
  return element('div', { class: 'press' }, button, said);
}

/** An error with a sentence for the reader. */
export class ReaderError extends Error {}

export function sentenceOf(error: unknown): string {
  if (error instanceof ReaderError) return error.message;
  if (error instanceof Error && error.name === 'DamagedError')
    return 'This part is damaged in this file. Another copy of the file may have it whole.';
  return 'This could not be shown. Try another browser.';
}
