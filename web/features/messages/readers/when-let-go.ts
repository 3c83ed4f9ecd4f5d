import { useCallback, useEffect, useRef } from 'react';

/**
 * Gives what runs an act once nothing is being pressed: what appears under a pointer that is down moves the button away
 * that was meant.
 */
export function useWhenLetGo(): (act: () => void) => void {
  const isDown = useRef(false);
  useEffect(() => {
    const press = () => {
      isDown.current = true;
    };
    const letGo = () => {
      isDown.current = false;
    };
    addEventListener('pointerdown', press, true);
    addEventListener('pointerup', letGo, true);
    addEventListener('pointercancel', letGo, true);
    return () => {
      removeEventListener('pointerdown', press, true);
      removeEventListener('pointerup', letGo, true);
      removeEventListener('pointercancel', letGo, true);
    };
  }, []);
  return useCallback((act) => {
    if (!isDown.current) return act();
    // The press itself follows in the same turn.
    addEventListener('pointerup', () => setTimeout(act), { once: true });
  }, []);
}
