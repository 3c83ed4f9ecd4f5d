import type { ComponentType } from 'react';
import { Route } from 'wouter';
import type { EntryPath } from '#web/linked-paths.ts';

const loads: Record<EntryPath, () => Promise<ComponentType>> = {
  '/login': async () => (await import('./pages/sign-in/plain-login.tsx')).PlainLoginPage,
  '/reset-password/:token': async () => (await import('./pages/sign-in/plain-reset.tsx')).PlainResetPage,
};

/** A page that leads into the vault, as the server draws it. No browser fetches it. */
export async function entryPage(path: EntryPath): Promise<ComponentType> {
  const Page = await loads[path]();
  return () => (
    <Route path={path}>
      <Page />
    </Route>
  );
}
