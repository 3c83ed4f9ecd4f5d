import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import type { RouteResult } from '#shared/contract/route.ts';
import { Button, ButtonLink } from '#web/components/ui/button.tsx';
import { Dialog } from '#web/components/ui/dialog.tsx';
import { FieldError, PasswordField, TextField } from '#web/components/ui/field.tsx';
import { Spinner } from '#web/components/ui/spinner.tsx';
import { ApiError, addressOf, call } from '#web/lib/api/api.ts';
import { light } from '#web/lib/api/light-routes.ts';
import { useRead } from '#web/lib/api/reads.ts';
import { answerWithPasskey, knowsPasskeys, passkeyFailure } from '#web/lib/passkeys.ts';

/**
 * Required proof. `sign-in`: a sign-in of just now. `own`: the same, by password or passkey only. `second-step`: the
 * second factor, in a session that is older than the factor.
 */
export type Proof = 'sign-in' | 'own' | 'second-step';

type ConfirmIdentityProps = { wanted: Proof; goLabel: string; onProved: () => void; onClose: () => void };

type Factors = RouteResult<typeof light.getSecondFactors>;

/** Asks who is there, with whatever this person can prove it by. */
export function ConfirmIdentity({ wanted, goLabel, onProved, onClose }: ConfirmIdentityProps) {
  // Earlier data may be old: a passkey may be new, and a provider may have confirmed in another tab.
  const factors = useRead(light.getSecondFactors, { staleTime: 0 });
  return (
    <Dialog open onClose={onClose} title="Confirm that it is you" closesOutside={false}>
      <p>{reasons[wanted]}</p>
      {factors.data ? (
        <Ways wanted={wanted} factors={factors.data} look={factors.refetch} goLabel={goLabel} onProved={onProved} />
      ) : factors.isError ? (
        <>
          <p role="alert">{factors.error.message}</p>
          <Button variant="secondary" onClick={() => factors.refetch()}>
            Try again
          </Button>
        </>
      ) : (
        <Spinner label="One moment" />
      )}
    </Dialog>
  );
}

const reasons: Record<Proof, string> = {
  'sign-in':
    'You signed in more than ten minutes ago. We ask again, so that nobody can do this at a screen you left. It holds for ten minutes.',
  own: 'Linking another way to sign in asks for your password or a passkey. It holds for ten minutes.',
  'second-step': 'Your account has a second step, and this device has not passed it yet. We ask for it once.',
};

type WaysProps = Omit<ConfirmIdentityProps, 'onClose'> & { factors: Factors; look: Look };
type Look = () => Promise<{ data: Factors | null | undefined }>;

function Ways({ wanted, factors, look, goLabel, onProved }: WaysProps) {
  const client = useQueryClient();
  const [problem, setProblem] = useState<Problem>();
  const [isBusy, setBusy] = useState(false);
  const wantsCode = wanted === 'second-step';
  const hasPassword = factors.hasPassword && (factors.authenticator !== null || !wantsCode);
  // A provider vouches for the address, and neither for the second step nor for another provider.
  const providers = wanted === 'sign-in' ? factors.providers : [];
  const { passkeys } = factors;
  const canUsePasskey = passkeys.length > 0 && knowsPasskeys();

  async function prove(how: () => Promise<void>, words: (error: unknown) => string | null): Promise<void> {
    if (isBusy) return;
    setBusy(true);
    setProblem(undefined);
    try {
      // The session gets a new cookie; a question that is still under way would come back as that of a stranger.
      await client.cancelQueries();
      await how();
      onProved();
    } catch (error) {
      setProblem(problemOf(error, words(error)));
    } finally {
      setBusy(false);
    }
  }

  const withPasskey = () =>
    prove(async () => {
      const answer = await answerWithPasskey(await call(light.askReauthenticationPasskey));
      await call(light.reauthenticateWithPasskey, { body: answer });
    }, passkeyFailure);

  return (
    <>
      {hasPassword ? (
        <PasswordWay
          goLabel={goLabel}
          problem={problem}
          isBusy={isBusy}
          wantsCode={wantsCode}
          onGiven={(body) =>
            prove(
              async () => void (await call(light.reauthenticate, { body })),
              (error) => (error instanceof Error ? error.message : null),
            )
          }
        />
      ) : null}
      {canUsePasskey ? (
        <Button variant={hasPassword ? 'secondary' : 'primary'} busy={isBusy} onClick={withPasskey}>
          Use a passkey
        </Button>
      ) : null}
      {hasPassword ? null : <FieldError id="identity-problem" error={problem?.words} />}
      {providers.map((provider, index) => {
        const isFirst = !hasPassword && !canUsePasskey && index === 0;
        return <ProviderWay key={provider.slug} {...{ provider, isFirst, factors, look, onProved }} />;
      })}
      {hasPassword || canUsePasskey || providers.length > 0 ? null : (
        <p>
          This browser has none of the ways in which you sign in. Sign out, sign in again as you usually do, and come
          back within ten minutes.
        </p>
      )}
    </>
  );
}

