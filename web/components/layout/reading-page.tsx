import '#web/styles/reading-pages.css';
import type { ReactNode } from 'react';
import { PageHeading } from '#web/components/layout/page.tsx';
import { useTitle } from '#web/lib/use-title.ts';

type ReadingPageProps = { title: string; intro: ReactNode; children: ReactNode };

/** A page to be read: a large heading, a sentence, and parts with their headings in the margin. */
export function ReadingPage({ title, intro, children }: ReadingPageProps) {
  useTitle(title);
  return (
    <main id="main" className="main wrap reading-page" tabIndex={-1}>
      <header className="reading-head">
        <PageHeading>{title}</PageHeading>
        <p className="lead">{intro}</p>
      </header>
      {children}
    </main>
  );
}

type PartProps = { id: string; title: string; children: ReactNode };

/** One part of such a page. */
export function ReadingPart({ id, title, children }: PartProps) {
  return (
    <section id={id} className="split part" aria-labelledby={`${id}-h`}>
      <h2 id={`${id}-h`}>{title}</h2>
      <div>{children}</div>
    </section>
  );
}
