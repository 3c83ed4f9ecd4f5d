export type Theme = 'light' | 'dark';

const storageKey = 'theme';
const listeners = new Set<() => void>();

/** Sets and keeps a theme. */
export function saveTheme(theme: Theme): void {
  showTheme(theme);
  try {
    localStorage.setItem(storageKey, theme);
  } catch {
    // Storage may be switched off; the choice then holds until the page is left.
  }
}

/** Follows the system until the person chooses. The page's head sets the first theme before painting. */
export function followSystemTheme(): void {
  const system = matchMedia('(prefers-color-scheme: dark)');
  system.addEventListener('change', () => {
    if (savedTheme() === null) showTheme(system.matches ? 'dark' : 'light');
  });
}

function showTheme(theme: Theme): void {
  const { classList } = document.documentElement;
  classList.toggle('dark', theme === 'dark');
  classList.toggle('light', theme === 'light');
  for (const listener of listeners) listener();
}

function savedTheme(): string | null {
  try {
    return localStorage.getItem(storageKey);
  } catch {
    // As above: without storage there is no saved choice.
    return null;
  }
}

/** The theme in use. */
export function currentTheme(): Theme {
  return document.documentElement.classList.contains('dark') ? 'dark' : 'light';
}

/** Calls `listener` after each change; gives what stops that. */
export function onThemeChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
