import { type FormEvent, lazy, Suspense, useState } from 'react';
import { authenticatorCode } from '#shared/contract/fields.ts';
import type { RouteResult } from '#shared/contract/route.ts';
import { confirmAuthenticator, type startAuthenticator } from '#shared/contract/second-factors.ts';
import { NotConfirmedError } from '#web/components/fresh-sign-in/not-confirmed.ts';
import type { FreshSignIn } from '#web/components/fresh-sign-in/use-fresh-sign-in.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { Dialog } from '#web/components/ui/dialog.tsx';
import { TextField } from '#web/components/ui/field.tsx';
import { messageOf } from '#web/features/accounts/sign-in.ts';
import { useChange } from '#web/lib/api/changes.ts';

const QrCode = lazy(() =>
  import('./qr-code.tsx').then(
    ({ QrCode: Drawn }) => ({ default: Drawn }),
    () => ({ default: CodeNotLoaded }),
  ),
);

type AuthenticatorDialogProps = {
  setup: RouteResult<typeof startAuthenticator>;
  /** Asks for the identity again after ten minutes. */
  confirmed: FreshSignIn['run'];
  onClose: () => void;
  /** With the recovery codes, where these are the first. */
  onDone: (recoveryCodes: string[] | null) => void;
};

/** Scan, or type the secret; then the first code proves that the app has it. */
export function AuthenticatorDialog({ setup, confirmed, onClose, onDone }: AuthenticatorDialogProps) {
  const [code, setCode] = useState('');
  const [problem, setProblem] = useState<string>();
  const confirm = useChange(confirmAuthenticator, {
    through: confirmed,
    onSuccess: ({ recoveryCodes }) => onDone(recoveryCodes),
    onError: (error) => setProblem(error instanceof NotConfirmedError ? undefined : messageOf(error)),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const checked = authenticatorCode.safeParse(code);
    setProblem(checked.error?.issues[0]?.message);
    if (checked.success && !confirm.isPending) confirm.mutate({ body: { code } });
  };
  return (
    <Dialog open onClose={onClose} title="Set up an authenticator app" closesOutside={false}>
      <ol className="steps">
        <li>
          Open an authenticator app on your phone and scan this code.
          <Suspense fallback={<div className="qr" />}>
            <QrCode text={setup.uri} label="The code for your authenticator app" />
          </Suspense>
          <details className="opens">
            <summary>You can’t scan it?</summary>
            <p>Type this into the app instead. It is as secret as a password.</p>
            <p className="secret-text">{setup.secret}</p>
          </details>
        </li>
        <li>Type the six digits that the app shows now.</li>
      </ol>
      <form className="form" noValidate onSubmit={submit}>
        <TextField
          label="Code from the app"
          className="code"
          inputMode="numeric"
          autoComplete="one-time-code"
          data-focus-first=""
          value={code}
          error={problem}
          onChange={(event) => setCode(event.target.value)}
        />
        <Button type="submit" busy={confirm.isPending}>
          {confirm.isPending ? 'Checking…' : 'Turn it on'}
        </Button>
      </form>
    </Dialog>
  );
}

function CodeNotLoaded() {
  return <p role="alert">The code could not be loaded. Type the key below into the app instead.</p>;
}
