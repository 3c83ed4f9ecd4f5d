import { Icon } from '#web/components/ui/icon.tsx';

export type FindProps = {
  open: () => void;
  /** The key that does the same; undefined if keys are off. */
  shortcut: string | undefined;
};

/** Opens the palette, and shows the key for it. */
export function FindButton({ open, shortcut }: FindProps) {
  return (
    <button
      type="button"
      className="find"
      aria-haspopup="dialog"
      aria-keyshortcuts={shortcut?.replace('⌘ ', 'Meta+').replace('Ctrl ', 'Control+')}
      onClick={({ currentTarget }) => {
        // Safari gives a button no focus when it is pressed, and the focus could not return to it.
        currentTarget.focus();
        open();
      }}
    >
      <Icon name="search" />
      <span className="find-word">Find</span>
      {shortcut ? (
        <span className="key" aria-hidden="true">
          {shortcut}
        </span>
      ) : null}
    </button>
  );
}

/** The room of that button, before scripts can open anything. */
export function FindSkeleton() {
  return <span className="find find-skel" aria-hidden="true" />;
}
