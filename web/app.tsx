import '#web/styles/app.css';
import { QueryClientProvider, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { Redirect, Route, Switch, useLocation, useSearch } from 'wouter';
import type { User } from '#shared/contract/accounts.ts';
import { askedQuestion, questionAddress } from '#shared/rules/letters/writing-questions.ts';
import { AppHeader } from '#web/components/layout/app-header.tsx';
import { ErrorBoundary } from '#web/components/layout/error-boundary.tsx';
import type { FindProps } from '#web/components/layout/find-button.tsx';
import { Footer } from '#web/components/layout/footer.tsx';
import { Waiting } from '#web/components/layout/page.tsx';
import { PublicFrame } from '#web/components/layout/public-header.tsx';
import { useIntendedPlan } from '#web/features/billing/use-intended-plan.ts';
import type { Keys } from '#web/features/keys/keys.tsx';
import { light } from '#web/lib/api/light-routes.ts';
import { queryClient } from '#web/lib/api/query.ts';
import { useRead } from '#web/lib/api/reads.ts';
import { type Session, sessionKey, useSession } from '#web/lib/session.ts';
import { toast } from '#web/lib/toast.ts';
import { isMarkedVerified, isVerifiedReturn, tidyVerifiedReturn } from '#web/lib/verified-return.ts';
import {
  confirmMailbox,
  FirstPassword,
  hasSignedInPage,
  NotFound,
  type PageRoute,
  RestoreAccount,
  ReturnQuestion,
  redirectedHome,
  signedInRoutes,
  signedOutRoutes,
  UnknownAddress,
} from '#web/routes.tsx';

const verifiedRecheckDelayMs = 1_000;

/** Everything that knows who is signed in. */
export function App() {
  const [path] = useLocation();
  return (
    <QueryClientProvider client={queryClient}>
      <ErrorBoundary path={path}>
        <Pages />
      </ErrorBoundary>
    </QueryClientProvider>
  );
}

function Pages() {
  const session = useSession();
  const isVerifiedReturn = useVerifiedReturn();
  useHandedOverReturn();
  if (session.isLoading) return <Waiting />;
  if (session.user === null)
    return isVerifiedReturn ? <Redirect to="/login?verified=true" replace /> : <SignedOutPages />;
  const { deletionAt } = session.user;
  if (deletionAt !== undefined) {
    return (
      <Suspense fallback={<Waiting />}>
        <Switch>
          {/* The one link needed by a person who must prove the mailbox before they can undo the deletion. */}
          <Route path={confirmMailbox.path} component={confirmMailbox.Page} />
          <Route>
            <RestoreAccount user={{ ...session.user, deletionAt }} onSignOut={session.signOut} />
          </Route>
        </Switch>
      </Suspense>
    );
  }
  if (session.user.tempPassword) return <BeforeFirstPassword />;
  return <SignedInPages session={session} user={session.user} />;
}

/** No other page opens before the person has set a password of their own. */
function BeforeFirstPassword() {
  return (
    <Suspense fallback={<Waiting />}>
      <FirstPassword />
    </Suspense>
  );
}

function SignedOutPages() {
  return (
    <Suspense fallback={<Waiting />}>
      <Switch>
        {signedOutRoutes.map(({ path, Page, frame }) => (
          <Route key={path} path={path}>
            {frame === 'public' ? <PublicFrame Page={Page} /> : <Page />}
          </Route>
        ))}
        <Route component={UnknownAddress} />
      </Switch>
    </Suspense>
  );
}

/** To the dashboard, or to the sheet that a question in a mail leads to. */
function RedirectHome() {
  const question = askedQuestion(useSearch());
  return <Redirect to={question === null ? '/' : questionAddress(question)} replace />;
}

function SignedInPages({ session, user }: { session: Session; user: NonNullable<Session['user']> }) {
  useIntendedPlan(user);
  const { data: release } = useRead(light.getRelease);
  const inFrame = (page: ReactNode) => {
    if (release?.question) return <ReturnQuestion user={user} question={release.question} outcome={release} />;
    return (
      <WithinLetterhead user={user} onSignOut={session.signOut}>
        {page}
      </WithinLetterhead>
    );
  };
  const pageOf = ({ Page, frame }: PageRoute) => (frame === 'app' ? inFrame(<Page />) : <Page />);
  return (
    <Suspense fallback={<Waiting />}>
      <Switch>
        {signedInRoutes.map((route) => (
          <Route key={route.path} path={route.path}>
            {pageOf(route)}
          </Route>
        ))}
        {redirectedHome.map((path) => (
          <Route key={path} path={path}>
            <RedirectHome />
          </Route>
        ))}
        <Route>{inFrame(<NotFound />)}</Route>
      </Switch>
    </Suspense>
  );
}

type LetterheadProps = { user: User; onSignOut: () => void; children: ReactNode };

let fetchedKeys: typeof Keys | undefined;

/** A page of the vault within the letterhead. The palette and the keys come after it: a page to sign in needs neither. */
function WithinLetterhead({ user, onSignOut, children }: LetterheadProps) {
  const [FetchedKeys, setKeys] = useState(() => fetchedKeys);
  const [find, setFind] = useState<FindProps>();
  const [path] = useLocation();
  useEffect(() => {
    if (fetchedKeys) return;
    import('#web/features/keys/keys.tsx').then(
      (part) => {
        fetchedKeys = part.Keys;
        setKeys(() => part.Keys);
      },
      () => undefined,
    );
  }, []);
  return (
    <>
      <AppHeader user={user} onSignOut={onSignOut} hasPage={hasSignedInPage} find={find} />
      <ErrorBoundary path={path}>
        <Suspense fallback={<Waiting />}>{children}</Suspense>
      </ErrorBoundary>
      <Footer />
      {FetchedKeys ? <FetchedKeys user={user} hasPage={hasSignedInPage} onFind={setFind} /> : null}
    </>
  );
}

/**
 * After a Google sign-in that was the first mailbox proof: reports that the vault starts empty, and clears the
 * address.
 */
function useHandedOverReturn(): void {
  useEffect(() => {
    if (new URLSearchParams(location.search).get('handed-over') !== 'true') return;
    toast({
      title: 'This vault is yours, and empty',
      description:
        'Someone had opened an account with your address, and it was never confirmed. Everything in it was deleted.',
    });
    history.replaceState(history.state, '', location.pathname);
  }, []);
}

/**
 * Handles the return from the verification mail (`?verified=true`): reads the session again, reports success and
 * clears the address. Returns true on that return: the visitor is led to the sign-in page, never to the sales page.
 */
function useVerifiedReturn(): boolean {
  const client = useQueryClient();
  const [path] = useLocation();
  const search = useSearch();
  const isMarked = isMarkedVerified(search);
  const isTold = useRef(false);
  // The mark goes along to the sign-in page, and is waited for once.
  useEffect(() => {
    if (!isMarked) return;
    const timer = setTimeout(() => {
      if (!isTold.current) {
        isTold.current = true;
        client.invalidateQueries({ queryKey: sessionKey });
        toast({ title: 'Email Verified', description: 'Your email address is confirmed.' });
      }
      tidyVerifiedReturn();
    }, verifiedRecheckDelayMs);
    return () => clearTimeout(timer);
  }, [client, isMarked]);
  return path === '/' && isVerifiedReturn(search);
}
