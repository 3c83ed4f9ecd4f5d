import type { ReactNode } from 'react';
import { PageHeading } from '#web/components/layout/page.tsx';
import { PressForm } from '#web/components/layout/press-form.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { Drawing, type DrawingName } from '#web/components/ui/drawing.tsx';
import { useTitle } from '#web/lib/use-title.ts';

/** A page behind a link that says one thing. It names the document too. */
export function Notice({ drawing, title, children }: { drawing: DrawingName; title: string; children: ReactNode }) {
  useTitle(title);
  return (
    // The key makes the heading a new one, so that the focus follows from a question to its answer.
    <div className="card empty" key={title}>
      <Drawing name={drawing} />
      <PageHeading>{title}</PageHeading>
      {children}
    </div>
  );
}

/** The service was not reached; asking again may help. */
export function UnreachableNotice({ message, onRetry }: { message: string; onRetry: () => void }) {
  return (
    <Notice drawing="key" title="We could not load this page">
      <p role="alert">{message}</p>
      <PressForm method="get" onPress={onRetry}>
        <Button type="submit" variant="secondary">
          Try again
        </Button>
      </PressForm>
    </Notice>
  );
}
