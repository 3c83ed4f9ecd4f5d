import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { RouteResult } from '#shared/contract/route.ts';
import {
  addPasskey,
  askNewPasskey,
  getSecondFactors,
  passkeyName,
  removeAuthenticator,
  removePasskey,
  renewRecoveryCodes,
  startAuthenticator,
} from '#shared/contract/second-factors.ts';
import { listSessions } from '#shared/contract/sessions.ts';
import { NotConfirmedError } from '#web/components/fresh-sign-in/not-confirmed.ts';
import { useFreshSignIn } from '#web/components/fresh-sign-in/use-fresh-sign-in.tsx';
import { Badge } from '#web/components/ui/badge.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { Card } from '#web/components/ui/card.tsx';
import { ConfirmDialog, Dialog } from '#web/components/ui/dialog.tsx';
import { TextField } from '#web/components/ui/field.tsx';
import { call } from '#web/lib/api/api.ts';
import { keyOf } from '#web/lib/api/reads.ts';
import { counted, longDate } from '#web/lib/format.ts';
import { knowsPasskeys, makePasskey, passkeyFailure } from '#web/lib/passkeys.ts';
import { toast } from '#web/lib/toast.ts';
import { AuthenticatorDialog } from './authenticator-dialog.tsx';
import { RecoveryCodesDialog } from './recovery-codes-dialog.tsx';

type Factors = RouteResult<typeof getSecondFactors>;

/** Dialog that is open over the card. */
type Open =
  | { is: 'app'; setup: RouteResult<typeof startAuthenticator> }
  | { is: 'codes'; codes: string[] }
  | { is: 'naming' }
  | { is: 'removing'; what: string; remove: () => Promise<void> };

const fewCodes = 3;

/** Authenticator app, passkeys and recovery codes, with their buttons. */
export function SecondFactorsCard({ factors }: { factors: Factors }) {
  const [open, setOpen] = useState<Open>();
  const { authenticator, passkeys, recoveryCodes } = factors;
  const isOn = authenticator !== null || passkeys.length > 0;
  const { setUpApp, newCodes, addKey, added, removal, freshSignIn } = useFactorChanges({ isOn, setOpen });
  const removePasskeyOf = ({ id, name }: { id: string; name: string }) =>
    removal(`“${name}”`, () => call(removePasskey, { params: { id } }))();

  return (
    <Card as="section" className="guard" aria-labelledby="second-step">
      <div className="guard-head">
        <h2 className="h-card" id="second-step">
          Second step
        </h2>
        <Badge tone={isOn ? 'ready' : 'warn'}>{isOn ? 'On' : 'Off'}</Badge>
      </div>
      <p className="quiet">
        With a second step, somebody who learns your password still can’t open your vault. A link for a new password
        does not get around it.{isOn ? null : ' Your other devices are signed out when you turn it on.'}
      </p>
      <AuthenticatorPart
        authenticator={authenticator}
        onSetUp={setUpApp}
        onRemove={removal('The authenticator app', () => call(removeAuthenticator))}
      />
      <PasskeyPart onAdd={() => setOpen({ is: 'naming' })} />
      {passkeys.length > 0 ? <PasskeyList passkeys={passkeys} onRemove={removePasskeyOf} /> : null}
      {recoveryCodes ? <RecoveryCodes codes={recoveryCodes} onRenew={newCodes} /> : null}
      {freshSignIn.dialog}
      {open?.is === 'app' ? (
        <AuthenticatorDialog
          setup={open.setup}
          confirmed={freshSignIn.run}
          onClose={() => setOpen(undefined)}
          onDone={(codes) => added(codes, 'Signing in asks for a code of your app from now on.')}
        />
      ) : null}
      {open?.is === 'codes' ? <RecoveryCodesDialog codes={open.codes} onClose={() => setOpen(undefined)} /> : null}
      {open?.is === 'naming' ? <PasskeyNaming onClose={() => setOpen(undefined)} onName={addKey} /> : null}
      <ConfirmDialog
        open={open?.is === 'removing'}
        onClose={() => setOpen(undefined)}
        onConfirm={() => open?.is === 'removing' && open.remove()}
        title="Remove this second step?"
        text={open?.is === 'removing' ? `${open.what} will no longer open your vault.` : ''}
        confirmLabel="Remove it"
        danger
      />
    </Card>
  );
}

