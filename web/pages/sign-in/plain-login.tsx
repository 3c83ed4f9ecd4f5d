import { useSearch } from 'wouter';
import { login, resetPassword, type SecondFactor } from '#shared/contract/accounts.ts';
import { getAuthProviders } from '#shared/contract/identity.ts';
import { pressResetRequest, pressSecondStep, pressSignIn } from '#shared/contract/page-forms.ts';
import type { RouteResult } from '#shared/contract/route.ts';
import { finishSecondStep, getSecondStep } from '#shared/contract/second-factors.ts';
import { readExternalError } from '#shared/rules/identity-providers.ts';
import { askedQuestion, writingQuestionOf } from '#shared/rules/letters/writing-questions.ts';
import { Banner } from '#web/components/ui/banner.tsx';
import { Button, ButtonLink } from '#web/components/ui/button.tsx';
import { CheckboxField, PasswordField, TextField } from '#web/components/ui/field.tsx';
import { externalFailureWords } from '#web/features/accounts/external-failure.tsx';
import { LoadedProviderLinks } from '#web/features/accounts/provider-links.tsx';
import { ResetSent } from '#web/features/accounts/reset-request.tsx';
import { codeWords } from '#web/features/accounts/second-step-form.tsx';
import { loginFailure } from '#web/features/accounts/sign-in.ts';
import { SignInFrame } from '#web/features/accounts/sign-in-frame.tsx';
import { ApiError } from '#web/lib/api/api.ts';
import { useSent, useSentFields } from '#web/lib/api/sent-answers.ts';
import { useLinkRead } from '#web/lib/api/use-link-read.ts';

/** Query by which the plain page asks for the address of a reset. */
const resetSearch = 'reset';

/** The sign-in page that the server draws: forms that a browser can post without scripts. */
export function PlainLoginPage() {
  const signIn = useSent(`POST ${login.path}`);
  const step = useSent<RouteResult<typeof finishSecondStep>>(`POST ${finishSecondStep.path}`);
  const reset = useSent(`POST ${resetPassword.path}`);
  const { email = '' } = useSentFields();
  const search = new URLSearchParams(useSearch());
  if (reset && !reset.error) {
    return (
      <SignInFrame title="Check Your Email" heading="Check Your Email">
        <ResetSent email={email} back={<a href="/login">Back to Login</a>} />
      </SignInFrame>
    );
  }
  if (reset || search.has(resetSearch)) return <PlainResetRequest email={email} error={reset?.error ?? null} />;
  if (step) return <PlainSecondStep factors={['authenticator', 'recovery']} error={step.error} />;
  if (search.get('step') === 'second-factor') return <BegunSecondStep />;
  // Failure of a provider sign-in.
  const failure = readExternalError(search.get('error'));
  const failed = failure ? new Error(externalFailureWords(failure.why, null)) : null;
  return <PlainSignIn email={email} error={signIn?.error ?? failed} />;
}

type FormProps = { email: string; error: Error | null };

function PlainSignIn({ email, error }: FormProps) {
  const { data: providers } = useLinkRead(getAuthProviders, undefined);
  const { keep } = useSentFields();
  const asked = useAskedQuestion();
  return (
    <SignInFrame
      title={error ? 'Error: Sign in' : 'Sign in'}
      heading="Sign in"
      intro={
        asked === null
          ? 'Sign in to access your digital legacy vault'
          : `Sign in, and a sheet waits for you with the question: ${writingQuestionOf(asked).question}`
      }
    >
      <form className="form" noValidate method="post" action={pressSignIn.path}>
        <EmailField autoComplete="username" email={email} />
        {asked === null ? null : <input type="hidden" name="question" value={asked} />}
        <PasswordField label="Password" name="password" required autoComplete="current-password" />
        <CheckboxField
          label="Keep me signed in"
          hint="For 14 days on this device."
          name="keepSignedIn"
          value="true"
          defaultChecked={keep !== 'no'}
        />
        {error ? <Failure>{error instanceof ApiError ? loginFailure(error) : error.message}</Failure> : null}
        <Button type="submit" wide>
          Sign In
        </Button>
      </form>
      <div className="below-button">
        <ButtonLink variant="text" size="small" href={`/login?${resetSearch}`}>
          Forgot password
        </ButtonLink>
      </div>
      {/* Holds the place of what the application puts there. */}
      <div className="needs-scripts">
        <Button variant="secondary" wide>
          Sign in with a passkey
        </Button>
      </div>
      <LoadedProviderLinks verb="Sign in with" providers={providers?.providers ?? []} />
      <p>
        No account yet? <a href="/register">Create one here</a>
      </p>
    </SignInFrame>
  );
}

/** Writing question that the person comes with, from the address or the sent form. */
function useAskedQuestion(): number | null {
  const { question } = useSentFields();
  const search = useSearch();
  return askedQuestion(question === undefined ? search : `question=${question}`);
}

/** The password was right, or a provider has said who it is. */
function BegunSecondStep() {
  const { data } = useLinkRead(getSecondStep, undefined);
  if (data && data.secondFactor.length > 0) return <PlainSecondStep factors={data.secondFactor} error={null} />;
  const tooLate = new Error('That sign-in has taken too long. Please start again.');
  return <PlainSignIn email="" error={data ? tooLate : null} />;
}

function PlainSecondStep({ factors, error }: { factors: readonly SecondFactor[]; error: Error | null }) {
  const codes = factors.filter((factor) => factor !== 'passkey');
  const asked = useAskedQuestion();
  return (
    <SignInFrame
      title={error ? 'Error: One more step' : 'One more step'}
      heading="One more step"
      intro="You have protected your vault with a second step."
    >
      {error ? <Failure>{error.message}</Failure> : null}
      {codes.map((factor) => (
        <form key={factor} className="form" method="post" action={pressSecondStep.path}>
          <input type="hidden" name="factor" value={factor} />
          {asked === null ? null : <input type="hidden" name="question" value={asked} />}
          <TextField
            {...codeWords[factor]}
            className="code"
            name="code"
            required
            autoComplete={factor === 'authenticator' ? 'one-time-code' : 'off'}
            spellCheck={false}
          />
          <Button type="submit" wide>
            Continue
          </Button>
        </form>
      ))}
      {factors.includes('passkey') ? <p>A passkey needs a browser that runs scripts.</p> : null}
      <a href={asked === null ? '/login' : `/login?question=${asked}`}>Back to Login</a>
    </SignInFrame>
  );
}

function PlainResetRequest({ email, error }: FormProps) {
  return (
    <SignInFrame
      title={error ? 'Error: Reset your password' : 'Reset your password'}
      heading="Reset your password"
      intro="We send you a link that sets a new one."
    >
      <form className="form" noValidate method="post" action={pressResetRequest.path}>
        <EmailField autoComplete="email" email={email} />
        {error ? <Failure>{error.message}</Failure> : null}
        <Button type="submit" wide>
          Send Reset Email
        </Button>
      </form>
      <a href="/login">Back to Login</a>
    </SignInFrame>
  );
}

function EmailField({ email, autoComplete }: { email: string; autoComplete: 'username' | 'email' }) {
  return (
    <TextField
      label="Email"
      type="email"
      name="email"
      required
      autoComplete={autoComplete}
      autoCapitalize="none"
      spellCheck={false}
      defaultValue={email}
    />
  );
}

function Failure({ children }: { children: string }) {
  return (
    <Banner tone="bad" role="alert">
      {children}
    </Banner>
  );
}
