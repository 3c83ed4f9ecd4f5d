import { Component, type ReactNode } from 'react';
import { Button } from '#web/components/ui/button.tsx';
import { NotFetched } from '#web/lib/loading/fetched-page.tsx';

type FailureBoundaryProps = {
  /** Address of the shown page. Another address is another page, which may work. */
  path?: string | undefined;
  /** Shown in place of the children, with a function that shows the children again. */
  fallback?: (error: unknown, tryAgain: () => void) => ReactNode;
  children: ReactNode;
};

/** Shows a page in place of one that could not be drawn or fetched. Its own page needs nothing else to be fetched. */
export class FailureBoundary extends Component<FailureBoundaryProps, { failure: { error: unknown } | null }> {
  override state: { failure: { error: unknown } | null } = { failure: null };

  static getDerivedStateFromError(error: unknown) {
    return { failure: { error } };
  }

  override componentDidCatch(error: unknown) {
    if (error instanceof NotFetched) error.forget();
  }

  override componentDidUpdate({ path }: FailureBoundaryProps) {
    if (this.state.failure && path !== this.props.path) this.tryAgain();
  }

  tryAgain = () => this.setState({ failure: null });

  override render() {
    const { fallback = bareFailure, children } = this.props;
    return this.state.failure ? fallback(this.state.failure.error, this.tryAgain) : children;
  }
}

function bareFailure(): ReactNode {
  return (
    <main id="main" className="main narrow stack" data-failed="">
      <h1 className="h-page">This page could not be shown</h1>
      <p>What you saved is safe. Load the page again, or come back in a few minutes.</p>
      <p>
        <Button variant="secondary" onClick={() => location.reload()}>
          Load the page again
        </Button>
      </p>
    </main>
  );
}
