import type { ReactNode } from 'react';
import { productName, supportEmail } from '#shared/product.ts';
import { SkipLink } from '#web/components/layout/page.tsx';
import { Mark } from '#web/components/ui/mark.tsx';

/** The letterhead of the pages that a contact meets before any release. */
export function InvitationFrame({ onlyFor, children }: { onlyFor?: string | undefined; children: ReactNode }) {
  return (
    <>
      <SkipLink />
      <header className="head">
        <div className="narrow head-in">
          <span className="brand">
            <Mark />
            {productName}
          </span>
          {onlyFor ? (
            <p className="small quiet">
              For <bdi>{onlyFor}</bdi> only
            </p>
          ) : null}
        </div>
      </header>
      <main
        id="main"
        className="portal narrow main stack"
        style={{ gap: 'clamp(1.75rem, 3.5vw, 2.75rem)' }}
        tabIndex={-1}
      >
        {children}
      </main>
      <footer className="narrow thin-foot noprint" style={{ paddingTop: 0 }}>
        <p>
          Worried that this is not real? Ask the person it is about, or write to{' '}
          <a href={`mailto:${supportEmail}`}>{supportEmail}</a>.
        </p>
      </footer>
    </>
  );
}
