import { type ComponentType, lazy } from 'react';

/** One row of a route table. `frame` says what stands around the page: the letterhead of a person signed in, or none. */
export type PageRoute = { path: string; Page: ComponentType; frame: 'app' | 'own' };

const Accept = lazy(() => import('./pages/accept-invitation.tsx').then((m) => ({ default: m.AcceptInvitationPage })));
const CheckIn = lazy(() => import('./pages/check-in.tsx').then((m) => ({ default: m.CheckInPage })));
const Contacts = lazy(() => import('./pages/contacts.tsx').then((m) => ({ default: m.ContactsPage })));
const Dashboard = lazy(() => import('./pages/dashboard.tsx').then((m) => ({ default: m.DashboardPage })));
const Confirmed = lazy(() =>
  import('./pages/contact-confirmed.tsx').then((m) => ({ default: m.ContactConfirmedPage })),
);
const Letter = lazy(() => import('./pages/letter.tsx').then((m) => ({ default: m.LetterPage })));
const Login = lazy(() => import('./pages/login.tsx').then((m) => ({ default: m.LoginPage })));
const Messages = lazy(() => import('./pages/messages.tsx').then((m) => ({ default: m.MessagesPage })));
const Portal = lazy(() => import('./pages/portal.tsx').then((m) => ({ default: m.PortalPage })));
const Register = lazy(() => import('./pages/register.tsx').then((m) => ({ default: m.RegisterPage })));
const ResetPassword = lazy(() => import('./pages/reset-password.tsx').then((m) => ({ default: m.ResetPasswordPage })));
const VerifyExpired = lazy(() => import('./pages/verify-expired.tsx').then((m) => ({ default: m.VerifyExpiredPage })));

export const Landing = lazy(() => import('./pages/landing.tsx').then((m) => ({ default: m.LandingPage })));
export const NotFound = lazy(() => import('./pages/not-found.tsx').then((m) => ({ default: m.NotFoundPage })));

/** Pages that a link in a mail leads to: they open alike for everybody, signed in or not. */
const linkedPages: PageRoute[] = [
  { path: '/message/:token?', Page: Letter, frame: 'own' },
  { path: '/trusted-contact-accept/:token', Page: Accept, frame: 'own' },
  { path: '/trusted-contact-confirmed', Page: Confirmed, frame: 'own' },
  { path: '/trusted-contact-admin/:token?', Page: Portal, frame: 'own' },
  { path: '/check-in/:token', Page: CheckIn, frame: 'own' },
  { path: '/reset-password/:token', Page: ResetPassword, frame: 'own' },
  { path: '/verify-email', Page: VerifyExpired, frame: 'own' },
];

/** For somebody signed in. Any other path is not found. */
export const signedInRoutes: PageRoute[] = [
  { path: '/', Page: Dashboard, frame: 'app' },
  { path: '/messages', Page: Messages, frame: 'app' },
  { path: '/contacts', Page: Contacts, frame: 'app' },
  { path: '/landing', Page: Landing, frame: 'own' },
  ...linkedPages,
];

/** For somebody signed out. Any other path shows the landing page. */
export const signedOutRoutes: PageRoute[] = [
  { path: '/login', Page: Login, frame: 'own' },
  { path: '/register', Page: Register, frame: 'own' },
  // Both begin with an account; the plan in the address is read there.
  { path: '/easy-setup', Page: Register, frame: 'own' },
  { path: '/subscribe', Page: Register, frame: 'own' },
  ...linkedPages,
];
