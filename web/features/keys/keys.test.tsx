import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { App } from '#web/app.tsx';
import { queryClient } from '#web/lib/api/query.ts';
import { idOf } from '#web/pages/pages.test-world.tsx';
import { messageOf, ok, type Service, startVault } from '#web/pages/vault/vault.test-world.ts';
// Fetched when they are wanted: there already, so that no test waits for them.
import './key-dialogs.tsx';
import './keys.tsx';
import { turnKeys } from './keys-choice.ts';

let service: Service;
beforeEach(() => {
  service = startVault();
  service.answers['GET /api/documents'] = ok([]);
});
afterEach(() => {
  cleanup();
  service.stop();
  queryClient.clear();
  turnKeys(true);
  history.replaceState(null, '', '/');
});

async function openAt(path: string, heading: string) {
  history.replaceState(null, '', path);
  render(<App />);
  await screen.findByRole('heading', { level: 1, name: heading });
  await screen.findAllByRole('button', { name: /^Find/ });
}
const openMessages = async () => {
  await openAt('/messages', 'Messages');
  await screen.findByText('1 Message');
};
/** Opens it by its key from wherever the focus is. */
async function openPalette() {
  await userEvent.keyboard('{Control>}k{/Control}');
  return screen.findByRole('combobox', { name: 'Page, action, letter, document or contact' });
}
const active = (field: HTMLElement) => document.getElementById(field.getAttribute('aria-activedescendant') ?? '');
/** Content of the palette only, since the page has other listboxes. */
const palette = () => within(screen.getByRole('dialog', { name: 'Find' }));
const options = () =>
  palette()
    .queryAllByRole('option')
    .map((option) => option.textContent);

