import type { ReactNode } from 'react';
import { productName, supportEmail } from '#shared/product.ts';
import { SkipLink } from '#web/components/layout/page.tsx';
import { Mark } from '#web/components/ui/mark.tsx';

const wideGap = { gap: 'clamp(2rem, 4vw, 3.25rem)' };

/** The letterhead of a page that one person got a link to. The name leads nowhere: what is typed here must not be lost. */
export function PortalFrame({ onlyFor, children }: { onlyFor?: string | undefined; children: ReactNode }) {
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
      <main id="main" className="portal narrow main stack" style={wideGap} tabIndex={-1}>
        {children}
      </main>
      <footer className="narrow thin-foot noprint" style={{ paddingTop: 0 }}>
        <p>
          Worried that this is not real? Write to <a href={`mailto:${supportEmail}`}>{supportEmail}</a>. Where to find
          support: <a href="tel:08088081677">Cruse, 0808 808 1677</a>.
        </p>
      </footer>
    </>
  );
}
