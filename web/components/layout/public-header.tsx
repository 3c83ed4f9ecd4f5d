import type { ComponentType, ReactNode } from 'react';
import { Brand } from '#web/components/layout/brand.tsx';
import { Footer } from '#web/components/layout/footer.tsx';
import { SkipLink } from '#web/components/layout/page.tsx';
import { ButtonLink } from '#web/components/ui/button.tsx';

type PublicHeaderProps = {
  /** Links to the parts of a long page. */
  children?: ReactNode;
  /** Offered links to sign-in and registration; such a page leaves its own out. */
  offers?: 'both' | 'sign-in' | 'create-account' | 'none';
};

/** Header for a visitor. */
export function PublicHeader({ children, offers = 'both' }: PublicHeaderProps) {
  return (
    <>
      <SkipLink />
      <header className="head">
        <div className="wrap head-in head-public">
          <Brand />
          {children}
          <Offers offers={offers} />
        </div>
      </header>
    </>
  );
}

/** A public page as a visitor sees it. */
export function PublicFrame({ Page }: { Page: ComponentType }) {
  return (
    <>
      <PublicHeader />
      <Page />
      <Footer />
    </>
  );
}

function Offers({ offers }: { offers: NonNullable<PublicHeaderProps['offers']> }) {
  if (offers === 'none') return null;
  if (offers === 'create-account') {
    return (
      <>
        <p className="small hide-s quiet">New here?</p>
        <ButtonLink variant="secondary" size="small" href="/register">
          Create Account
        </ButtonLink>
      </>
    );
  }
  if (offers === 'sign-in') {
    return (
      <>
        <p className="small hide-s quiet">Have an account?</p>
        <ButtonLink variant="secondary" size="small" href="/login">
          Sign In
        </ButtonLink>
      </>
    );
  }
  return (
    <div className="btns">
      <ButtonLink variant="text" size="small" href="/login">
        Sign In
      </ButtonLink>
      <ButtonLink variant="secondary" size="small" href="/register">
        Create Account
      </ButtonLink>
    </div>
  );
}
