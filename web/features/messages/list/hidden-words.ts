import { useState } from 'react';

const key = 'everkept-hide-words';

/** True if the list hides the words of letters, for a screen that others see too. Remembered on this device. */
export function useHiddenWords(): [isHidden: boolean, hide: (isHidden: boolean) => void] {
  const [isHidden, setHidden] = useState(wasHidden);
  const hide = (next: boolean) => {
    setHidden(next);
    try {
      if (next) localStorage.setItem(key, 'yes');
      else localStorage.removeItem(key);
    } catch {
      // Without storage the choice holds until the page is left.
    }
  };
  return [isHidden, hide];
}

function wasHidden(): boolean {
  try {
    return localStorage.getItem(key) !== null;
  } catch {
    return false;
  }
}
