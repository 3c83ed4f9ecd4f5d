import '#web/styles/landing.css';
import { Hero } from '#web/components/landing/hero.tsx';
import { Pricing } from '#web/components/landing/pricing.tsx';
import { HowItWorks, Questions, Story, Support, Trust } from '#web/components/landing/sections.tsx';
import { Footer } from '#web/components/layout/footer.tsx';
import { PublicHeader } from '#web/components/layout/public-header.tsx';
import { useTitle } from '#web/lib/use-title.ts';

/** Front page: the promise with a picture, the story, the steps, prices, questions and protection. */
export function LandingPage() {
  useTitle('Your digital legacy, protected forever');
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
