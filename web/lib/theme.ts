import { useSyncExternalStore } from 'react';
import { currentTheme, onThemeChange, saveTheme, type Theme } from '#web/lib/theme-store.ts';

/** The theme in use and a way to change it. The choice is kept under `theme` in local storage. */
export function useTheme(): { theme: Theme; toggle: () => void } {
  const theme = useSyncExternalStore<Theme>(onThemeChange, currentTheme, () => 'light');
  return { theme, toggle: () => saveTheme(currentTheme() === 'dark' ? 'light' : 'dark') };
}
