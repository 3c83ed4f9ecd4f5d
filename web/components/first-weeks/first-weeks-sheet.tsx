import { comparisonWords } from '#shared/compared-sources.ts';
import type { FirstWeeksPage } from '#shared/contract/vault/first-weeks.ts';
import { firstWeeksIntro } from '#shared/rules/first-weeks/notes.ts';
import { Banner } from '#web/components/ui/banner.tsx';
import { isoDay, longDate } from '#web/lib/format.ts';
import './first-weeks.css';

type Step = FirstWeeksPage['parts'][number]['steps'][number];

/** The page for the first weeks: the same for the owner before a release and for a contact after it. */
export function FirstWeeksSheet({ page }: { page: FirstWeeksPage }) {
  const { ownerFirstName, updatedAt, isDamaged, parts } = page;
  return (
    <>
      <div className="stack stack-close">
        <p className="lead measure">{firstWeeksIntro}</p>
        {updatedAt && !isDamaged ? (
          <p className="quiet">
            <bdi>{ownerFirstName}</bdi> wrote the notes, last on{' '}
            <time dateTime={isoDay(updatedAt)}>{longDate(updatedAt)}</time>.
          </p>
        ) : null}
        {isDamaged ? (
          <Banner>
            The notes were damaged where they are kept, and could not be opened. The people who run the service have
            been told. The steps hold without them.
          </Banner>
        ) : null}
      </div>
      {parts.map(({ title, steps }) => (
        <section key={title} className="weeks-part" aria-label={title}>
          <h2>{title}</h2>
          <ol className="weeks-steps">
            {steps.map((step) => (
              <li key={`${step.title} ${step.where}`}>
                <StepWords {...step} name={ownerFirstName} />
              </li>
            ))}
          </ol>
        </section>
      ))}
    </>
  );
}

function StepWords({ title, where, words, list, notes, sources, name }: Step & { name: string }) {
  return (
    <>
      <h3>
        {title}
        {where ? <span className="quiet">, {where}</span> : null}
      </h3>
      {notes.map(({ label, words: noted }) => (
        <figure key={label} className="weeks-note">
          <figcaption>
            {label}, as <bdi>{name}</bdi> noted
          </figcaption>
          <p dir="auto">{noted}</p>
        </figure>
      ))}
      {words.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      {list.length > 0 ? (
        <ul>
          {list.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      ) : null}
      {sources.map((source) => (
        <p key={source.url} className="small quiet">
          <a href={source.url}>{source.title}</a>, {comparisonWords(source, longDate(source.checkedOn))}.
        </p>
      ))}
    </>
  );
}
