import { lazy, Suspense, useSyncExternalStore } from 'react';
import { createPortal } from 'react-dom';
import { Button } from '#web/components/ui/button.tsx';
import { onDialogsChange, uppermostDialog } from '#web/lib/open-dialogs.ts';
import { currentToasts, dismissToast, onToastsChange, type ToastEntry } from '#web/lib/toast.ts';

export { toast } from '#web/lib/toast.ts';

const none: readonly ToastEntry[] = [];
const ToastList = lazy(() =>
  import('./toast-list.tsx').then(
    (module) => ({ default: module.ToastList }),
    () => ({ default: PlainToasts }),
  ),
);

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

/** The notices if their list could not be fetched: the first notice often says that the connection failed. */
function PlainToasts({ entries }: { entries: readonly ToastEntry[] }) {
  // As in the list: a modal dialog covers whatever is outside of it.
  const dialog = useSyncExternalStore(onDialogsChange, uppermostDialog);
  const notices = (
    <ol className="toasts">
      {entries
        .filter(({ isOpen }) => isOpen)
        .map(({ id, title, description, variant, action }) => (
          <li key={id} className={variant === 'destructive' ? 'toast toast-bad' : 'toast'} role="alert">
            <div>
              <b>{title}</b>
              <div>{description}</div>
              {action ? (
                <Button variant="text" size="small" onClick={action.run}>
                  {action.label}
                </Button>
              ) : null}
            </div>
            <Button variant="text" size="small" onClick={() => dismissToast(id)}>
              Dismiss
            </Button>
          </li>
        ))}
    </ol>
  );
  return dialog ? createPortal(notices, dialog) : notices;
}
