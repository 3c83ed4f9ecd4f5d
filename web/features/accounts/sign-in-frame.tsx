import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { productName } from '#shared/product.ts';
import { PageHeading } from '#web/components/layout/page.tsx';
import { PublicHeader } from '#web/components/layout/public-header.tsx';
import { Drawing } from '#web/components/ui/drawing.tsx';
import { useTitle } from '#web/lib/use-title.ts';
import './accounts.css';

type SignInFrameProps = {
  /** Names the document; begins with `Error: ` where something on the page is wrong. */
  title: string;
  heading: string;
  intro?: ReactNode;
  offers?: 'sign-in' | 'create-account' | 'both' | 'none';
  children: ReactNode;
};

/** A slip of paper beside the lit lamp: every small page that leads into the vault. */
export function SignInFrame({ title, heading, intro, offers = 'create-account', children }: SignInFrameProps) {
  useTitle(title);
  return (
    <div className="login">
      <PublicHeader offers={offers} />
      <main id="main" className="login-in" tabIndex={-1}>
        <div className="wrap login-grid">
          <div className="login-card sheet">
            <div>
              <PageHeading>{heading}</PageHeading>
              {intro ? <p className="quiet">{intro}</p> : null}
            </div>
            {children}
          </div>
          <div className="login-art" aria-hidden="true">
            <Drawing name="lamp-lit" />
            <p>The lamp stays lit while you are here.</p>
          </div>
        </div>
      </main>
      <ThinFooter />
    </div>
  );
}

/** One-line footer of pages before the sign-in. */
export function ThinFooter() {
  return (
    <footer className="wrap thin-foot">
      <nav aria-label="Footer">
        <Link href="/privacy">Privacy</Link>
        <Link href="/faq">FAQ</Link>
        <Link href="/security">Security</Link>
      </nav>
      <span>© 2026 {productName}</span>
    </footer>
  );
}
