import { Toast } from 'radix-ui';
import { useSyncExternalStore } from 'react';
import { createPortal } from 'react-dom';
import { Icon } from '#web/components/ui/icon.tsx';
import { onDialogsChange, uppermostDialog } from '#web/lib/open-dialogs.ts';
import { dismissToast, type ToastEntry, toastDisplayMs } from '#web/lib/toast.ts';

/** The notices themselves, bottom left. Each stays while it is pointed at or holds the focus. */
export function ToastList({ entries }: { entries: readonly ToastEntry[] }) {
  return (
    <Toast.Provider duration={toastDisplayMs} label="Notice" swipeDirection="left">
      {entries.map((entry) => (
        <ToastItem key={entry.id} entry={entry} />
      ))}
      <Place />
    </Toast.Provider>
  );
}

/** A modal dialog covers and silences whatever is outside of it, so while one is open, the notices stand in it. */
function Place() {
  const dialog = useSyncExternalStore(onDialogsChange, uppermostDialog);
  const place = <Toast.Viewport className="toasts" label="Notices ({hotkey})" />;
  return dialog ? createPortal(place, dialog) : place;
}

function ToastItem({ entry }: { entry: ToastEntry }) {
  const isBad = entry.variant === 'destructive';
  return (
    <Toast.Root
      className={isBad ? 'toast toast-bad' : 'toast'}
      open={entry.isOpen}
      type={isBad ? 'foreground' : 'background'}
      onOpenChange={(isOpen) => {
        if (!isOpen) dismissToast(entry.id);
      }}
    >
      <Icon name={isBad ? 'warning' : 'check'} />
      <div>
        <Toast.Title asChild>
          <b>{entry.title}</b>
        </Toast.Title>
        {entry.description === undefined ? null : <Toast.Description>{entry.description}</Toast.Description>}
      </div>
      <Toast.Close className="icon-btn" aria-label="Dismiss">
        <Icon name="close" />
      </Toast.Close>
    </Toast.Root>
  );
}
