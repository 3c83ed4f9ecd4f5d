import { AppHeaderSkeleton } from '#web/components/layout/app-header.tsx';

const rows = ['first', 'second', 'third'];

/** What stands there until the application has something to show: the letterhead, and the shape of a page. It works without scripts. */
export function VaultFrame({ path }: { path: string }) {
  return (
    <>
      <AppHeaderSkeleton location={path} />
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
