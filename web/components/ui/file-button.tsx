import type { ReactNode } from 'react';
import './file-field.css';

type FileButtonProps = {
  /** For the `accept` attribute. */
  accept: string;
  /** Whether several can be chosen at once. */
  multiple?: boolean;
  disabled: boolean;
  onChoose: (files: File[]) => void;
  children: ReactNode;
};

/** A button that asks for a file, or for several. The browser's own control lies unseen over it, so that the keyboard reaches it. */
export function FileButton({ accept, multiple = false, disabled, onChoose, children }: FileButtonProps) {
  return (
    <label className="btn btn-2 btn-small file-button">
      <input
        type="file"
        className="pick-input"
        accept={accept}
        multiple={multiple}
        disabled={disabled}
        onChange={({ currentTarget }) => {
          const chosen = [...(currentTarget.files ?? [])];
          // So that the same file can be chosen once more.
          currentTarget.value = '';
          if (chosen.length > 0) onChoose(chosen);
        }}
      />
      {children}
    </label>
  );
}
