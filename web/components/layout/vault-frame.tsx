import { AppHeaderSkeleton } from '#web/components/layout/app-header.tsx';
import { type VaultPath, vaultHeadings } from '#web/content/vault-headings.ts';

const rows = ['first', 'second', 'third'];

/**
 * What stands there until the application has something to show: the letterhead, and the shape of a page below its heading. It
 * works without scripts. Whoever listens is told that the page is loading, and hears its heading when it is there.
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
