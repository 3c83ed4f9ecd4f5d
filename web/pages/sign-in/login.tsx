import { useEffect, useRef, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { type ExternalFailure, readExternalError } from '#shared/rules/identity-providers.ts';
import { askedQuestion, writingQuestionOf } from '#shared/rules/letters/writing-questions.ts';
import { Waiting } from '#web/components/layout/page.tsx';
import { Banner } from '#web/components/ui/banner.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { ExternalFailed } from '#web/features/accounts/external-failure.tsx';
import { LoginForm } from '#web/features/accounts/login-form.tsx';
import { PasskeyLogin } from '#web/features/accounts/passkey-login.tsx';
import { ProviderLinks } from '#web/features/accounts/provider-links.tsx';
import { useProviderName } from '#web/features/accounts/provider-name.ts';
import { SignInFrame } from '#web/features/accounts/sign-in-frame.tsx';
import { useSecondStepReturn } from '#web/features/accounts/use-second-step-return.ts';
import { light } from '#web/lib/api/light-routes.ts';
import { useRead } from '#web/lib/api/reads.ts';
import { fetchQuietly } from '#web/lib/loading/not-fetched.ts';
import { useFetchedPart } from '#web/lib/loading/use-fetched-part.ts';
import { isVerifiedReturn } from '#web/lib/verified-return.ts';
import type { StepView } from './login-step.tsx';

/** Rarely needed views: the second step, and a new password. Loaded once a person reaches the form. */
const fetchStep = () => import('./login-step.tsx');
const fetchStepEarly = () => fetchQuietly(fetchStep);

type View = { name: 'sign-in' } | { name: 'waiting' } | { name: 'failed' } | StepView;

export function LoginPage() {
  const [hasErrors, setErrors] = useState(false);
  const { view, step, show, showStep } = useView(() => setErrors(false));
  const [keepSignedIn, setKeepSignedIn] = useState(true);
  const [typedEmail, setTypedEmail] = useState<string>();
  const failed = useExternalFailure();
  const name = useProviderName(failed?.slug ?? null);
  const verified = useVerifiedAddress();
  const email = typedEmail ?? verified.email;
  const question = useQuestion();
  const returned = useSecondStepReturn((factors) => showStep({ name: 'second-step', factors }, { isFirst: true }));
  const titled = (title: string) => (hasErrors ? `Error: ${title}` : title);
  if (view.name === 'failed') throw new Error('The page that was asked for could not be fetched.');
  if (view.name !== 'sign-in' && view.name !== 'waiting' && step.part) {
    return (
      <step.part.LoginStep
        view={view}
        titled={titled}
        email={email}
        onEmail={setTypedEmail}
        onSent={(email) => showStep({ name: 'sent', email })}
        onBack={() => show({ name: 'sign-in' })}
        onErrors={setErrors}
      />
    );
  }
  if (returned === 'asking' || view.name === 'waiting') return <Waiting />;
  return (
    <SignInFrame
      key="sign-in"
      title={titled('Sign in')}
      heading={verified.isReturn ? 'Your email address is confirmed' : 'Sign in'}
      intro={
        verified.isReturn
          ? 'Sign in and write your first letter.'
          : (question ?? 'Sign in to access your digital legacy vault')
      }
    >
      {failed ? <ExternalFailed why={failed.why} name={name} /> : null}
      {returned === 'too-late' ? (
        <Banner tone="bad" role="alert">
          That sign-in has taken too long. Please start again.
        </Banner>
      ) : null}
      <LoginForm
        // Its first value is all that a field takes from outside.
        key={verified.email}
        email={email}
        onEmail={setTypedEmail}
        keepSignedIn={keepSignedIn}
        onKeep={setKeepSignedIn}
        onErrors={setErrors}
        onSecondStep={(factors) => showStep({ name: 'second-step', factors })}
        onReach={fetchStepEarly}
      />
      <div className="below-button">
        <Button variant="text" size="small" busy={step.isFetching} onClick={() => showStep({ name: 'reset' })}>
          Forgot password
        </Button>
      </div>
      <PasskeyLogin keepSignedIn={keepSignedIn} />
      <ProviderLinks verb="Sign in with" keepSignedIn={keepSignedIn} />
      <p>
        No account yet? <Link href="/register">Create one here</Link>
      </p>
    </SignInFrame>
  );
}

/** Current view of the page, and its change. Calls `onShow` with each. */
function useView(onShow: () => void) {
  const asksForReset = new URLSearchParams(useSearch()).has('reset');
  const step = useFetchedPart(fetchStep);
  const [view, setView] = useState<View>(asksForReset ? { name: 'waiting' } : { name: 'sign-in' });
  const show = (next: View) => {
    onShow();
    setView(next);
  };
  /**
   * If the view can't load, the person stays, with the typed text. If it is the first view, they are on the server's
   * page, which works, or they get a notice.
   */
  const showStep = async (next: StepView, { isFirst = false } = {}): Promise<boolean> => {
    const isThere = await step.want();
    if (isThere) show(next);
    else if (isFirst) setView({ name: 'failed' });
    return isThere;
  };
  const first = useRef(asksForReset ? () => showStep({ name: 'reset' }, { isFirst: true }) : null);
  useEffect(() => void first.current?.(), []);
  return { view, step, show, showStep };
}

/** Notice for a person who comes with a question to answer. */
function useQuestion(): string | null {
  const asked = askedQuestion(useSearch());
  return asked === null
    ? null
    : `Sign in, and a sheet waits for you with the question: ${writingQuestionOf(asked).question}`;
}

/**
 * True if the person has just opened a verification link in this browser, and the address that was verified; empty
 * until it is known.
 */
function useVerifiedAddress(): { isReturn: boolean; email: string } {
  const search = useSearch();
  const [isReturn] = useState(() => isVerifiedReturn(search));
  const { data } = useRead(light.getVerifiedAddress, { enabled: isReturn });
  return { isReturn, email: data?.email ?? '' };
}

/** Provider that has just opened no account, and why. The mark is taken out of the address, so that a reload is clean. */
function useExternalFailure(): ExternalFailure | null {
  const search = useSearch();
  const [path, navigate] = useLocation();
  const failure = readExternalError(new URLSearchParams(search).get('error'));
  const isInAddress = failure !== null;
  const [failed] = useState(failure);
  useEffect(() => {
    if (isInAddress) navigate(path, { replace: true });
  }, [isInAddress, navigate, path]);
  return failed;
}
