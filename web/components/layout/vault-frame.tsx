import { AppHeaderSkeleton } from '#web/components/layout/app-header.tsx';
import { Spinner } from '#web/components/ui/spinner.tsx';
import { type VaultPath, vaultHeadings } from '#web/content/vault-headings.ts';

const rows = ['first', 'second', 'third'];

/**
 * Shown until the application has something to show: the letterhead, 'Loading...', and the shape of a page below its heading. It
 * works without scripts. A screen reader says that the page is loading, and reads the heading when the page is there.
 */
export function VaultFrame({ path }: { path: VaultPath }) {
  const { title, intro, ...given } = vaultHeadings[path];
  const isNarrow = 'width' in given;
  return (
    <>
      <AppHeaderSkeleton location={path} />
      <main id="main" className={isNarrow ? 'main narrow stack' : 'main wrap stack'} aria-busy="true" tabIndex={-1}>
        <div className="page-head" aria-hidden="true">
          <div>
            <h1>{title}</h1>
            <p>{intro}</p>
          </div>
        </div>
        <Spinner />
        <div className="skel-rows" aria-hidden="true">
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
