import { lazy } from 'react';
import { type FetchedPage, fetchedPage, fetchWithRetry } from '#web/lib/loading/fetched-page.tsx';
import { linkedPaths } from '#web/linked-paths.ts';

/**
 * Row of a route table. `frame` is the page's surroundings: the header of the application, the header for visitors,
 * or the page's own.
 */
export type PageRoute = { path: string; Page: FetchedPage; frame: 'app' | 'public' | 'own' };

const Account = fetchedPage(async () => (await import('./pages/account/account.tsx')).AccountPage);
const Admin = fetchedPage(async () => (await import('./pages/admin/admin.tsx')).AdminPage);
const Complaint = fetchedPage(async () => (await import('./pages/public/complaint.tsx')).ComplaintPage);
const ConfirmMailbox = fetchedPage(
  async () => (await import('./pages/sign-in/confirm-mailbox.tsx')).ConfirmMailboxPage,
);
const Confirmed = fetchedPage(async () => (await import('./pages/sign-in/confirmed.tsx')).ConfirmedPage);
const Contacts = fetchedPage(async () => (await import('./pages/vault/contacts.tsx')).ContactsPage);
const Dashboard = fetchedPage(async () => (await import('./pages/vault/dashboard.tsx')).DashboardPage);
const DataExport = fetchedPage(async () => (await import('./pages/account/data-export.tsx')).DataExportPage);
const RecentlyDeleted = fetchedPage(
  async () => (await import('./pages/vault/recently-deleted.tsx')).RecentlyDeletedPage,
);
const Documents = fetchedPage(async () => (await import('./pages/vault/documents.tsx')).DocumentsPage);
const EasySetup = fetchedPage(async () => (await import('./pages/vault/easy-setup.tsx')).EasySetupPage);
const EmergencyActivation = fetchedPage(
  async () => (await import('./pages/public/emergency-activation.tsx')).EmergencyActivationPage,
);
const Faq = fetchedPage(async () => (await import('./pages/public/faq.tsx')).FaqPage);
const FirstWeek = fetchedPage(async () => (await import('./pages/public/first-week.tsx')).FirstWeekPage);
const FirstWeeks = fetchedPage(async () => (await import('./pages/vault/first-weeks.tsx')).FirstWeeksPage);
const FirstWeeksNotes = fetchedPage(
  async () => (await import('./pages/vault/first-weeks-notes.tsx')).FirstWeeksNotesPage,
);
const Help = fetchedPage(async () => (await import('./pages/vault/help.tsx')).HelpPage);
const Integrations = fetchedPage(async () => (await import('./pages/public/integrations.tsx')).IntegrationsPage);
const LinkedPages = fetchedPage(async () => (await import('./linked-pages.tsx')).LinkedPages);
const Login = fetchedPage(async () => (await import('./pages/sign-in/login.tsx')).LoginPage);
const Messages = fetchedPage(async () => (await import('./pages/vault/messages.tsx')).MessagesPage);
const Privacy = fetchedPage(async () => (await import('./pages/account/privacy.tsx')).PrivacyPage);
const PrivacyPolicy = fetchedPage(async () => (await import('./pages/public/privacy-policy.tsx')).PrivacyPolicyPage);
const Register = fetchedPage(async () => (await import('./pages/sign-in/register.tsx')).RegisterPage);
const Rehearsal = fetchedPage(async () => (await import('./pages/release/rehearsal.tsx')).RehearsalPage);
const ResetPassword = fetchedPage(async () => (await import('./pages/sign-in/reset-password.tsx')).ResetPasswordPage);
const Security = fetchedPage(async () => (await import('./pages/public/security.tsx')).SecurityPage);
const Subscribe = fetchedPage(async () => (await import('./pages/account/subscribe.tsx')).SubscribePage);
const Trustee = fetchedPage(async () => (await import('./pages/release/trustee.tsx')).TrusteePage);
const UserGuide = fetchedPage(async () => (await import('./pages/public/user-guide.tsx')).UserGuidePage);
const VerifyExpired = fetchedPage(async () => (await import('./pages/sign-in/verify-expired.tsx')).VerifyExpiredPage);

export const FirstPassword = fetchedPage(
  async () => (await import('./pages/sign-in/first-password.tsx')).FirstPasswordPage,
);
const Landing = fetchedPage(async () => (await import('./pages/public/landing.tsx')).LandingPage);
/** Replaces every page while the account is being deleted. */
export const RestoreAccount = lazy(async () => ({
  default: (await fetchWithRetry(() => import('./pages/sign-in/restore-account.tsx'))).RestoreAccountPage,
}));
/** Replaces every page after letters have left, until the signed-in person states who they are. */
export const ReturnQuestion = lazy(async () => ({
  default: (await fetchWithRetry(() => import('./pages/release/return-question.tsx'))).ReturnQuestionPage,
}));
/** For a visitor. */
export const UnknownAddress = fetchedPage(async () => (await import('./pages/public/landing.tsx')).UnknownAddressPage);
/** For a signed-in person. */
export const NotFound = fetchedPage(async () => (await import('./pages/public/not-found.tsx')).NotFoundPage);

