/* What is pressed on a page that works without scripts, in the moment in which they are on their way. */

/** Longer than any but the slowest way; then the browser does by itself what was pressed. */
const waitMs = 10_000;

type Press = { form: HTMLFormElement } | { words: string };

let held: Press | null = null;

/** From now on a form is not posted and a button not lost: the application does what was pressed once it is there. */
export function holdPresses(page: HTMLElement): void {
  page.addEventListener('submit', (event) => {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    if (!held) setTimeout(() => form.isConnected && form.submit(), waitMs);
    held = { form };
  });
  page.addEventListener('click', ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLButtonElement>('button[type=button]') : null;
    if (button) held = { words: wordsOf(button) };
  });
}

/** Presses the same on the page that has taken the place of the other. */
export function pressAgain(page: ParentNode): void {
  const press = held;
  held = null;
  if (!press) return;
  if ('form' in press) page.querySelector('form')?.requestSubmit();
  else [...page.querySelectorAll('button')].find((button) => wordsOf(button) === press.words)?.click();
}

/** A button is the same where it says the same. */
function wordsOf(button: HTMLButtonElement): string {
  return button.getAttribute('aria-label') ?? button.textContent;
}
