import { render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { Menu } from '#web/components/ui/menu.tsx';

const chosen: string[] = [];
const items = ['Account', 'Privacy', 'Paper', 'Log out'].map((label) => ({
  label,
  onSelect: () => chosen.push(label),
  staysOpen: label === 'Paper',
}));

function showMenu(): HTMLElement {
  chosen.length = 0;
  render(
    <>
      <Menu button="Sam" head="sam@ashworth.example" items={items} />
      <button type="button">NewAddressDelivery</button>
    </>,
  );
  return screen.getByRole('button', { name: 'Sam' });
}

const focused = () => document.activeElement?.textContent;
const isOpen = () => screen.queryByRole('menu') !== null;

describe('a menu', () => {
  it('opens by a key on its first item, and is named by its button', async () => {
    const button = showMenu();
    expect(button.getAttribute('aria-expanded')).toBe('false');
    button.focus();
    await userEvent.keyboard('{Enter}');
    expect(screen.getByRole('menu', { name: 'Sam' })).toBeTruthy();
    expect(button.getAttribute('aria-expanded')).toBe('true');
    expect(focused()).toBe('Account');
  });

  it('is walked by arrows, Home, End and first letters, and its ends are ends', async () => {
    showMenu().focus();
    await userEvent.keyboard('{ArrowDown}{ArrowUp}');
    expect(focused()).toBe('Account');
    await userEvent.keyboard('p');
    expect(focused()).toBe('Privacy');
    await userEvent.keyboard('p');
    expect(focused()).toBe('Paper');
    await userEvent.keyboard('{End}{ArrowDown}');
    expect(focused()).toBe('Log out');
    await userEvent.keyboard('{Home}');
    expect(focused()).toBe('Account');
  });

  it('closes by Escape and gives the focus back, without choosing', async () => {
    const button = showMenu();
    button.focus();
    await userEvent.keyboard('{Enter}{Escape}');
    expect(isOpen()).toBe(false);
    expect(document.activeElement).toBe(button);
    expect(chosen).toEqual([]);
  });

  it('chooses by Enter and closes, unless the choice should stay visible', async () => {
    showMenu().focus();
    await userEvent.keyboard('{Enter}{ArrowDown}{ArrowDown}{Enter}');
    expect(chosen).toEqual(['Paper']);
    expect(isOpen()).toBe(true);
    await userEvent.keyboard('{ArrowDown}{Enter}');
    expect(chosen).toEqual(['Paper', 'Log out']);
    expect(isOpen()).toBe(false);
  });

  it('closes on a press elsewhere, and leaves the focus there', async () => {
    const button = showMenu();
    await userEvent.click(button);
    expect(isOpen()).toBe(true);
    await userEvent.click(screen.getByRole('button', { name: 'NewAddressDelivery' }));
    expect(isOpen()).toBe(false);
    expect(focused()).toBe('NewAddressDelivery');
  });

  it('closes by the button that opened it', async () => {
    const button = showMenu();
    await userEvent.click(button);
    await userEvent.click(button);
    expect(isOpen()).toBe(false);
  });
});
