import type { ReactNode } from 'react';
import { productName } from '#shared/product.ts';
import { SkipLink } from '#web/components/layout/page.tsx';
import { Mark } from '#web/components/ui/mark.tsx';

type LetterheadProps = {
  /** Recipient of the link. */
  onlyFor?: string | undefined;
  /** Wide where the page has several parts. */
  gap?: 'normal' | 'wide' | 'widest';
  footer?: ReactNode;
  children: ReactNode;
};

const gapClasses = { normal: '', wide: ' stack-wide', widest: ' stack-widest' } as const;

/** Frame of a page behind a personal link. The product name is no link, so that typed text is not lost. */
export function Letterhead({ onlyFor, gap = 'normal', footer, children }: LetterheadProps) {
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
      <main id="main" className={`portal narrow main stack${gapClasses[gap]}`} tabIndex={-1}>
        {children}
      </main>
      {footer ? <footer className="narrow thin-foot thin-foot-after noprint">{footer}</footer> : null}
    </>
  );
}
