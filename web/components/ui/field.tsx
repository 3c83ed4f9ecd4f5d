import { type ComponentProps, type ReactNode, useId, useState } from 'react';
import { Icon } from '#web/components/ui/icon.tsx';

/** Attributes that tie a control to its label, hint and error. Spread them on the control. */
export type ControlProps = {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
};

type Words = { label: ReactNode; hint?: ReactNode; error?: string | undefined };

type FieldProps = Words & {
  /** True where the hint stands above the control, so that it is not below the fold of a tall one. */
  hintAbove?: boolean;
  children: (control: ControlProps) => ReactNode;
};

/** A labelled control with its hint and its error. The error says what to do. */
export function Field({ label, hint, error, hintAbove = false, children }: FieldProps) {
  const { control, hintId, errorId } = useControl({ hint, error });
  return (
    <div className="field">
      <label className="label" htmlFor={control.id}>
        {label}
      </label>
      {hintAbove ? <Hint id={hintId} hint={hint} /> : null}
      {children(control)}
      {hintAbove ? null : <Hint id={hintId} hint={hint} />}
      <FieldError id={errorId} error={error} />
    </div>
  );
}

type InputProps = Words & Omit<ComponentProps<'input'>, 'id' | 'children'>;

/** One line of text. Takes what `register` of react-hook-form gives. */
export function TextField({ label, hint, error, className, ...input }: InputProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => <input type="text" {...input} {...control} className={joined('input', className)} />}
    </Field>
  );
}

/** Several lines of text. */
export function TextAreaField({
  label,
  hint,
  error,
  className,
  ...input
}: Words & Omit<ComponentProps<'textarea'>, 'id' | 'children'>) {
  return (
    <Field label={label} hint={hint} error={error} hintAbove>
      {(control) => <textarea {...input} {...control} className={joined('input', className)} />}
    </Field>
  );
}

export type SelectOption = { value: string | number; label: string; disabled?: boolean };

/** A choice of one, drawn by us and opened by the system. */
export function SelectField({
  label,
  hint,
  error,
  options,
  className,
  ...input
}: Words & { options: readonly SelectOption[] } & Omit<ComponentProps<'select'>, 'id' | 'children'>) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <div className="select">
          <select {...input} {...control} className={joined('input', className)}>
            {options.map((option) => (
              <option key={option.value} value={option.value} disabled={option.disabled}>
                {option.label}
              </option>
            ))}
          </select>
          <Icon name="chevron-down" />
        </div>
      )}
    </Field>
  );
}

/** A password that its writer may look at. */
export function PasswordField({ label, hint, error, className, ...input }: Omit<InputProps, 'type'>) {
  const [isShown, setShown] = useState(false);
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <div className="pass">
          <input
            autoComplete="current-password"
            autoCapitalize="none"
            spellCheck={false}
            {...input}
            {...control}
            type={isShown ? 'text' : 'password'}
            className={joined('input', className)}
          />
          <button
            type="button"
            className="needs-scripts"
            aria-label={`${isShown ? 'Hide' : 'Show'} ${typeof label === 'string' ? label.toLowerCase() : 'password'}`}
            aria-controls={control.id}
            onClick={() => setShown(!isShown)}
          >
            {isShown ? 'Hide' : 'Show'}
          </button>
        </div>
      )}
    </Field>
  );
}

/** A box to tick, with its words beside it. Pass `type="radio"` for one of several. */
export function CheckboxField({ label, hint, error, ...input }: InputProps) {
  const { control, hintId, errorId } = useControl({ hint, error });
  return (
    <div className="field">
      <label className="box">
        <input type="checkbox" {...input} {...control} />
        <span>{label}</span>
      </label>
      <Hint id={hintId} hint={hint} />
      <FieldError id={errorId} error={error} />
    </div>
  );
}

/** The sentence below a control that is not right yet. */
export function FieldError({ id, error }: { id: string; error: string | undefined }) {
  if (!error) return null;
  return (
    <span className="err" id={id}>
      <Icon name="warning" />
      {error}
    </span>
  );
}

function Hint({ id, hint }: { id: string; hint: ReactNode }) {
  if (!hint) return null;
  return (
    <span className="hint" id={id}>
      {hint}
    </span>
  );
}

function useControl({ hint, error }: { hint: ReactNode; error: string | undefined }) {
  const id = useId();
  const hintId = `${id}-hint`;
  const errorId = `${id}-error`;
  const describedBy = [hint ? hintId : '', error ? errorId : ''].filter(Boolean).join(' ');
  const control: ControlProps = {
    id,
    'aria-describedby': describedBy || undefined,
    'aria-invalid': error ? true : undefined,
  };
  return { control, hintId, errorId };
}

function joined(...names: (string | undefined)[]): string {
  return names.filter(Boolean).join(' ');
}
