import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { holdPresses } from './lib/loading/pending-press.ts';
import { guardTranslatedPage } from './lib/translation-guard.ts';
import { takePlace } from './take-place.ts';

const form = '<main id="main"><input name="email"><input name="password" type="password"></main>';
const field = (name: string) => document.querySelector<HTMLInputElement>(`#root [name=${name}]`);
let plain: HTMLElement;

beforeEach(() => {
  document.body.innerHTML = `<div id="root">${form}</div>`;
  plain = document.querySelector('#root') as HTMLElement;
});

afterEach(() => {
  document.body.innerHTML = '';
  document.body.onsubmit = null;
});

test('the page stays until the application has one to show', async () => {
  let container: HTMLElement | undefined;
  const taken = vi.fn();
  const ending = takePlace(plain, (given) => {
    container = given;
    given.innerHTML = '<p>…</p>';
  }).then(taken);
  await Promise.resolve();
  expect(plain.isConnected).toBe(true);
  expect(container?.hidden).toBe(true);
  expect(taken).not.toHaveBeenCalled();
  (container as HTMLElement).innerHTML = form;
  await ending;
  expect(plain.isConnected).toBe(false);
  expect(document.querySelectorAll('#root')).toHaveLength(1);
  expect(container?.hidden).toBe(false);
});

test('typed text is there afterwards, reported as if it were typed, and the field keeps the focus', async () => {
  const [email, password] = [field('email'), field('password')];
  if (!email || !password) throw new Error('The page has no fields.');
  email.value = 'silas@family.example';
  password.value = 'pear tree';
  password.focus();
  const heard = vi.fn();
  await takePlace(plain, (container) => {
    container.addEventListener('input', ({ target }) => heard((target as HTMLInputElement).name));
    container.innerHTML = form;
  });
  expect([field('email')?.value, field('password')?.value]).toEqual(['silas@family.example', 'pear tree']);
  expect(heard.mock.calls.flat()).toEqual(['email', 'password']);
  expect(document.activeElement).toBe(field('password'));
});

test('a text of several lines that was typed is there afterwards', async () => {
  const area = '<main id="main"><textarea name="reason"></textarea></main>';
  plain.innerHTML = area;
  const reason = () => document.querySelector<HTMLTextAreaElement>('#root textarea');
  const before = reason();
  if (before) before.value = 'I was at the funeral.\nOn Monday.';
  await takePlace(plain, (container) => {
    container.innerHTML = area;
  });
  expect(reason()).not.toBe(before);
  expect(reason()?.value).toBe('I was at the funeral.\nOn Monday.');
});

test('the option that was chosen in a list is chosen afterwards, and the application hears of it', async () => {
  const list = '<main id="main"><select name="plan"><option>free</option><option>premium</option></select></main>';
  plain.innerHTML = list;
  const plan = () => document.querySelector<HTMLSelectElement>('#root select');
  const before = plan();
  if (before) before.value = 'premium';
  const heard = vi.fn();
  await takePlace(plain, (container) => {
    container.addEventListener('change', ({ target }) => heard((target as HTMLSelectElement).value));
    container.innerHTML = list;
  });
  expect(plan()).not.toBe(before);
  expect(plan()?.value).toBe('premium');
  expect(heard.mock.calls).toEqual([['premium']]);
});

test('a field in which nothing was typed stays as the application has it', async () => {
  await takePlace(plain, (container) => {
    container.innerHTML = form.replace('name="email"', 'name="email" value="silas@family.example"');
  });
  expect(field('email')?.value).toBe('silas@family.example');
  expect(document.activeElement).toBe(document.body);
});

test('a box that was unticked stays so, and a page that could not be shown takes no place', async () => {
  plain.dataset.entry = '/login';
  const box = (more: string) => `<main id="main" ${more}><input name="keep" type="checkbox" checked></main>`;
  plain.innerHTML = box('');
  const ticked = document.querySelector<HTMLInputElement>('#root [name=keep]');
  ticked?.click();
  let container: HTMLElement | undefined;
  const ending = takePlace(plain, (given) => {
    container = given;
    given.innerHTML = box('data-failed=""');
  });
  await Promise.resolve();
  expect(plain.isConnected).toBe(true);
  (container as HTMLElement).innerHTML = box('');
  await ending;
  expect(document.querySelector<HTMLInputElement>('#root [name=keep]')?.checked).toBe(false);
});

