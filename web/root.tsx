import { type ComponentType, StrictMode, Suspense, useEffect, useRef, useState } from 'react';
import { matchRoute, Router, useLocation, useRouter } from 'wouter';
import { FailureBoundary } from '#web/components/layout/failure-boundary.tsx';
import { Spinner } from '#web/components/ui/spinner.tsx';
import { Toaster } from '#web/components/ui/toaster.tsx';
import { type Sent, SentAnswers } from '#web/lib/api/sent-context.ts';
import { askBeforeLeaving } from '#web/lib/drafts/leave-warning.ts';
import { fetchedPage } from '#web/lib/loading/fetched-page.tsx';
import { linkedPaths } from '#web/linked-paths.ts';

/** Part with sessions and requests, loaded only for pages that need it. */
export const App = fetchedPage(async () => (await import('./app.tsx')).App);
const LinkedPages = fetchedPage(async () => (await import('./linked-pages.tsx')).LinkedPages);

type RootProps = {
  /** A page that the server has sent ready to read; it is shown until another path is gone to. */
  FirstPage?: ComponentType | undefined;
  /** Called once the page reacts to presses. */
  onReady?: () => void;
  /** Path and query while the server draws, where there is no address bar. */
  ssrPath?: string;
  ssrSearch?: string;
  /** Data that was read for the page before. */
  sent?: Sent;
};

const nothingSent: Sent = { answers: {} };

/** The outermost part. What knows sessions and requests is fetched only when a page that needs it is shown. */
export function Root({ FirstPage, onReady, ssrPath, ssrSearch = '', sent = nothingSent }: RootProps) {
  useEffect(() => onReady?.(), [onReady]);
  return (
    <StrictMode>
      <Router aroundNav={askBeforeLeaving} {...(ssrPath === undefined ? {} : { ssrPath, ssrSearch })}>
        <ScrollToTop />
        <SentAnswers value={sent}>
          <FirstOrApp FirstPage={FirstPage} />
        </SentAnswers>
        <Toaster />
      </Router>
    </StrictMode>
  );
}

function FirstOrApp({ FirstPage }: Pick<RootProps, 'FirstPage'>) {
  const [location] = useLocation();
  const { parser } = useRouter();
  const [firstLocation] = useState(location);
  const [hasLeft, setHasLeft] = useState(false);
  if (!hasLeft && location !== firstLocation) setHasLeft(true);
  if (FirstPage && !hasLeft) return <FirstPage />;
  const isLinked = linkedPaths.some((path) => matchRoute(parser, path, location)[0]);
  return (
    <FailureBoundary path={location}>
      <Suspense fallback={<Spinner />}>{isLinked ? <LinkedPages /> : <App />}</Suspense>
    </FailureBoundary>
  );
}

/** A new page begins at its top. Going back is left to the browser, which remembers where the person was. */
function ScrollToTop() {
  const [location] = useLocation();
  const shown = useRef(location);
  const isGoingBack = useRef(false);

  useEffect(() => {
    const remember = () => {
      isGoingBack.current = true;
    };
    addEventListener('popstate', remember);
    return () => removeEventListener('popstate', remember);
  }, []);

  useEffect(() => {
    if (shown.current === location) return;
    shown.current = location;
    if (!isGoingBack.current) scrollTo({ top: 0, behavior: 'instant' });
    isGoingBack.current = false;
  }, [location]);

  return null;
}