describe('the palette', () => {
  it('is a combobox with a list in a dialog, and its first result is active', async () => {
    await openMessages();
    const field = await openPalette();
    expect(screen.getByRole('dialog', { name: 'Find' })).toBeDefined();
    expect(document.activeElement).toBe(field);
    expect(field.getAttribute('aria-expanded')).toBe('true');
    expect(document.getElementById(field.getAttribute('aria-controls') ?? '')?.getAttribute('role')).toBe('listbox');
    expect(active(field)?.textContent).toContain('Write a letter');
    expect(active(field)?.getAttribute('aria-selected')).toBe('true');
  });

  it('moves by arrows, Home and End, round both ends', async () => {
    await openMessages();
    const field = await openPalette();
    const all = palette().getAllByRole('option');
    await userEvent.keyboard('{ArrowDown}');
    expect(active(field)).toBe(all[1]);
    await userEvent.keyboard('{End}');
    expect(active(field)).toBe(all.at(-1));
    await userEvent.keyboard('{ArrowDown}');
    expect(active(field)).toBe(all[0]);
    await userEvent.keyboard('{ArrowUp}');
    expect(active(field)).toBe(all.at(-1));
    await userEvent.keyboard('{Home}');
    expect(active(field)).toBe(all[0]);
  });

  it('says the number of results, and has no list if there are none', async () => {
    await openMessages();
    const field = await openPalette();
    const status = palette().getByRole('status');
    await userEvent.type(field, 'rehearsal');
    expect(status.textContent).toBe('3 results');
    expect(options()).toEqual(['Rehearsal', 'Search documents for “rehearsal”', 'Search contacts for “rehearsal”']);
    queryClient.setQueryData(['/api/documents/page'], { documents: [], found: 0, all: 0, order: '', next: null });
    queryClient.setQueryData(['/api/trusted-contacts'], []);
    await userEvent.clear(field);
    await userEvent.type(field, 'no such thing');
    expect(status.textContent).toBe('Nothing was found. Try fewer or other words.');
    expect(field.getAttribute('aria-expanded')).toBe('false');
    expect(field.hasAttribute('aria-activedescendant')).toBe(false);
  });

  it('finds a letter by its title and opens it, and fetches no list', async () => {
    service.answers['GET /api/messages'] = ok([messageOf({ id: idOf(11), title: 'Où est la clé' })]);
    await openMessages();
    const before = service.calls.length;
    await userEvent.type(await openPalette(), 'cle ou');
    expect(options()[0]).toContain('Où est la clé');
    expect(service.calls.length).toBe(before);
    await userEvent.keyboard('{Enter}');
    expect((await screen.findByLabelText<HTMLInputElement>('Message Title *')).value).toBe('Où est la clé');
  });

  it('offers a search of a list that the browser does not have, and fills that page’s field', async () => {
    await openMessages();
    await userEvent.type(await openPalette(), 'priya contacts');
    await userEvent.keyboard('{End}{Enter}');
    const search = await screen.findByRole<HTMLInputElement>('searchbox', { name: 'Search contacts' });
    await waitFor(() => expect(search.value).toBe('priya contacts'));
    expect(location.search).toBe('');
  });

  it('offers a search of the letters if the browser has a part of them', async () => {
    const many = Array.from({ length: 51 }, (_, index) =>
      messageOf({ id: idOf(200 + index), title: `Letter ${index}` }),
    );
    service.answers['GET /api/messages'] = ok(many);
    await openAt('/messages', 'Messages');
    await screen.findByText('51 Messages');
    await userEvent.type(await openPalette(), 'letter 50');
    expect(options()).toContain('Search messages for “letter 50”');
  });

  it('never checks in: it shows where the owner presses', async () => {
    await openAt('/', 'Dashboard');
    await userEvent.type(await openPalette(), 'still here');
    await userEvent.keyboard('{Enter}');
    await waitFor(() => expect(document.activeElement?.textContent).toBe('Check In'));
    expect(service.calls.every(({ key }) => key.startsWith('GET '))).toBe(true);
  });

  it('gives the focus back when it closes', async () => {
    await openMessages();
    const button = screen.getAllByRole('button', { name: /^Find/ })[0] as HTMLElement;
    await userEvent.click(button);
    const dialog = await screen.findByRole('dialog', { name: 'Find' });
    fireEvent(dialog, new Event('cancel', { cancelable: true }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(document.activeElement).toBe(button);
  });

  it('opens from the menu of a phone, and gives the focus back to what opens the menu', async () => {
    await openMessages();
    const summary = screen.getByText('Menu');
    const menu = summary.closest('details') as HTMLDetailsElement;
    menu.open = true;
    await userEvent.click(within(menu).getByRole('button', { name: /^Find/ }));
    const dialog = await screen.findByRole('dialog', { name: 'Find' });
    expect(menu.open).toBe(false);
    fireEvent(dialog, new Event('cancel', { cancelable: true }));
    await waitFor(() => expect(document.activeElement).toBe(summary));
  });
});

describe('a key of the vault', () => {
  it('n opens a new letter from any page', async () => {
    await openAt('/contacts', 'Trusted Contacts');
    await userEvent.keyboard('n');
    await screen.findByLabelText('Message Title *');
    expect(location.pathname).toBe('/messages');
  });

  it('? lists the keys, and they do nothing while the list is open', async () => {
    await openMessages();
    await userEvent.keyboard('?');
    const dialog = await screen.findByRole('dialog', { name: 'Keys' });
    expect(within(dialog).getByText('Write a new letter')).toBeDefined();
    await userEvent.keyboard('n');
    expect(screen.queryByLabelText('Message Title *')).toBeNull();
  });

  it('/ goes to the search of the page, or opens the palette on a page without one', async () => {
    await openMessages();
    await userEvent.keyboard('/');
    expect(document.activeElement).toBe(screen.getByRole('searchbox', { name: 'Search messages' }));
    cleanup();
    await openAt('/', 'Dashboard');
    await userEvent.keyboard('/');
    await screen.findByRole('dialog', { name: 'Find' });
  });

  it.each([
    '<input>',
    '<input type="checkbox">',
    '<textarea></textarea>',
    '<select></select>',
    '<div contenteditable="true" tabindex="0"></div>',
    '<div role="textbox" tabindex="0"></div>',
    '<div role="combobox" tabindex="0"></div>',
    '<div role="menu"><button role="menuitem">Log out</button></div>',
  ])('does nothing in %s', async (html) => {
    await openMessages();
    const place = document.createElement('div');
    place.innerHTML = html;
    document.body.append(place);
    const field = place.querySelector<HTMLElement>('input, textarea, select, button, [tabindex]') as HTMLElement;
    field.focus();
    for (const key of ['n', '?', '/']) fireEvent.keyDown(field, { key });
    fireEvent.keyDown(field, { key: 'k', ctrlKey: true });
    await userEvent.setup().keyboard('{F2}');
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(document.activeElement).toBe(field);
    place.remove();
  });

  it.each([
    { key: 'n', ctrlKey: true },
    { key: 'n', metaKey: true },
    { key: 'n', altKey: true },
    { key: 'N', shiftKey: true },
    { key: 'k', metaKey: true },
    { key: 'K', ctrlKey: true, shiftKey: true },
    { key: 'k' },
    { key: 'n', repeat: true },
  ])('does nothing as %o, with other modifiers or held down', async (press) => {
    await openMessages();
    expect(fireEvent.keyDown(document.body, press)).toBe(true);
  });

  it('does nothing on a visitor’s page', async () => {
    service.answers['GET /api/auth/user'] = { status: 401, body: { message: 'Please sign in' } };
    history.replaceState(null, '', '/faq');
    render(<App />);
    await screen.findByRole('heading', { level: 1 });
    expect(fireEvent.keyDown(document.body, { key: '/' })).toBe(true);
    expect(fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true })).toBe(true);
  });
});

describe('keys that are turned off', () => {
  it('do nothing, Ctrl K among them, and Find still opens the palette without a key beside it', async () => {
    await openMessages();
    const button = screen.getAllByRole('button', { name: /^Find/ })[0] as HTMLElement;
    expect(button.textContent).toContain('Ctrl K');
    await userEvent.keyboard('?');
    await userEvent.click(await screen.findByRole('checkbox', { name: 'Use these keys' }));
    fireEvent(screen.getByRole('dialog', { name: 'Keys' }), new Event('cancel', { cancelable: true }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    for (const press of [{ key: 'n' }, { key: '?' }, { key: '/' }, { key: 'k', ctrlKey: true }]) {
      expect(fireEvent.keyDown(document.body, press)).toBe(true);
    }
    expect(button.textContent).toBe('Find');
    expect(button.hasAttribute('aria-keyshortcuts')).toBe(false);
    await userEvent.click(button);
    await screen.findByRole('dialog', { name: 'Find' });
  });

  it('stay off in the next visit', async () => {
    turnKeys(false);
    expect(localStorage.getItem('everkept-keys-off')).toBe('yes');
    await openMessages();
    expect(fireEvent.keyDown(document.body, { key: 'n' })).toBe(true);
  });
});
