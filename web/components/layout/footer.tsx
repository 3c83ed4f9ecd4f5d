import { Link } from 'wouter';
import { productName } from '#shared/product.ts';
import { Brand } from '#web/components/layout/brand.tsx';

const links = [
  { href: '/privacy', label: 'Privacy' },
  { href: '/faq', label: 'FAQ' },
  { href: '/security', label: 'Security' },
  { href: '/integrations', label: 'Integrations' },
] as const;

/** The year of the copyright line; raised when the texts are gone through each January. */
const copyrightYear = 2026;

export function Footer() {
  return (
    <footer className="foot on-cloth over">
      <div className="wrap foot-in">
        <Brand />
        <nav aria-label="Footer">
          {links.map(({ href, label }) => (
            <Link key={href} href={href}>
              {label}
            </Link>
          ))}
          {/* A page of its own, without the application. */}
          <a href="/licences">Licences</a>
        </nav>
        <p className="small">
          © {copyrightYear} {productName}. All rights reserved.
        </p>
      </div>
    </footer>
  );
}
