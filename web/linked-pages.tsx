import '#web/styles/app.css';
import { type ComponentType, lazy, Suspense } from 'react';
import { Route, Switch } from 'wouter';
import { ErrorBoundary } from '#web/components/layout/error-boundary.tsx';
import { Spinner } from '#web/components/ui/spinner.tsx';
import { type LinkedPath, linkedPaths } from '#web/linked-paths.ts';

const RehearsalLink = lazy(() =>
  import('./pages/links/rehearsal-link.tsx').then((m) => ({ default: m.RehearsalLinkPage })),
);

const pages: Record<LinkedPath, ComponentType> = {
  '/message/:token?': lazy(() => import('./pages/links/letter.tsx').then((m) => ({ default: m.LetterPage }))),
  '/trusted-contact-accept/:token': lazy(() =>
    import('./pages/links/accept-invitation.tsx').then((m) => ({ default: m.AcceptInvitationPage })),
  ),
  '/trusted-contact-confirmed': lazy(() =>
    import('./pages/links/contact-confirmed.tsx').then((m) => ({ default: m.ContactConfirmedPage })),
  ),
  '/trusted-contact-admin/:token?': lazy(() =>
    import('./pages/links/portal.tsx').then((m) => ({ default: m.PortalPage })),
  ),
  '/trusted-contact-demo': lazy(() =>
    import('./pages/links/portal-demo.tsx').then((m) => ({ default: m.PortalDemoPage })),
  ),
  '/new-address/:token': lazy(() =>
    import('./pages/links/new-address.tsx').then((m) => ({ default: m.NewAddressPage })),
  ),
  '/check-in/:token': lazy(() => import('./pages/links/check-in.tsx').then((m) => ({ default: m.CheckInPage }))),
  '/rehearsal/check-in': RehearsalLink,
  '/rehearsal/portal': RehearsalLink,
  '/rehearsal/letter': RehearsalLink,
  '/checkout/:token': lazy(() =>
    import('./pages/links/sandbox-checkout.tsx').then((m) => ({ default: m.SandboxCheckoutPage })),
  ),
  '/not-me/:token': lazy(() => import('./pages/links/not-me.tsx').then((m) => ({ default: m.NotMePage }))),
  '/news/:token': lazy(() => import('./pages/links/news.tsx').then((m) => ({ default: m.NewsPage }))),
};

/** The pages behind links, each fetched when it is opened. They ask nobody who is signed in. */
export function LinkedPages() {
  return (
    <ErrorBoundary>
      <Suspense fallback={<Spinner />}>
        <Switch>
          {linkedPaths.map((path) => (
            <Route key={path} path={path} component={pages[path]} />
          ))}
        </Switch>
      </Suspense>
    </ErrorBoundary>
  );
}
