import { type ComponentType, lazy } from 'react';
import { linkedPaths } from '#web/linked-paths.ts';

/**
 * One row of a route table. `frame` says what stands around the page: the letterhead of somebody signed in, the one for
 * visitors, or nothing, since the page brings its own.
 */
export type PageRoute = { path: string; Page: ComponentType; frame: 'app' | 'public' | 'own' };

const Account = lazy(() => import('./pages/account/account.tsx').then((m) => ({ default: m.AccountPage })));
const Admin = lazy(() => import('./pages/admin/admin.tsx').then((m) => ({ default: m.AdminPage })));
const Complaint = lazy(() => import('./pages/public/complaint.tsx').then((m) => ({ default: m.ComplaintPage })));
const ConfirmMailbox = lazy(() =>
  import('./pages/sign-in/confirm-mailbox.tsx').then((m) => ({ default: m.ConfirmMailboxPage })),
);
const Confirmed = lazy(() => import('./pages/sign-in/confirmed.tsx').then((m) => ({ default: m.ConfirmedPage })));
const Contacts = lazy(() => import('./pages/vault/contacts.tsx').then((m) => ({ default: m.ContactsPage })));
const Dashboard = lazy(() => import('./pages/vault/dashboard.tsx').then((m) => ({ default: m.DashboardPage })));
const DataExport = lazy(() => import('./pages/account/data-export.tsx').then((m) => ({ default: m.DataExportPage })));
const RecentlyDeleted = lazy(() =>
  import('./pages/vault/recently-deleted.tsx').then((m) => ({ default: m.RecentlyDeletedPage })),
);
const Documents = lazy(() => import('./pages/vault/documents.tsx').then((m) => ({ default: m.DocumentsPage })));
const EasySetup = lazy(() => import('./pages/vault/easy-setup.tsx').then((m) => ({ default: m.EasySetupPage })));
const EmergencyActivation = lazy(() =>
  import('./pages/public/emergency-activation.tsx').then((m) => ({ default: m.EmergencyActivationPage })),
);
const Faq = lazy(() => import('./pages/public/faq.tsx').then((m) => ({ default: m.FaqPage })));
const Help = lazy(() => import('./pages/vault/help.tsx').then((m) => ({ default: m.HelpPage })));
const Integrations = lazy(() =>
  import('./pages/public/integrations.tsx').then((m) => ({ default: m.IntegrationsPage })),
);
const LinkedPages = lazy(() => import('./linked-pages.tsx').then((m) => ({ default: m.LinkedPages })));
const Login = lazy(() => import('./pages/sign-in/login.tsx').then((m) => ({ default: m.LoginPage })));
const Messages = lazy(() => import('./pages/vault/messages.tsx').then((m) => ({ default: m.MessagesPage })));
const Privacy = lazy(() => import('./pages/account/privacy.tsx').then((m) => ({ default: m.PrivacyPage })));
const PrivacyPolicy = lazy(() =>
  import('./pages/public/privacy-policy.tsx').then((m) => ({ default: m.PrivacyPolicyPage })),
);
const Register = lazy(() => import('./pages/sign-in/register.tsx').then((m) => ({ default: m.RegisterPage })));
const Rehearsal = lazy(() => import('./pages/release/rehearsal.tsx').then((m) => ({ default: m.RehearsalPage })));
const ResetPassword = lazy(() =>
  import('./pages/sign-in/reset-password.tsx').then((m) => ({ default: m.ResetPasswordPage })),
);
const Security = lazy(() => import('./pages/public/security.tsx').then((m) => ({ default: m.SecurityPage })));
const Subscribe = lazy(() => import('./pages/account/subscribe.tsx').then((m) => ({ default: m.SubscribePage })));
const Trustee = lazy(() => import('./pages/release/trustee.tsx').then((m) => ({ default: m.TrusteePage })));
const UserGuide = lazy(() => import('./pages/public/user-guide.tsx').then((m) => ({ default: m.UserGuidePage })));
const VerifyExpired = lazy(() =>
  import('./pages/sign-in/verify-expired.tsx').then((m) => ({ default: m.VerifyExpiredPage })),
);

export const FirstPassword = lazy(() =>
  import('./pages/sign-in/first-password.tsx').then((m) => ({ default: m.FirstPasswordPage })),
);
export const Landing = lazy(() => import('./pages/public/landing.tsx').then((m) => ({ default: m.LandingPage })));
/** In place of every page, for somebody whose account is being deleted. */
export const RestoreAccount = lazy(() =>
  import('./pages/sign-in/restore-account.tsx').then((m) => ({ default: m.RestoreAccountPage })),
);
/** In place of every page, until somebody who signed in after letters had left says who they are. */
export const ReturnQuestion = lazy(() =>
  import('./pages/release/return-question.tsx').then((m) => ({ default: m.ReturnQuestionPage })),
);
export const NotFound = lazy(() => import('./pages/public/not-found.tsx').then((m) => ({ default: m.NotFoundPage })));

/** Pages for everybody to read. The server has them ready for visitors; here they are for whoever comes from within. */
const readingPages: { path: string; Page: ComponentType }[] = [
  { path: '/user-guide', Page: UserGuide },
  { path: '/faq', Page: Faq },
  { path: '/integrations', Page: Integrations },
  { path: '/security', Page: Security },
  { path: '/privacy-policy', Page: PrivacyPolicy },
];

export const confirmMailbox: PageRoute = { path: '/confirm-mailbox/:token', Page: ConfirmMailbox, frame: 'own' };

/** Pages that a link in a mail leads to. They open alike for everybody, signed in or not. */
const linkedPages: PageRoute[] = [
  // Those that have nothing to do with an account; the root shows them without asking for the application.
  ...linkedPaths.map((path) => ({ path, Page: LinkedPages, frame: 'own' as const })),
  { path: '/reset-password/:token', Page: ResetPassword, frame: 'own' },
  confirmMailbox,
  { path: '/verify-email', Page: VerifyExpired, frame: 'own' },
  { path: '/confirmed', Page: Confirmed, frame: 'own' },
];

/** For somebody signed in. Any other path is not found. */
export const signedInRoutes: PageRoute[] = [
  { path: '/', Page: Dashboard, frame: 'app' },
  { path: '/messages', Page: Messages, frame: 'app' },
  { path: '/documents', Page: Documents, frame: 'app' },
  { path: '/recently-deleted', Page: RecentlyDeleted, frame: 'app' },
  { path: '/contacts', Page: Contacts, frame: 'app' },
  { path: '/rehearsal', Page: Rehearsal, frame: 'app' },
  { path: '/help', Page: Help, frame: 'app' },
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

/** For somebody signed out. Any other path shows the landing page. */
export const signedOutRoutes: PageRoute[] = [
  { path: '/login', Page: Login, frame: 'own' },
  { path: '/register', Page: Register, frame: 'own' },
  { path: '/easy-setup', Page: EasySetup, frame: 'own' },
  { path: '/subscribe', Page: Subscribe, frame: 'public' },
  { path: '/complaint', Page: Complaint, frame: 'public' },
  { path: '/emergency-activation', Page: EmergencyActivation, frame: 'public' },
  // The same address is the account's own screen for somebody signed in.
  { path: '/privacy', Page: PrivacyPolicy, frame: 'public' },
  ...readingPages.map((page) => ({ ...page, frame: 'public' as const })),
  ...linkedPages,
];

/** Whether somebody signed in finds a page at a path. What is linked everywhere asks here, so that no link leads nowhere. */
export function hasSignedInPage(path: string): boolean {
  return signedInRoutes.some((route) => route.path === path);
}
