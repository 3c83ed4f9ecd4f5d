import { type ReactNode, useEffect, useId, useRef } from 'react';
import { Button } from '#web/components/ui/button.tsx';
import { Icon } from '#web/components/ui/icon.tsx';
import { addOpenDialog } from '#web/lib/open-dialogs.ts';

type DialogProps = {
  open: boolean;
  /** Asked for by Escape, the cross or a press outside; the owner decides and sets `open`. */
  onClose: () => void;
  title: ReactNode;
  children: ReactNode;
  /** `wide` for a form that is a page of its own. */
  size?: 'normal' | 'wide';
  role?: 'dialog' | 'alertdialog';
  /** False where a press beside the dialog could lose work. Escape and the cross remain. */
  closesOutside?: boolean;
};

/** First focus of a dialog: the marked element, or else its first field. */
const firstFocus = ['[data-focus-first]', '.dialog-body :is(input, select, textarea):not([type=hidden], :disabled)'];

/** A dialog on the element of that name: the browser keeps the focus inside, and the page behind it still. */
export function Dialog({ open, ...rest }: DialogProps) {
  return open ? <OpenDialog {...rest} /> : null;
}

function OpenDialog({
  onClose,
  title,
  children,
  size = 'normal',
  role = 'dialog',
  closesOutside = true,
}: Omit<DialogProps, 'open'>) {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();

  useEffect(() => {
    const dialog = ref.current;
    const opener = document.activeElement;
    if (dialog) show(dialog);
    const forget = dialog ? addOpenDialog(dialog) : undefined;
    // Left alone, the browser would start on the cross.
    const [first] = firstFocus.flatMap((selector) => dialog?.querySelector<HTMLElement>(selector) ?? []);
    first?.focus();
    return () => {
      forget?.();
      // React removes the element, and with it the browser's memory of where the focus was.
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a press outside is an extra way out; Escape is the keyboard's, through onCancel.
    <dialog
      ref={ref}
      className={size === 'wide' ? 'dialog-wide' : undefined}
      role={role}
      aria-labelledby={titleId}
      onCancel={(event) => {
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (closesOutside && event.target === event.currentTarget) onClose();
      }}
    >
      <div className="dialog-in">
        <div className="dialog-head">
          <h2 className="h-card" id={titleId}>
            {title}
          </h2>
          <button type="button" className="icon-btn" aria-label="Close" onClick={onClose}>
            <Icon name="close" />
          </button>
        </div>
        <div className="dialog-body">{children}</div>
      </div>
    </dialog>
  );
}

function show(dialog: HTMLDialogElement): void {
  // Browsers from before 2022 know the element but not its methods; there it is a panel in the page.
  if ('showModal' in dialog) dialog.showModal();
  else (dialog as HTMLElement).setAttribute('open', '');
}

type ConfirmDialogProps = {
  open: boolean;
  onClose: () => void;
  onConfirm: () => void;
  title: string;
  text: ReactNode;
  /** The verb and the thing: "Delete the message". While `busy`, give the words for that ("Deleting…"). */
  confirmLabel: string;
  cancelLabel?: string;
  busy?: boolean;
  danger?: boolean;
};

/** Asks before something is done. The focus starts on the safe answer. */
export function ConfirmDialog({
  open,
  onClose,
  onConfirm,
  title,
  text,
  confirmLabel,
  cancelLabel = 'Cancel',
  busy = false,
  danger = false,
}: ConfirmDialogProps) {
  return (
    <Dialog open={open} onClose={onClose} title={title} role="alertdialog">
      {typeof text === 'string' ? <p>{text}</p> : text}
      <div className="btns">
        <Button variant="secondary" onClick={onClose} data-focus-first="">
          {cancelLabel}
        </Button>
        <Button variant={danger ? 'danger' : 'primary'} busy={busy} onClick={onConfirm}>
          {confirmLabel}
        </Button>
      </div>
    </Dialog>
  );
}