/** Public pages to read. Visitors get them from the server; these are for navigation within the application. */
const readingPages: { path: string; Page: FetchedPage }[] = [
  { path: '/user-guide', Page: UserGuide },
  { path: '/faq', Page: Faq },
  { path: '/integrations', Page: Integrations },
  { path: '/security', Page: Security },
  { path: '/privacy-policy', Page: PrivacyPolicy },
  { path: '/first-week', Page: FirstWeek },
];

export const confirmMailbox: PageRoute = { path: '/confirm-mailbox/:token', Page: ConfirmMailbox, frame: 'own' };

/** Pages that a link in a mail leads to. They open alike for everybody, signed in or not. */
const linkedPages: PageRoute[] = [
  // Pages without an account; the root shows them without the application.
  ...linkedPaths.map((path) => ({ path, Page: LinkedPages, frame: 'own' as const })),
  { path: '/reset-password/:token', Page: ResetPassword, frame: 'own' },
  confirmMailbox,
  { path: '/verify-email', Page: VerifyExpired, frame: 'own' },
  { path: '/confirmed', Page: Confirmed, frame: 'own' },
];

/** Pages of a signed-in person. Any other path is not found. */
export const signedInRoutes: PageRoute[] = [
  { path: '/', Page: Dashboard, frame: 'app' },
  { path: '/messages', Page: Messages, frame: 'app' },
  { path: '/documents', Page: Documents, frame: 'app' },
  { path: '/recently-deleted', Page: RecentlyDeleted, frame: 'app' },
  { path: '/contacts', Page: Contacts, frame: 'app' },
  { path: '/rehearsal', Page: Rehearsal, frame: 'app' },
  { path: '/help', Page: Help, frame: 'app' },
  { path: '/first-weeks', Page: FirstWeeks, frame: 'app' },
  { path: '/first-weeks/notes', Page: FirstWeeksNotes, frame: 'app' },
  { path: '/account', Page: Account, frame: 'app' },
  { path: '/data-export', Page: DataExport, frame: 'app' },
  { path: '/privacy', Page: Privacy, frame: 'app' },
  { path: '/subscribe', Page: Subscribe, frame: 'app' },
  { path: '/trustee', Page: Trustee, frame: 'app' },
  { path: '/admin', Page: Admin, frame: 'app' },
  { path: '/emergency-activation', Page: EmergencyActivation, frame: 'app' },
  { path: '/complaint', Page: Complaint, frame: 'app' },
  { path: '/easy-setup', Page: EasySetup, frame: 'app' },
  { path: '/landing', Page: Landing, frame: 'own' },
  ...readingPages.map((page) => ({ ...page, frame: 'app' as const })),
  ...linkedPages,
];

/** Another name of the dashboard, and the addresses of forms after a sign-in. */
export const redirectedHome = ['/dashboard', '/login', '/register'] as const;

/** Pages that a visitor can use. */
export const visitorRoutes: PageRoute[] = [
  { path: '/login', Page: Login, frame: 'own' },
  { path: '/register', Page: Register, frame: 'own' },
  { path: '/easy-setup', Page: EasySetup, frame: 'own' },
  { path: '/subscribe', Page: Subscribe, frame: 'public' },
  { path: '/complaint', Page: Complaint, frame: 'public' },
  { path: '/emergency-activation', Page: EmergencyActivation, frame: 'public' },
  // For a signed-in person, this address is a screen of the account.
  { path: '/privacy', Page: PrivacyPolicy, frame: 'public' },
  ...readingPages.map((page) => ({ ...page, frame: 'public' as const })),
  ...linkedPages,
];

/** Pages at every path of the site. A visitor at a page of the vault is shown the landing page. Any other path is not found. */
export const signedOutRoutes: PageRoute[] = [
  ...visitorRoutes,
  ...[...signedInRoutes.map(({ path }) => path), ...redirectedHome]
    .filter((path) => !visitorRoutes.some((route) => route.path === path))
    .map((path) => ({ path, Page: Landing, frame: 'own' as const })),
];

/** True if a signed-in person finds a page at the path. Shared links check this, so that none leads nowhere. */
export function hasSignedInPage(path: string): boolean {
  return signedInRoutes.some((route) => route.path === path);
}

/** Loads the signed-in person's page at a path, so that it shows immediately. */
export async function loadSignedInPage(path: string): Promise<void> {
  await signedInRoutes.find((route) => route.path === path)?.Page.load();
}