test('a link that has the keyboard’s focus keeps it, and so does the beginning of the page', async () => {
  const nav =
    '<nav><a href="/">Dashboard</a><a href="/documents">Documents</a></nav><main id="main" tabindex="-1"></main>';
  plain.innerHTML = nav;
  plain.querySelector<HTMLElement>('a[href="/documents"]')?.focus();
  await takePlace(plain, (container) => {
    container.innerHTML = `<a href="/documents">Elsewhere</a>${nav}`;
  });
  expect(document.activeElement?.textContent).toBe('Documents');

  const next = document.querySelector('#root') as HTMLElement;
  next.querySelector<HTMLElement>('#main')?.focus();
  await takePlace(next, (container) => {
    container.innerHTML = nav;
  });
  expect(document.activeElement).toBe(document.querySelector('#main'));
});

test('an open menu stays open, and so does the place of the focus', async () => {
  const page = (open: string) =>
    `<details class="menu"${open}><summary>Menu</summary><a href="/">Dashboard</a></details><main id="main"></main>`;
  plain.innerHTML = page(' open=""');
  plain.querySelector('summary')?.focus();
  await takePlace(plain, (container) => {
    container.innerHTML = page('');
  });
  const menu = document.querySelector<HTMLDetailsElement>('#root details');
  expect(menu?.open).toBe(true);
  expect(document.activeElement).toBe(menu?.querySelector('summary'));
});

test('the shape of a page gives way to whatever there is to say, but to no spinner', async () => {
  plain.innerHTML = '<main id="main" aria-busy="true"></main>';
  let container: HTMLElement | undefined;
  const ending = takePlace(plain, (given) => {
    container = given;
    given.innerHTML = '<main id="main" class="waiting">…</main>';
  });
  await Promise.resolve();
  expect(plain.isConnected).toBe(true);
  (container as HTMLElement).innerHTML = '<main id="main" data-failed="">Load the page again.</main>';
  await ending;
  expect(plain.isConnected).toBe(false);
});

test('a press on the way is done by the application, and nothing is posted', async () => {
  plain.innerHTML = `<main id="main"><form><input name="email"><button>Sign In</button></form><button type="button">Passkey</button></main>`;
  const shown = plain.innerHTML;
  for (const [press, done] of [
    [() => plain.querySelector<HTMLButtonElement>('form button')?.click(), 'submit silas'],
    [() => plain.querySelector<HTMLButtonElement>('button[type=button]')?.click(), 'click Passkey'],
  ] as const) {
    document.body.innerHTML = `<div id="root">${shown}</div>`;
    plain = document.querySelector('#root') as HTMLElement;
    holdPresses(plain);
    const posted = vi.fn();
    document.body.onsubmit = (event) => void (event.defaultPrevented || posted());
    const email = field('email');
    if (email) email.value = 'silas';
    press();
    const heard: string[] = [];
    await takePlace(plain, (container) => {
      container.addEventListener('submit', (event) => {
        event.preventDefault();
        heard.push(`submit ${container.querySelector<HTMLInputElement>('[name=email]')?.value}`);
      });
      container.addEventListener('click', ({ target }) => {
        const { type, textContent } = target as HTMLButtonElement;
        if (type === 'button') heard.push(`click ${textContent}`);
      });
      container.innerHTML = shown;
    });
    expect(heard).toEqual([done]);
    expect(posted).not.toHaveBeenCalled();
  }
});

test('a button that was pressed on a translated page is found by its original words', async () => {
  guardTranslatedPage();
  const shown = '<main id="main"><form><button>Sign In</button></form><form><button>Stop</button></form></main>';
  plain.innerHTML = shown;
  holdPresses(plain);
  const button = plain.querySelector('button');
  const translated = document.createElement('font');
  translated.textContent = 'Anmelden';
  button?.firstChild?.replaceWith(translated);
  button?.click();
  const submitted = vi.fn((event: Event) => event.preventDefault());
  await takePlace(plain, (container) => {
    container.addEventListener('submit', submitted);
    container.innerHTML = shown;
  });
  expect(submitted).toHaveBeenCalledTimes(1);
});
