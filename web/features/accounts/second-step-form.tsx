import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import type { SecondFactor } from '#shared/contract/accounts.ts';
import { authenticatorCode } from '#shared/contract/fields.ts';
import { askSecondStepPasskey, finishSecondStep, recoveryCode } from '#shared/contract/second-factors.ts';
import { Banner } from '#web/components/ui/banner.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { TextField } from '#web/components/ui/field.tsx';
import { ApiError, call } from '#web/lib/api/api.ts';
import { useChange } from '#web/lib/api/changes.ts';
import { answerWithPasskey, knowsPasskeys, passkeyFailure } from '#web/lib/passkeys.ts';
import { messageOf } from './sign-in.ts';
import { useEntrance } from './use-entrance.ts';

type SecondStepFormProps = { factors: SecondFactor[]; onErrors: (hasErrors: boolean) => void; back: ReactNode };

/** The second half of a sign-in: one factor at a time, and a way to each of the others. */
export function SecondStepForm({ factors, onErrors, back }: SecondStepFormProps) {
  const usable = factors.filter((factor) => factor !== 'passkey' || knowsPasskeys());
  const [chosen, setChosen] = useState<SecondFactor | undefined>(usable[0]);
  const others = usable.filter((factor) => factor !== chosen);
  const choose = (factor: SecondFactor) => {
    onErrors(false);
    setChosen(factor);
  };
  return (
    <>
      {chosen === 'passkey' ? <PasskeyStep /> : null}
      {chosen === 'authenticator' || chosen === 'recovery' ? (
        <CodeStep key={chosen} factor={chosen} onErrors={onErrors} />
      ) : null}
      {chosen === undefined ? (
        <Banner tone="bad">
          This browser knows no passkeys, and you have set up no other second step. Use another one.
        </Banner>
      ) : null}
      <div className="step-ways">
        {others.map((factor) => (
          <Button key={factor} variant="text" size="small" onClick={() => choose(factor)}>
            {wayTo[factor]}
          </Button>
        ))}
        {back}
      </div>
    </>
  );
}

const wayTo: Record<SecondFactor, string> = {
  passkey: 'Use a passkey',
  authenticator: 'Use your authenticator app',
  recovery: 'Use a recovery code',
};

/** Label and help by kind of code. */
export const codeWords = {
  authenticator: { label: 'Code from your authenticator app', hint: 'Six digits. A new one comes every 30 seconds.' },
  recovery: { label: 'Recovery code', hint: 'One of the ten you kept. Each works once.' },
} as const;

const codeSchema = { authenticator: authenticatorCode, recovery: recoveryCode } as const;

type CodeFactor = keyof typeof codeWords;

function CodeStep({ factor, onErrors }: { factor: CodeFactor; onErrors: (hasErrors: boolean) => void }) {
  const enter = useEntrance();
  const [code, setCode] = useState('');
  const [wrong, setWrong] = useState<string>();
  const say = (sentence: string | undefined) => {
    setWrong(sentence);
    onErrors(sentence !== undefined);
  };
  const finish = useChange(finishSecondStep, {
    onSuccess: ({ user }) => enter(user),
    onError: (error) => say(codeIssue(error)),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const checked = codeSchema[factor].safeParse(code);
    say(checked.error?.issues[0]?.message);
    if (checked.success && !finish.isPending) finish.mutate({ body: { factor, code } });
  };
  const isDigits = factor === 'authenticator';
  return (
    <form className="form" noValidate onSubmit={submit}>
      <TextField
        {...codeWords[factor]}
        className="code"
        inputMode={isDigits ? 'numeric' : 'text'}
        autoComplete={isDigits ? 'one-time-code' : 'off'}
        autoCapitalize="characters"
        spellCheck={false}
        autoFocus
        value={code}
        error={wrong}
        onChange={(event) => setCode(event.target.value)}
      />
      {finish.isError && wrong === undefined ? (
        <Banner tone="bad" role="alert">
          {messageOf(finish.error)}
        </Banner>
      ) : null}
      <Button type="submit" wide busy={finish.isPending}>
        {finish.isPending ? 'Checking…' : 'Continue'}
      </Button>
    </form>
  );
}

function PasskeyStep() {
  const enter = useEntrance();
  const finish = useMutation({
    mutationFn: async () => {
      const answer = await answerWithPasskey(await call(askSecondStepPasskey));
      return call(finishSecondStep, { body: { factor: 'passkey', ...answer } });
    },
    onSuccess: ({ user }) => enter(user),
  });
  const failure = finish.isError ? passkeyFailure(finish.error) : null;
  return (
    <>
      {failure ? (
        <Banner tone="bad" role="alert">
          {failure}
        </Banner>
      ) : null}
      <Button wide busy={finish.isPending} onClick={() => finish.mutate()}>
        {finish.isPending ? 'Waiting for your passkey…' : 'Use your passkey'}
      </Button>
    </>
  );
}

/** The service's issue with the code; undefined if the error is about something else. */
function codeIssue(error: unknown): string | undefined {
  const issues = error instanceof ApiError ? (error.issues ?? []) : [];
  return issues.find(({ path }) => path === 'code')?.message;
}
