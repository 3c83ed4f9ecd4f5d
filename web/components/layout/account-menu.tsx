import { useLocation } from 'wouter';
import type { User } from '#shared/contract/accounts.ts';
import { Menu } from '#web/components/ui/menu.tsx';
import { useTheme } from '#web/lib/theme.ts';

type Person = Pick<User, 'firstName' | 'lastName' | 'email' | 'profileImageUrl'>;

export const accountPages = [
  { href: '/account', label: 'Account & Billing' },
  { href: '/privacy', label: 'Privacy & Security' },
  { href: '/data-export', label: 'Data Export' },
] as const;

type AccountMenuProps = { user: Person; onSignOut: () => void; hasPage: (path: string) => boolean };

/** The person's menu behind their picture or initials. Items without a page are left out. */
export function AccountMenu({ user, onSignOut, hasPage }: AccountMenuProps) {
  const [, navigate] = useLocation();
  const { theme, toggle } = useTheme();
  const name = fullName(user);
  const offered = accountPages.filter(({ href }) => hasPage(href));
  return (
    <Menu
      button={
        <>
          {user.profileImageUrl ? (
            <img src={user.profileImageUrl} alt="" />
          ) : (
            <span aria-hidden="true">{initialsOf(user)}</span>
          )}
          <span className="vh">{name || user.email}, account menu</span>
        </>
      }
      head={
        <>
          {name ? <b>{name}</b> : null}
          <span>{user.email}</span>
        </>
      }
      items={[
        ...offered.map(({ href, label }) => ({ label, onSelect: () => navigate(href) })),
        {
          label: theme === 'dark' ? 'Light theme' : 'Dark theme',
          onSelect: toggle,
          staysOpen: true,
          startsGroup: true,
        },
        { label: 'Log out', onSelect: onSignOut },
      ]}
    />
  );
}

/** First letters of first and last name, else of the address, else U. */
export function initialsOf({ firstName, lastName, email }: Pick<User, 'firstName' | 'lastName' | 'email'>): string {
  const initials = [firstName, lastName].map((name) => firstLetter(name)).join('');
  return (initials || firstLetter(email) || 'U').toUpperCase();
}

function firstLetter(text: string | null): string {
  // By code point, so that a name that begins outside the basic plane is not cut in half.
  return [...(text ?? '').trim()][0] ?? '';
}

function fullName({ firstName, lastName }: Pick<User, 'firstName' | 'lastName'>): string {
  return [firstName, lastName].filter(Boolean).join(' ');
}
