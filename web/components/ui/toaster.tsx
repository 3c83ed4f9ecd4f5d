import { lazy, Suspense, useSyncExternalStore } from 'react';
import { currentToasts, onToastsChange, type ToastEntry } from '#web/lib/toast.ts';

export { toast } from '#web/lib/toast.ts';

const none: readonly ToastEntry[] = [];
const ToastList = lazy(() => import('./toast-list.tsx').then((module) => ({ default: module.ToastList })));

/** Shows the notices raised with `toast`. What draws them is fetched with the first one. */
export function Toaster() {
  const entries = useSyncExternalStore(onToastsChange, currentToasts, () => none);
  if (entries.length === 0) return null;
  return (
    <Suspense fallback={null}>
      <ToastList entries={entries} />
    </Suspense>
  );
}
