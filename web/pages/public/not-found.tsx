import { Page } from '#web/components/layout/page.tsx';
import { ButtonLink } from '#web/components/ui/button.tsx';
import { Drawing } from '#web/components/ui/drawing.tsx';

export function NotFoundPage() {
  return (
    <Page title="Page Not Found" width="narrow">
      <div className="card empty">
        <Drawing name="key" />
        <p>There is nothing at this address. It may have been typed wrongly, or the page has moved.</p>
        <ButtonLink href="/">Go to your dashboard</ButtonLink>
      </div>
    </Page>
  );
}
