import { useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { comparisonWords } from '#shared/compared-sources.ts';
import { type Nation, nationNames, nations, sourcesOf, type UkFact } from '#shared/uk-facts.ts';
import { Button } from '#web/components/ui/button.tsx';
import { Sheet } from '#web/components/ui/card.tsx';
import { Icon } from '#web/components/ui/icon.tsx';
import { Prose } from '#web/components/ui/prose.tsx';
import type { Guide } from '#web/content/guidance/guide.ts';
import { guideGroups } from '#web/content/guidance/guides.ts';
import { useDraft } from '#web/lib/drafts/draft.ts';
import { counted, longDate } from '#web/lib/format.ts';
import { readingMinutes } from './reading-minutes.ts';

/** Titles of all guides, or one guide, for the chosen nation. */
export function GuidesPanel({ guide }: { guide: Guide | undefined }) {
  const { nation, setNation } = useNation();
  return (
    <>
      <NationSwitch nation={nation} onNation={setNation} />
      {guide ? <GuideSheet key={guide.id} guide={guide} nation={nation} /> : <GuideIndex nation={nation} />}
    </>
  );
}

/** The nation that was chosen last in this browser; England at first. */
function useNation() {
  const { value, setValue } = useDraft<Nation>('nation', 'england');
  return { nation: nations.includes(value) ? value : 'england', setNation: setValue } as const;
}

function NationSwitch({ nation, onNation }: { nation: Nation; onNation: (nation: Nation) => void }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for what a form sends; these buttons only change what is read.
    <div className="chips noprint" role="group" aria-label="Where the person lives or lived">
      {nations.map((value) => (
        <button
          key={value}
          type="button"
          className="chip"
          aria-pressed={value === nation}
          onClick={() => onNation(value)}
        >
          {nationNames[value]}
        </button>
      ))}
    </div>
  );
}

function GuideIndex({ nation }: { nation: Nation }) {
  return [
    <OwnNotes key="own" />,
    ...guideGroups.map(({ id, title, guides }) => (
      <section key={id} className="guide-group" aria-labelledby={`${id}-group`}>
        <h3 id={`${id}-group`}>{title}</h3>
        <ul>
          {guides.map((guide) => (
            <li key={guide.id}>
              <a href={`#${guide.id}`}>{guide.title}</a>
              <p>
                {guide.intro}{' '}
                <span className="quiet num">{counted(readingMinutes(guide, nation), 'minute')} to read</span>
              </p>
            </li>
          ))}
        </ul>
      </section>
    )),
  ];
}

/** The owner’s own page for their family. */
function OwnNotes() {
  return (
    <section className="guide-group" aria-labelledby="own-group">
      <h3 id="own-group">For your own family</h3>
      <ul>
        <li>
          <Link href="/first-weeks/notes">Notes for the first weeks</Link>
          <p>Where the will is, whom to tell, and other plain facts. Your contacts read them after a release.</p>
        </li>
        <li>
          <Link href="/first-weeks">The first weeks, and a sheet for the will</Link>
          <p>The page as they would see it, and one sheet on paper for your solicitor and the drawer.</p>
        </li>
      </ul>
    </section>
  );
}

function GuideSheet({ guide, nation }: { guide: Guide; nation: Nation }) {
  const heading = useRef<HTMLHeadingElement>(null);
  // Choosing a guide moves the reader to another place, though the page stays.
  useEffect(() => heading.current?.focus(), []);
  const parts = guide.parts.filter((part) => part.nations?.includes(nation) ?? true);
  return (
    <Sheet as="article" className="guide" aria-labelledby={`${guide.id}-title`}>
      <div className="guide-tools noprint">
        <a className="back" href="#guidance">
          <Icon name="arrow-left" />
          All guides
        </a>
        <Button variant="secondary" size="small" onClick={() => print()}>
          <Icon name="print" />
          Print
        </Button>
      </div>
      <header>
        <h3 ref={heading} id={`${guide.id}-title`} tabIndex={-1}>
          {guide.title}
        </h3>
        <p className="lead">{guide.intro}</p>
        <p className="hint">
          For {nationNames[nation]}. Last gone through on {longDate(guide.checkedOn)}. Check with the body named before
          you act.
        </p>
      </header>
      {parts.map(({ title, blocks }) => (
        <section key={title}>
          <h4>{title}</h4>
          <Prose blocks={blocks} />
        </section>
      ))}
      <Sources facts={guide.facts ?? []} nation={nation} />
    </Sheet>
  );
}

/** Sources of each amount and deadline, since they change. */
function Sources({ facts, nation }: { facts: readonly UkFact[]; nation: Nation }) {
  const sources = sourcesOf(facts, nation);
  if (sources.length === 0) return null;
  return (
    <section>
      <h4>Where to look it up</h4>
      <div className="prose">
        <p>Amounts, deadlines and numbers change. These have the last word:</p>
        <ul>
          {sources.map((source) => (
            <li key={source.url}>
              <a href={source.url}>{source.title}</a>: {comparisonWords(source, longDate(source.checkedOn))}
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}
