import { Component, type ReactNode } from 'react';
import { ButtonLink } from '#web/components/ui/button.tsx';
import { LoadError } from '#web/components/ui/empty.tsx';

type ErrorBoundaryProps = { children: ReactNode };

/** Where drawing a page fails, or its script could not be fetched: says so, and offers to load it again. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render() {
    if (!this.state.hasFailed) return this.props.children;
    return (
      <main id="main" className="main narrow stack" data-failed="">
        <h1 className="h-page">This page could not be shown</h1>
        <LoadError
          title="Something went wrong on our side"
          text="What you saved is safe. Load the page again, or come back in a few minutes."
          onRetry={() => location.reload()}
        />
        <p>
          <ButtonLink variant="text" href="/" onClick={() => this.setState({ hasFailed: false })}>
            Go to the first page
          </ButtonLink>
        </p>
      </main>
    );
  }
}
