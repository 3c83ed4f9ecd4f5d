import '#web/styles/landing.css';
import { Hero } from '#web/components/landing/hero.tsx';
import { Pricing } from '#web/components/landing/pricing.tsx';
import { HowItWorks, Questions, Story, Support, Trust } from '#web/components/landing/sections.tsx';
import { Footer } from '#web/components/layout/footer.tsx';
import { PublicHeader } from '#web/components/layout/public-header.tsx';
import { Banner } from '#web/components/ui/banner.tsx';
import { useTitle } from '#web/lib/use-title.ts';

/** Front page: the promise with a picture, the story, the steps, prices, questions and protection. */
export function LandingPage() {
  useTitle('Your digital legacy, protected forever');
  return <FrontPage />;
}

/** Front page at an address without a page: a sentence says so first. */
export function UnknownAddressPage() {
  useTitle('Page Not Found');
  return <FrontPage isUnknownAddress />;
}

function FrontPage({ isUnknownAddress = false }: { isUnknownAddress?: boolean }) {
  return (
    <>
      <PublicHeader>
        <nav className="nav" aria-label="Main">
          <a href="#how">How it works</a>
          <a href="#pricing">Pricing</a>
          <a href="#questions">Questions</a>
        </nav>
      </PublicHeader>
      <main id="main" className="clip" tabIndex={-1}>
        {isUnknownAddress ? (
          <div className="wrap unknown">
            <Banner>
              There is nothing at this address. It may have been typed wrongly, or the page has moved. This is our front
              page.
            </Banner>
          </div>
        ) : null}
        <Hero />
        <Story />
        <HowItWorks />
        <Pricing />
        <Questions />
        <Trust />
        <Support />
      </main>
      <Footer />
    </>
  );
}
