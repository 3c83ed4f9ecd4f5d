import '#web/styles/app.css';
import { type ComponentType, Suspense } from 'react';
import { Route, Switch } from 'wouter';
import { ErrorBoundary } from '#web/components/layout/error-boundary.tsx';
import { Spinner } from '#web/components/ui/spinner.tsx';
import { fetchedPage } from '#web/lib/loading/fetched-page.tsx';
import { type LinkedPath, linkedPaths } from '#web/linked-paths.ts';

type Load = () => Promise<ComponentType>;

const loadRehearsalLink: Load = async () => (await import('./pages/links/rehearsal-link.tsx')).RehearsalLinkPage;

const loadLetter: Load = async () => (await import('./pages/links/letter.tsx')).LetterPage;

const loads: Record<LinkedPath, Load> = {
  '/message/:token?': loadLetter,
  '/message/:token/new-link': loadLetter,
  '/message/:token/say': loadLetter,
  '/trusted-contact-accept/:token': async () =>
    (await import('./pages/links/accept-invitation.tsx')).AcceptInvitationPage,
  '/trusted-contact-confirmed': async () => (await import('./pages/links/contact-confirmed.tsx')).ContactConfirmedPage,
  '/trusted-contact-admin/:token?': async () => (await import('./pages/links/portal.tsx')).PortalPage,
  '/trusted-contact-admin/:token/first-weeks': async () =>
    (await import('./pages/links/portal-first-weeks.tsx')).PortalFirstWeeksPage,
  '/trusted-contact-demo': async () => (await import('./pages/links/portal-demo.tsx')).PortalDemoPage,
  '/new-address/:token': async () => (await import('./pages/links/new-address.tsx')).NewAddressPage,
  '/check-in/:token': async () => (await import('./pages/links/check-in.tsx')).CheckInPage,
  '/remove-contact/:token': async () => (await import('./pages/links/remove-contact.tsx')).RemoveContactPage,
  '/rehearsal/check-in': loadRehearsalLink,
  '/rehearsal/portal': loadRehearsalLink,
  '/rehearsal/letter': loadRehearsalLink,
  '/checkout/:token': async () => (await import('./pages/links/sandbox-checkout.tsx')).SandboxCheckoutPage,
  '/not-me/:token': async () => (await import('./pages/links/not-me.tsx')).NotMePage,
  '/link-sign-in/:token': async () => (await import('./pages/links/link-sign-in.tsx')).LinkSignInPage,
  '/unlink-sign-in/:token': async () => (await import('./pages/links/unlink-sign-in.tsx')).UnlinkSignInPage,
  '/news/:token': async () => (await import('./pages/links/news.tsx')).NewsPage,
};

const pages = linkedPaths.map((path) => ({
  path,
  Page: fetchedPage(loads[path]),
}));

/** Linked pages, each loaded when it is opened. They need no session. */
export function LinkedPages() {
  return (
    <ErrorBoundary>
      <Suspense fallback={<Spinner />}>
        <Switch>
          {pages.map(({ path, Page }) => (
            <Route key={path} path={path} component={Page} />
          ))}
        </Switch>
      </Suspense>
    </ErrorBoundary>
  );
}

/** One of them by itself, fetched already: as the server draws it, and as the browser takes it over. */
export async function linkedPage(path: LinkedPath): Promise<ComponentType> {
  const Page = await loads[path]();
  return () => (
    <ErrorBoundary>
      <Route path={path} component={Page} />
    </ErrorBoundary>
  );
}
