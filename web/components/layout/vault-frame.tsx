import { linksFor, NavLinks } from '#web/components/layout/app-header.tsx';
import { Brand } from '#web/components/layout/brand.tsx';
import { SkipLink } from '#web/components/layout/page.tsx';

const rows = ['first', 'second', 'third'];
/** What everybody sees who is signed in; the rest is known once it is known who that is. */
const links = linksFor({ isTrustedContactAccount: false, isAdministrator: false });

/** What stands there until the application has something to show: the letterhead, and the shape of a page. It works without scripts. */
export function VaultFrame({ path }: { path: string }) {
  return (
    <>
      <SkipLink />
      <header className="head noprint">
        <div className="wrap head-in">
          <Brand />
          <nav className="nav" aria-label="Main">
            <NavLinks links={links} location={path} />
          </nav>
          <span className="skel skel-account" />
        </div>
      </header>
      <main id="main" className="main wrap stack" aria-busy="true" tabIndex={-1}>
        <div className="skel skel-title" />
        <div className="skel-rows" role="status" aria-label="Loading your vault">
          {rows.map((row) => (
            <div className="card skel-row" key={row}>
              <div className="skel skel-words" />
              <div className="skel skel-line" />
            </div>
          ))}
        </div>
      </main>
    </>
  );
}
