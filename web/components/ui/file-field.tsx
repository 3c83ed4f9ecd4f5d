import { type ChangeEvent, type ReactNode, useId, useRef, useState } from 'react';
import { FieldError } from '#web/components/ui/field.tsx';
import { Icon } from '#web/components/ui/icon.tsx';
import { sizeAndKind } from '#web/lib/file-words.ts';
import './file-field.css';

/** Displayed file: one just chosen, or a stored one. */
export type ShownFile = { name: string; sizeBytes: number; mimeType: string };

type FileFieldProps = {
  label: ReactNode;
  hint?: ReactNode;
  error?: string | undefined;
  /** For the `accept` attribute. Files that are dropped may be others. */
  accept: string;
  file: ShownFile | undefined;
  /** Gives false where the file is refused, which empties the field. */
  onChoose: (file: File) => boolean;
  /** Given all where several are chosen or dropped at once; left out, there is room for one. */
  onSeveral?: (files: File[]) => void;
  onRemove: () => void;
  /** While it is being sent, it can't be changed. */
  locked?: boolean;
  required?: boolean;
};

/**
 * One file, chosen or dropped. The browser's own control covers the whole area invisibly, so that keyboard, screen
 * reader, press and drop all reach it.
 */
export function FileField({ label, hint, error, file, onRemove, locked = false, ...control }: FileFieldProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const remove = () => {
    if (input.current) {
      input.current.value = '';
      // The button that was pressed goes away, and the focus would go with it.
      input.current.focus();
    }
    onRemove();
  };
  const describedBy = [file && `${id}-file`, hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div className="field">
      <label className="label" htmlFor={id}>
        {label}
      </label>
      <Picker
        id={id}
        ref={input}
        describedBy={describedBy}
        isInvalid={error !== undefined}
        locked={locked}
        hasFile={file !== undefined}
        {...control}
      >
        <Icon name={file ? 'clip' : 'file-up'} />
        {file ? (
          <span className="pick-words" id={`${id}-file`}>
            <bdi>{file.name}</bdi>
            <small>{sizeAndKind(file)}</small>
          </span>
        ) : (
          <span className="pick-words">
            <span className="pick-verb">Choose a file</span>
            <small>{control.onSeveral ? 'or several, or drop them here' : 'or drop it here'}</small>
          </span>
        )}
        {file && !locked ? (
          <>
            <span className="pick-verb pick-again" aria-hidden="true">
              Replace
            </span>
            <button type="button" className="icon-btn" aria-label={`Remove ${file.name}`} onClick={remove}>
              <Icon name="close" />
            </button>
          </>
        ) : null}
      </Picker>
      {hint ? (
        <span className="hint" id={`${id}-hint`}>
          {hint}
        </span>
      ) : null}
      <div role="alert">
        <FieldError id={`${id}-error`} error={error} />
      </div>
    </div>
  );
}

type PickerProps = Pick<FileFieldProps, 'accept' | 'onChoose' | 'onSeveral' | 'required'> & {
  id: string;
  ref: React.RefObject<HTMLInputElement | null>;
  describedBy: string;
  isInvalid: boolean;
  locked: boolean;
  hasFile: boolean;
  children: ReactNode;
};

function Picker({ id, ref, describedBy, isInvalid, locked, hasFile, onChoose, onSeveral, ...rest }: PickerProps) {
  const { children, ...input } = rest;
  const [isOver, setOver] = useState(false);
  const choose = ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
    const [chosen, ...others] = currentTarget.files ?? [];
    if (chosen && others.length > 0 && onSeveral) return onSeveral([chosen, ...others]);
    // An empty choice is the system's Cancel: the present file stays.
    if (chosen && !onChoose(chosen)) currentTarget.value = '';
  };
  return (
    <div className={['att pick', isOver && 'is-over', !hasFile && 'is-bare'].filter(Boolean).join(' ')}>
      {/* First, so that the button to remove the file lies above it. */}
      <input
        {...input}
        type="file"
        multiple={onSeveral !== undefined}
        id={id}
        ref={ref}
        className="pick-input"
        aria-describedby={describedBy || undefined}
        aria-invalid={isInvalid || undefined}
        disabled={locked}
        onChange={choose}
        onDragEnter={() => setOver(true)}
        onDragLeave={() => setOver(false)}
        onDrop={() => setOver(false)}
      />
      {children}
    </div>
  );
}

type FileButtonProps = {
  /** For the `accept` attribute. */
  accept: string;
  /** True if several can be chosen at once. */
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
          // Allows choosing the same file again.
          currentTarget.value = '';
          if (chosen.length > 0) onChoose(chosen);
        }}
      />
      {children}
    </label>
  );
}
