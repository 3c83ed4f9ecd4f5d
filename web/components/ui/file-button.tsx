import type { ReactNode } from 'react';
import './file-field.css';

type FileButtonProps = {
  /** For the `accept` attribute. */
  accept: string;
  disabled: boolean;
  onChoose: (file: File) => void;
  children: ReactNode;
};

/** A button that asks for one file. The browser's own control lies unseen over it, so that the keyboard reaches it. */
export function FileButton({ accept, disabled, onChoose, children }: FileButtonProps) {
  return (
    <label className="btn btn-2 btn-small file-button">
      <input
        type="file"
        className="pick-input"
        accept={accept}
        disabled={disabled}
        onChange={({ currentTarget }) => {
          const chosen = currentTarget.files?.[0];
          // So that the same file can be chosen once more.
          currentTarget.value = '';
          if (chosen) onChoose(chosen);
        }}
      />
      {children}
    </label>
  );
}
