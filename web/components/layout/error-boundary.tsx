import type { ReactNode } from 'react';
import { ButtonLink } from '#web/components/ui/button.tsx';
import { LoadError } from '#web/components/ui/empty.tsx';
import { NotFetched } from '#web/lib/loading/fetched-page.tsx';
import { FailureBoundary } from './failure-boundary.tsx';

/** If a page fails to draw or its script to load, says so and offers a reload. */
export function ErrorBoundary({ path, children }: { path?: string; children: ReactNode }) {
  return (
    <FailureBoundary path={path} fallback={failure}>
      {children}
    </FailureBoundary>
  );
}

function failure(error: unknown, tryAgain: () => void): ReactNode {
  return (
    <main id="main" className="main narrow stack" data-failed="">
      <h1 className="h-page">This page could not be shown</h1>
      {error instanceof NotFetched ? (
        <LoadError title="It could not be loaded" onRetry={() => location.reload()} />
      ) : (
        <LoadError
          title="Something went wrong on our side"
          text="What you saved is safe. Load the page again, or come back in a few minutes."
          onRetry={() => location.reload()}
        />
      )}
      <p>
        <ButtonLink variant="text" href="/" onClick={tryAgain}>
          Go to the first page
        </ButtonLink>
      </p>
    </main>
  );
}
