import type { ComponentType } from 'react';
import { Route } from 'wouter';
import type { EntryPath } from '#web/linked-paths.ts';

const loads: Record<EntryPath, () => Promise<ComponentType>> = {
  '/login': async () => (await import('./pages/sign-in/plain-login.tsx')).PlainLoginPage,
  '/register': async () => (await import('./pages/sign-in/plain-register.tsx')).PlainRegisterPage,
  '/reset-password/:token': async () => (await import('./pages/sign-in/plain-reset.tsx')).PlainResetPage,
  '/verify-email': async () => (await import('./pages/sign-in/plain-verify-expired.tsx')).PlainVerifyExpiredPage,
  '/confirm-mailbox/:token': async () =>
    (await import('./pages/sign-in/plain-confirm-mailbox.tsx')).PlainConfirmMailboxPage,
  '/emergency-activation': async () => (await import('./pages/public/plain-emergency.tsx')).PlainEmergencyPage,
  '/complaint': async () => (await import('./pages/public/plain-complaint.tsx')).PlainComplaintPage,
};

/** A page of the application with a form, as the server draws it. No browser fetches it. */
export async function entryPage(path: EntryPath): Promise<ComponentType> {
  const Page = await loads[path]();
  return () => (
    <Route path={path}>
      <Page />
    </Route>
  );
}
