import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useRef, useState } from 'react';
import { reauthenticate } from '#shared/contract/accounts.ts';
import { askReauthenticationPasskey, reauthenticateWithPasskey } from '#shared/contract/second-factors.ts';
import { Button } from '#web/components/ui/button.tsx';
import { Dialog } from '#web/components/ui/dialog.tsx';
import { FieldError, PasswordField } from '#web/components/ui/field.tsx';
import { ApiError, call } from '#web/lib/api.ts';
import { toast } from '#web/lib/toast.ts';
import { answerWithPasskey, knowsPasskeys, passkeyFailure } from './passkeys.ts';
import { messageOf } from './sign-in.ts';

/** With what somebody can prove that it is they. */
export type Proofs = { hasPassword: boolean; hasPasskey: boolean };

type Act = () => Promise<void>;

/**
 * Does what may ask for a fresh sign-in: where the service wants one, the person is asked, and the act is done then.
 * Show `dialog` on the page.
 */
export function useFreshSignIn(proofs: Proofs): { run: (act: Act) => Promise<void>; dialog: ReactNode } {
  const waiting = useRef<Act>(undefined);
  const [isAsking, setAsking] = useState(false);

  async function run(act: Act): Promise<void> {
    try {
      await act();
    } catch (error) {
      if (error instanceof ApiError && error.type === 'REAUTHENTICATION_REQUIRED') {
        waiting.current = act;
        return setAsking(true);
      }
      const description = passkeyFailure(error);
      if (description) toast({ title: 'That did not work', description, variant: 'destructive' });
    }
  }

  const dialog = isAsking ? (
    <ConfirmIdentity
      proofs={proofs}
      onClose={() => setAsking(false)}
      onProved={() => {
        setAsking(false);
        const act = waiting.current;
        if (act) run(act);
      }}
    />
  ) : null;
  return { run, dialog };
}

type ConfirmIdentityProps = { proofs: Proofs; onProved: () => void; onClose: () => void };

function ConfirmIdentity({ proofs: { hasPassword, hasPasskey }, onProved, onClose }: ConfirmIdentityProps) {
  const client = useQueryClient();
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const canUsePasskey = hasPasskey && knowsPasskeys();

  async function prove(how: Act, words: (error: unknown) => string | null): Promise<void> {
    if (isBusy) return;
    setBusy(true);
    setProblem(undefined);
    try {
      // The session gets a new cookie; a question that is still under way would come back as that of a stranger.
      await client.cancelQueries();
      await how();
      onProved();
    } catch (error) {
      setProblem(words(error) ?? undefined);
    } finally {
      setBusy(false);
    }
  }

  const withPassword = (event: FormEvent) => {
    event.preventDefault();
    prove(async () => void (await call(reauthenticate, { body: { password } })), messageOf);
  };
  const withPasskey = () =>
    prove(async () => {
      const answer = await answerWithPasskey(await call(askReauthenticationPasskey));
      await call(reauthenticateWithPasskey, { body: answer });
    }, passkeyFailure);

  return (
    <Dialog open onClose={onClose} title="Confirm that it is you">
      <p>This changes who can open your vault, so we ask once more. It holds for ten minutes.</p>
      {hasPassword ? (
        <form className="form" noValidate onSubmit={withPassword}>
          <PasswordField
            label="Your password"
            value={password}
            error={problem}
            onChange={(event) => setPassword(event.target.value)}
          />
          <Button type="submit" busy={isBusy}>
            {isBusy ? 'Checking…' : 'Continue'}
          </Button>
        </form>
      ) : null}
      {canUsePasskey ? (
        <Button variant="secondary" busy={isBusy} onClick={withPasskey}>
          Use a passkey
        </Button>
      ) : null}
      {hasPassword ? null : <FieldError id="identity-problem" error={problem} />}
      {hasPassword || canUsePasskey ? null : (
        <p>Your account has no password. Log out, sign in with Google again, and come back within ten minutes.</p>
      )}
    </Dialog>
  );
}
