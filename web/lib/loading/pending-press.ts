/* Pending presses: made on a page that works without scripts, while its scripts load. */

/** Longest wait for the scripts. After it, the browser performs the press. */
const waitMs = 10_000;

type Press = { form: HTMLFormElement; by: HTMLElement | null } | { button: HTMLButtonElement };

let pending: Press | null = null;
let listening = new AbortController();

/**
 * Keeps presses pending from now on: a form is not posted, and the application repeats the press once it is there. A form
 * that always leads to another page is not held back; it is marked `data-posted-by="browser"`.
 *
 * @param onPress called at each press, to load the application.
 */
export function holdPresses(page: HTMLElement, onPress: () => void = () => undefined): void {
  listening = new AbortController();
  const hold = (event: Event, press: Press) => {
    // Stops other listeners from handling the press as well.
    event.stopImmediatePropagation();
    event.preventDefault();
    if (!pending) setTimeout(leaveToBrowser, waitMs);
    pending = press;
    onPress();
  };
  const onSubmit = (event: SubmitEvent) => {
    const form = event.target as HTMLFormElement;
    if (form.dataset.postedBy !== 'browser') hold(event, { form, by: event.submitter });
  };
  const onClick = (event: MouseEvent) => {
    const { target } = event;
    const button = target instanceof Element ? target.closest<HTMLButtonElement>('button[type=button]') : null;
    if (button) hold(event, { button });
  };
  page.addEventListener('submit', onSubmit, listening);
  page.addEventListener('click', onClick, listening);
}

/** Presses the same on the page that answers by now: the one that was there, or the one that has taken its place. */
export function pressAgain(page: ParentNode): void {
  const press = takePending();
  if (!press) return;
  if ('button' in press) sameButton(page, press.button)?.click();
  else if (press.form.isConnected) press.form.requestSubmit(press.by);
  else {
    // By its own button and no other: on a page with two answers another one would be the opposite.
    const button = press.by instanceof HTMLButtonElement ? sameButton(page, press.by) : null;
    button?.form?.requestSubmit(button);
  }
}

/** Ends the wait: the browser posts the pending press, as without scripts. */
export function leaveToBrowser(): void {
  const press = takePending();
  if (press && 'form' in press && press.form.isConnected) press.form.requestSubmit(press.by);
}

function takePending(): Press | null {
  const press = pending;
  pending = null;
  listening.abort();
  return press;
}

/** Buttons are equal if value and text are equal. If two match, the choice is unknown. */
function sameButton(page: ParentNode, button: HTMLButtonElement): HTMLButtonElement | null {
  if (button.isConnected) return button;
  const same = [...page.querySelectorAll('button')].filter(
    (other) => other.type === button.type && other.value === button.value && wordsOf(other) === wordsOf(button),
  );
  return same.length === 1 ? (same[0] ?? null) : null;
}

function wordsOf(button: HTMLButtonElement): string {
  return button.getAttribute('aria-label') ?? button.textContent;
}