/** Actions of the buttons. `setOpen` opens the next dialog. */
function useFactorChanges({ isOn, setOpen }: { isOn: boolean; setOpen: (open: Open | undefined) => void }) {
  const client = useQueryClient();
  const freshSignIn = useFreshSignIn();
  const refresh = () => client.invalidateQueries({ queryKey: keyOf(getSecondFactors) });

  const run = async (act: () => Promise<void>) => {
    try {
      await freshSignIn.run(act);
    } catch (error) {
      const description = error instanceof NotConfirmedError ? null : passkeyFailure(error);
      if (description) toast({ title: 'That did not work', description, variant: 'destructive' });
    }
  };
  const added = (codes: string[] | null, description: string) => {
    refresh();
    // The first factor ends the sessions that have not passed it.
    client.invalidateQueries({ queryKey: keyOf(listSessions) });
    setOpen(codes ? { is: 'codes', codes } : undefined);
    const others = isOn ? '' : ' Your other devices were signed out.';
    toast({ title: 'Your vault is better protected', description: `${description}${others}` });
  };
  const setUpApp = () => run(async () => setOpen({ is: 'app', setup: await call(startAuthenticator) }));
  const newCodes = () =>
    run(async () => {
      const { recoveryCodes: codes } = await call(renewRecoveryCodes);
      refresh();
      setOpen({ is: 'codes', codes });
    });
  const addKey = (name: string) => {
    setOpen(undefined);
    return run(async () => {
      const made = await makePasskey(await call(askNewPasskey));
      const { recoveryCodes: codes } = await call(addPasskey, { body: { ...made, name } });
      added(codes, `“${name}” opens it from now on.`);
    });
  };
  const removal = (what: string, act: () => Promise<unknown>) => () =>
    setOpen({
      is: 'removing',
      what,
      remove: () => {
        setOpen(undefined);
        return run(async () => {
          await act();
          refresh();
          toast({ title: 'Removed', description: `${what} no longer opens your vault.` });
        });
      },
    });
  return { setUpApp, newCodes, addKey, added, removal, freshSignIn };
}

type AuthenticatorPartProps = Pick<Factors, 'authenticator'> & { onSetUp: () => void; onRemove: () => void };

function AuthenticatorPart({ authenticator, onSetUp, onRemove }: AuthenticatorPartProps) {
  return (
    <div className="guard-part">
      <div>
        <h3>Authenticator app</h3>
        <p>
          {authenticator
            ? `Set up on ${longDate(authenticator.confirmedAt)}.`
            : 'An app on your phone that shows a new code every 30 seconds. It works without a connection.'}
        </p>
      </div>
      {authenticator ? (
        <Button variant="danger-outline" size="small" onClick={onRemove}>
          Remove the app
        </Button>
      ) : (
        <Button variant="secondary" size="small" onClick={onSetUp}>
          Set up an app
        </Button>
      )}
    </div>
  );
}

function PasskeyPart({ onAdd }: { onAdd: () => void }) {
  return (
    <div className="guard-part">
      <div>
        <h3>Passkeys</h3>
        <p>
          Your finger, your face or your device’s PIN in place of a password. Nobody can be tricked into giving it away.
        </p>
      </div>
      {knowsPasskeys() ? (
        <Button variant="secondary" size="small" onClick={onAdd}>
          Add a passkey
        </Button>
      ) : (
        <p className="hint">This browser knows no passkeys.</p>
      )}
    </div>
  );
}

type PasskeyListProps = Pick<Factors, 'passkeys'> & { onRemove: (passkey: { id: string; name: string }) => void };

function PasskeyList({ passkeys, onRemove }: PasskeyListProps) {
  return (
    <ul className="guard-list">
      {passkeys.map(({ id, name, createdAt, lastUsedAt }) => (
        <li key={id}>
          <div>
            <b>{name}</b>
            <p className="hint">
              Added on {longDate(createdAt)}
              {lastUsedAt ? `, last used on ${longDate(lastUsedAt)}` : ''}
            </p>
          </div>
          <Button variant="text" size="small" aria-label={`Remove ${name}`} onClick={() => onRemove({ id, name })}>
            Remove
          </Button>
        </li>
      ))}
    </ul>
  );
}

type RecoveryCodesProps = { codes: NonNullable<Factors['recoveryCodes']>; onRenew: () => void };

function RecoveryCodes({ codes, onRenew }: RecoveryCodesProps) {
  return (
    <div className="guard-part">
      <div>
        <h3>Recovery codes</h3>
        <p>
          {counted(codes.left, 'code')} left, made on {longDate(codes.madeAt)}.
          {codes.left < fewCodes ? ' Make new ones before they run out.' : ''}
        </p>
      </div>
      <Button variant="secondary" size="small" onClick={onRenew}>
        Make new codes
      </Button>
    </div>
  );
}

function PasskeyNaming({ onName, onClose }: { onName: (name: string) => void; onClose: () => void }) {
  const [name, setName] = useState('');
  const [problem, setProblem] = useState<string>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const checked = passkeyName.safeParse(name);
    setProblem(checked.error?.issues[0]?.message);
    if (checked.success) onName(checked.data);
  };
  return (
    <Dialog open onClose={onClose} title="Add a passkey">
      <form className="form" noValidate onSubmit={submit}>
        <TextField
          label="A name for it"
          hint="So that you know it again, such as “My phone”."
          value={name}
          error={problem}
          onChange={(event) => setName(event.target.value)}
        />
        <Button type="submit">Continue</Button>
      </form>
    </Dialog>
  );
}
