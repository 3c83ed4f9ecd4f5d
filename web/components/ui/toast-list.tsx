import { Toast } from 'radix-ui';
import { Icon } from '#web/components/ui/icon.tsx';
import { dismissToast, type ToastEntry, toastDisplayMs } from '#web/lib/toast.ts';

/** The notices themselves, bottom left. Each stays while it is pointed at or holds the focus. */
export function ToastList({ entries }: { entries: readonly ToastEntry[] }) {
  return (
    <Toast.Provider duration={toastDisplayMs} label="Notice" swipeDirection="left">
      {entries.map((entry) => (
        <ToastItem key={entry.id} entry={entry} />
      ))}
      <Toast.Viewport className="toasts" label="Notices ({hotkey})" />
    </Toast.Provider>
  );
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
      <Toast.Close className="icon-btn" aria-label="Close">
        <Icon name="close" />
      </Toast.Close>
    </Toast.Root>
  );
}
