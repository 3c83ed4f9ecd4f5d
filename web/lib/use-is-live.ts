import { useSyncExternalStore } from 'react';

const never = () => () => undefined;

/** True if scripts run: false on a page as the server has drawn it, whose forms the browser sends by itself. */
export function useIsLive(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}