type PasswordWayProps = {
  goLabel: string;
  problem: Problem | undefined;
  isBusy: boolean;
  /** True if a code of the app is asked for too. */
  wantsCode: boolean;
  onGiven: (proof: { password: string; code?: string }) => void;
};

type Problem = { words: string; isAboutCode: boolean };

function problemOf(error: unknown, words: string | null): Problem | undefined {
  if (words === null) return undefined;
  const issues = error instanceof ApiError ? error.issues : undefined;
  return { words, isAboutCode: issues?.some(({ path }) => path === 'code') ?? false };
}

function PasswordWay({ goLabel, problem, isBusy, wantsCode, onGiven }: PasswordWayProps) {
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const isFilled = password !== '' && (code !== '' || !wantsCode);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isFilled && !isBusy) onGiven(wantsCode ? { password, code } : { password });
  };
  return (
    <form className="dialog-body" noValidate onSubmit={submit}>
      <PasswordField
        label="Password"
        value={password}
        error={problem?.isAboutCode ? undefined : problem?.words}
        onChange={(event) => setPassword(event.target.value)}
        data-focus-first=""
        autoFocus
      />
      {wantsCode ? (
        <TextField
          label="Code from your app"
          hint="Without your phone: sign out, then sign in again with a recovery code."
          className="code"
          inputMode="numeric"
          autoComplete="one-time-code"
          value={code}
          error={problem?.isAboutCode ? problem.words : undefined}
          onChange={(event) => setCode(event.target.value)}
        />
      ) : null}
      <Button type="submit" disabled={!isFilled} busy={isBusy}>
        {isBusy ? 'Checking…' : goLabel}
      </Button>
    </form>
  );
}

type ProviderWayProps = {
  provider: Factors['providers'][number];
  isFirst: boolean;
  factors: Factors;
  look: Look;
  onProved: () => void;
};

/**
 * A provider confirms in its own tab, so that typed text stays in this one. On return the page continues
 * automatically, because the browser reads again. If the browser reports no return, a button continues.
 */
function ProviderWay({ provider: { slug, name }, isFirst, factors, look, onProved }: ProviderWayProps) {
  const { freshUntil } = factors;
  const [freshBefore, setFreshBefore] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const hasLeft = freshBefore !== undefined;
  const isConfirmed = hasLeft && freshUntil !== freshBefore;
  useEffect(() => {
    if (isConfirmed) onProved();
  }, [isConfirmed, onProved]);

  const goOn = async () => {
    setProblem(undefined);
    const { data } = await look();
    if (data?.freshUntil === freshBefore)
      setProblem(`${name} has not confirmed it yet. Finish in the other tab first.`);
  };
  return (
    <div className="stack">
      <ButtonLink
        variant={isFirst ? 'primary' : 'secondary'}
        href={addressOf(light.startExternalSignIn, { params: { provider: slug }, query: { purpose: 'confirm' } })}
        target="_blank"
        onClick={() => setFreshBefore(freshUntil)}
      >
        Confirm with {name}
      </ButtonLink>
      <p className="hint">{name} opens in another tab. Come back to this one then: nothing here is lost.</p>
      {hasLeft ? (
        <Button variant="secondary" onClick={goOn}>
          I have confirmed, go on
        </Button>
      ) : null}
      <FieldError id={`${slug}-problem`} error={problem} />
    </div>
  );
}
