import { type ReactNode, useEffect, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import type { User } from '#shared/contract/accounts.ts';
import { AccountMenu } from '#web/components/layout/account-menu.tsx';
import { Brand } from '#web/components/layout/brand.tsx';
import { FindButton, type FindProps, FindSkeleton } from '#web/components/layout/find-button.tsx';
import { SkipLink } from '#web/components/layout/page.tsx';

type AppHeaderProps = {
  user: User;
  onSignOut: () => void;
  /** True if there is a page at a path: what leads nowhere is not offered. */
  hasPage: (path: string) => boolean;
  /** Opens the palette; undefined until it is loaded. */
  find?: FindProps | undefined;
};
type NavLink = { href: string; label: string };

/** Header for a signed-in person. */
export function AppHeader({ user, onSignOut, hasPage, find }: AppHeaderProps) {
  const [location] = useLocation();
  const links = linksFor(user).filter(({ href }) => hasPage(href));
  return (
    <HeaderFrame links={links} location={location}>
      {find ? <FindButton {...find} /> : <FindSkeleton />}
      <AccountMenu user={user} onSignOut={onSignOut} hasPage={hasPage} />
      <PhoneMenu links={links} location={location} find={find} />
    </HeaderFrame>
  );
}

/** The letterhead before it is known whose it is: with the links that everybody has, and the place of the account's menu. */
export function AppHeaderSkeleton({ location }: { location: string }) {
  const links = linksFor({ isTrustedContactAccount: false, isAdministrator: false });
  return (
    <HeaderFrame links={links} location={location}>
      <FindSkeleton />
      <span className="skel skel-account" />
      <PhoneMenu links={links} location={location} />
    </HeaderFrame>
  );
}

function HeaderFrame({ links, location, children }: { links: NavLink[]; location: string; children: ReactNode }) {
  return (
    <>
      <SkipLink />
      <header className="head noprint">
        <div className="wrap head-in">
          <Brand />
          <nav className="nav" aria-label="Main">
            <NavLinks links={links} location={location} />
          </nav>
          {children}
        </div>
      </header>
    </>
  );
}

/** The links that a person sees; two of them only where they lead somewhere for this person. */
export function linksFor(user: Pick<User, 'isTrustedContactAccount' | 'isAdministrator'>): NavLink[] {
  return [
    { href: '/', label: 'Dashboard' },
    { href: '/messages', label: 'Messages' },
    { href: '/documents', label: 'Documents' },
    { href: '/contacts', label: 'Trusted Contacts' },
    ...(user.isTrustedContactAccount ? [{ href: '/trustee', label: 'Trustee Panel' }] : []),
    { href: '/help', label: 'Help & Guidance' },
    ...(user.isAdministrator ? [{ href: '/admin', label: 'Admin Panel' }] : []),
  ];
}

function NavLinks({ links, location }: { links: NavLink[]; location: string }) {
  return links.map(({ href, label }) => (
    <Link key={href} href={href} aria-current={location === href ? 'page' : undefined}>
      {label}
    </Link>
  ));
}

type PhoneMenuProps = { links: NavLink[]; location: string; find?: FindProps | undefined };

function PhoneMenu({ links, location, find }: PhoneMenuProps) {
  const ref = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = (event: Event) => {
      const menu = ref.current;
      if (!menu?.open) return;
      const isEscape = event instanceof KeyboardEvent && event.key === 'Escape';
      const isOutside = event instanceof PointerEvent && !menu.contains(event.target as Node);
      if (!isEscape && !isOutside) return;
      menu.open = false;
      if (isEscape) menu.querySelector('summary')?.focus();
    };
    addEventListener('keydown', close);
    addEventListener('pointerdown', close);
    return () => {
      removeEventListener('keydown', close);
      removeEventListener('pointerdown', close);
    };
  }, []);
  return (
    // A new place is a new menu, so that it closes behind the person who chose from it.
    <details className="menu" ref={ref} key={location}>
      <summary className="btn btn-2 btn-small">Menu</summary>
      <nav className="menu-in" aria-label="Menu">
        <NavLinks links={links} location={location} />
        {find ? <FindButton {...find} open={() => openBehindMenu(ref.current, find.open)} /> : null}
      </nav>
    </details>
  );
}

/** Closes the menu first: the dialog then gives the focus back to what opens the menu, which can be seen. */
function openBehindMenu(menu: HTMLDetailsElement | null, open: () => void): void {
  if (menu) menu.open = false;
  menu?.querySelector('summary')?.focus();
  open();
}
