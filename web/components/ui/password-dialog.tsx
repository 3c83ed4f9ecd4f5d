import { type FormEvent, type ReactNode, useState } from 'react';
import { Button } from '#web/components/ui/button.tsx';
import { Dialog } from '#web/components/ui/dialog.tsx';
import { PasswordField } from '#web/components/ui/field.tsx';

type PasswordDialogProps = {
  open: boolean;
  onClose: () => void;
  onGiven: (password: string) => void;
  /** What is wrong with the password that was given. */
  error: string | undefined;
  busy: boolean;
  /** The verb and the thing: "Go on with the export". */
  goLabel: string;
  children?: ReactNode;
};

/** Asks for the password once more, before what a screen left open must not be enough for. */
export function PasswordDialog({ open, onClose, ...rest }: PasswordDialogProps) {
  return (
    <Dialog open={open} onClose={onClose} title="Type your password to go on">
      <PasswordForm onBack={onClose} {...rest} />
    </Dialog>
  );
}

type PasswordFormProps = Omit<PasswordDialogProps, 'open' | 'onClose'> & { onBack: () => void };

function PasswordForm({ onBack, onGiven, error, busy, goLabel, children }: PasswordFormProps) {
  const [password, setPassword] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (password !== '' && !busy) onGiven(password);
  };
  return (
    <form className="dialog-body" onSubmit={submit}>
      <p>You signed in more than ten minutes ago. We ask again, so that nobody can do this at a screen you left.</p>
      {children}
      <PasswordField
        label="Password"
        value={password}
        onChange={(event) => setPassword(event.target.value)}
        error={error}
        data-focus-first=""
      />
      <div className="btns">
        <Button variant="secondary" onClick={onBack}>
          Cancel
        </Button>
        <Button type="submit" disabled={password === ''} busy={busy}>
          {goLabel}
        </Button>
      </div>
    </form>
  );
}
