import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { onFirstUse } from '#web/lib/loading/first-use.ts';

const markup = `
  <p id="words">Words</p>
  <form><textarea name="reason"></textarea><button name="answer" value="yes">Confirm</button><button name="answer" value="no">Cancel</button></form>
  <button type="button">Print</button>`;
let page: HTMLElement;
let loads: number;
let finish: () => void;
let fail: () => void;
/** Actions of the page once its scripts ran. */
const done: string[] = [];
/** Forms that the browser would have posted. */
const posted: string[] = [];

const named = (name: string) => {
  const found = [...page.querySelectorAll('button')].find(({ textContent }) => textContent === name);
  if (!found) throw new Error(`There is no ${name}.`);
  return found;
};
const pressOf = ({ submitter }: SubmitEvent) => submitter?.textContent ?? 'none';
const settled = () => new Promise((resolve) => setTimeout(resolve));
const postByBrowser = (event: SubmitEvent) => {
  if (!event.defaultPrevented) posted.push(pressOf(event));
  event.preventDefault();
};

function begin(): void {
  onFirstUse(page, () => {
    loads += 1;
    return new Promise<void>((resolve, reject) => {
      finish = () => {
        page.addEventListener('submit', (event) => {
          event.preventDefault();
          done.push(pressOf(event));
        });
        page.addEventListener('click', ({ target }) => {
          if ((target as HTMLElement).textContent === 'Print') done.push('Print');
        });
        resolve();
      };
      fail = () => reject(new Error('The connection was lost.'));
    });
  });
}

beforeEach(() => {
  document.body.innerHTML = `<div id="root">${markup}</div>`;
  page = document.getElementById('root') as HTMLElement;
  loads = 0;
  // Behind everything that the page listens with, as the browser is.
  addEventListener('submit', postByBrowser);
  begin();
});

afterEach(() => {
  removeEventListener('submit', postByBrowser);
  vi.useRealTimers();
  document.body.innerHTML = '';
  done.length = 0;
  posted.length = 0;
});

describe('a page that works without scripts', () => {
  it('loads none for a reader', async () => {
    await userEvent.hover(document.getElementById('words') as HTMLElement);
    await userEvent.click(document.getElementById('words') as HTMLElement);
    expect(loads).toBe(0);
  });

  it('loads them once, when the pointer or the keyboard reaches a control', async () => {
    await userEvent.tab();
    await userEvent.hover(named('Confirm'));
    expect(loads).toBe(1);
  });

  it('repeats an early press with scripts, by the pressed button, and once', async () => {
    await userEvent.click(named('Cancel'));
    expect([done, posted]).toEqual([[], []]);
    finish();
    await settled();
    expect([done, posted]).toEqual([['Cancel'], []]);
    await userEvent.click(named('Confirm'));
    expect([done, posted]).toEqual([['Cancel', 'Confirm'], []]);
  });

  it('keeps the press of a button that only scripts answer', async () => {
    await userEvent.click(named('Print'));
    expect(done).toEqual([]);
    finish();
    await settled();
    expect(done).toEqual(['Print']);
  });

  it('leaves an early press to the browser if the scripts do not come', async () => {
    await userEvent.click(named('Confirm'));
    fail();
    await settled();
    expect([done, posted]).toEqual([[], ['Confirm']]);
  });

  it('tries again with the next touch', async () => {
    await userEvent.hover(named('Confirm'));
    fail();
    await settled();
    await userEvent.click(named('Cancel'));
    expect(loads).toBe(2);
    finish();
    await settled();
    expect([done, posted]).toEqual([['Cancel'], []]);
  });

  it('gives no other answer than the pressed one if the page is drawn again', async () => {
    await userEvent.click(named('Cancel'));
    page.innerHTML = markup;
    finish();
    await settled();
    expect(done).toEqual(['Cancel']);
  });

  it('does nothing where that answer is not there any more', async () => {
    await userEvent.click(named('Cancel'));
    page.innerHTML = '<form><button name="answer" value="yes">Confirm</button></form>';
    finish();
    await settled();
    expect([done, posted]).toEqual([[], []]);
  });

  it('waits for them no longer than ten seconds', async () => {
    vi.useFakeTimers();
    named('Confirm').click();
    vi.advanceTimersByTime(9_000);
    expect(posted).toEqual([]);
    vi.advanceTimersByTime(2_000);
    expect(posted).toEqual(['Confirm']);
  });

  it('posts by itself, at once, what leads to another page with scripts too', async () => {
    document.querySelector('form')?.setAttribute('data-posted-by', 'browser');
    await userEvent.click(named('Confirm'));
    expect(posted).toEqual(['Confirm']);
  });

  it.each([
    ['asks something', '<form><textarea name="reason"></textarea></form>', 1],
    ['holds a voice', '<audio controls></audio>', 1],
    ['opens by a passphrase', '<input name="letter-passphrase">', 1],
    ['is only to be read', '<p>Words</p><form data-posted-by="browser"><button>Open it</button></form>', 0],
  ])('that %s gets its scripts as soon as it is there, or not', async (_what, content, loaded) => {
    page.innerHTML = content;
    const load = vi.fn(() => new Promise<void>(() => undefined));
    onFirstUse(page, load);
    expect(load).not.toHaveBeenCalled();
    document.dispatchEvent(new Event('DOMContentLoaded'));
    await settled();
    expect(load).toHaveBeenCalledTimes(loaded);
  });
});
