import { describe, expect, it } from 'vitest';
import { linksFor } from '#web/components/layout/app-header.tsx';
import { hasSignedInPage, signedInRoutes, signedOutRoutes } from '#web/routes.tsx';

const pathsOf = (routes: readonly { path: string }[]) => routes.map(({ path }) => path);

/** Pages of the specification that are public. */
const everybodys = [
  '/message/:token?',
  '/trusted-contact-confirmed',
  '/trusted-contact-admin/:token?',
  '/trusted-contact-demo',
  '/user-guide',
  '/faq',
  '/security',
  '/integrations',
  '/privacy',
];

/** The tables of the specification, service 2.1. */
const signedInPaths = [
  '/',
  '/messages',
  '/documents',
  '/contacts',
  '/trustee',
  '/help',
  '/privacy',
  '/data-export',
  '/account',
  '/admin',
  '/landing',
  '/emergency-activation',
  '/easy-setup',
  '/subscribe',
];
const signedOutPaths = ['/login', '/register', '/emergency-activation', '/easy-setup', '/subscribe'];

describe('the route tables', () => {
  it('hold every path of the specification for whom it is meant', () => {
    expect(signedInPaths.filter((path) => !pathsOf(signedInRoutes).includes(path))).toEqual([]);
    expect(signedOutPaths.filter((path) => !pathsOf(signedOutRoutes).includes(path))).toEqual([]);
  });

  it('show the security screen at /privacy to a signed-in person, and the policy to visitors', () => {
    const pageAt = (routes: typeof signedInRoutes) => routes.find(({ path }) => path === '/privacy')?.Page;
    const policy = signedOutRoutes.find(({ path }) => path === '/privacy-policy')?.Page;
    expect(pageAt(signedOutRoutes)).toBe(policy);
    expect(pageAt(signedInRoutes)).not.toBe(policy);
    expect(signedInRoutes.find(({ path }) => path === '/privacy-policy')?.Page).toBe(policy);
  });

  it('lead everybody to the pages that are for everybody', () => {
    for (const routes of [signedInRoutes, signedOutRoutes]) {
      expect(everybodys.filter((path) => !pathsOf(routes).includes(path))).toEqual([]);
    }
  });

  it('name no path twice', () => {
    for (const routes of [signedInRoutes, signedOutRoutes]) {
      expect(new Set(pathsOf(routes)).size).toBe(routes.length);
    }
  });

  it('put pages for reading into the frame of their reader', () => {
    const frameOf = (routes: typeof signedInRoutes, path: string) => routes.find((route) => route.path === path)?.frame;
    expect([frameOf(signedInRoutes, '/faq'), frameOf(signedOutRoutes, '/faq')]).toEqual(['app', 'public']);
    expect([frameOf(signedInRoutes, '/privacy-policy'), frameOf(signedOutRoutes, '/privacy-policy')]).toEqual([
      'app',
      'public',
    ]);
  });
});

describe('the letterhead', () => {
  it('has links to every list of the vault, and asks for each whether it has a page', () => {
    const links = linksFor({ isTrustedContactAccount: false, isAdministrator: false }).map(({ href }) => href);
    expect(links.filter(hasSignedInPage)).toEqual(expect.arrayContaining(['/', '/messages', '/contacts']));
    expect(hasSignedInPage('/nowhere')).toBe(false);
  });

  it('has the account behind the initials, where every link to a larger plan leads', () => {
    expect(['/account', '/subscribe'].filter(hasSignedInPage)).toEqual(['/account', '/subscribe']);
  });
});
