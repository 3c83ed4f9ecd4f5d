import { type FormEvent, useState } from 'react';
import { Button } from '#web/components/ui/button.tsx';
import { Dialog } from '#web/components/ui/dialog.tsx';
import { PasswordField } from '#web/components/ui/field.tsx';
import type { Act } from './use-act.ts';

/** Asks for the password before an act goes on; what was typed for the act itself stays where it is. */
export function PasswordDialog<Given>({ act }: { act: Act<Given> }) {
  return (
    <Dialog open={act.needsPassword} onClose={act.giveUp} title="Type your password to go on" closesOutside={false}>
      <PasswordForm error={act.passwordError} isBusy={act.isBusy} onGiven={act.givePassword} onBack={act.giveUp} />
    </Dialog>
  );
}

type PasswordFormProps = {
  error: string | undefined;
  isBusy: boolean;
  onGiven: (password: string) => void;
  onBack: () => void;
};

function PasswordForm({ error, isBusy, onGiven, onBack }: PasswordFormProps) {
  const [password, setPassword] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // In the document this form stands within another's dialog; its submission is no business of that one.
    event.stopPropagation();
    if (password !== '' && !isBusy) onGiven(password);
  };
  return (
    <form className="dialog-body" onSubmit={submit}>
      <p>You signed in more than ten minutes ago. We ask again, so that nobody can do this at a screen you left.</p>
      <PasswordField
        label="Password"
        autoComplete="current-password"
        value={password}
        onChange={(event) => setPassword(event.target.value)}
        error={error}
        data-focus-first=""
      />
      <div className="btns">
        <Button type="submit" disabled={password === ''} busy={isBusy}>
          {isBusy ? 'One moment…' : 'Go on'}
        </Button>
        <Button variant="secondary" onClick={onBack}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
