import { nationNames, nations, sourcesOf } from '#shared/uk-facts.ts';
import { ReadingPage, ReadingPart } from '#web/components/layout/reading-page.tsx';
import { Prose } from '#web/components/ui/prose.tsx';
import { SupportLines } from '#web/components/ui/support-lines.tsx';
import { firstWeek, registering } from '#web/content/guidance/after-a-death.ts';
import type { Guide } from '#web/content/guidance/guide.ts';
import { longDate } from '#web/lib/format.ts';

/** Guide to the first days after a death, open to everyone and without a choice of nation: each part names its nations. */
export function FirstWeekPage() {
  return (
    <ReadingPage title="The first week after a death" intro={firstWeek.intro}>
      <GuideParts guide={firstWeek} title="The first days" />
      <GuideParts guide={registering} title={registering.title} />
      <ReadingPart id="talk" title="To talk to somebody">
        <p>
          <SupportLines />
        </p>
      </ReadingPart>
      <ReadingPart id="sources" title="Where to look it up">
        <div className="prose">
          <p>
            We last checked these words on {longDate(firstWeek.checkedOn)}. Amounts and deadlines change. These have the
            last word:
          </p>
          <ul>
            {sources().map(({ url, title }) => (
              <li key={url}>
                <a href={url}>{title}</a>
              </li>
            ))}
          </ul>
        </div>
      </ReadingPart>
    </ReadingPage>
  );
}

function GuideParts({ guide: { id, parts }, title }: { guide: Guide; title: string }) {
  return (
    <ReadingPart id={id} title={title}>
      <div className="guide-parts">
        {parts.map((part) => (
          <section key={`${part.title} ${part.nations}`}>
            <h3>
              {part.title}
              {part.nations ? <span className="quiet">, {namesOf(part.nations)}</span> : null}
            </h3>
            <Prose blocks={part.blocks} />
          </section>
        ))}
      </div>
    </ReadingPart>
  );
}

function namesOf(where: NonNullable<Guide['parts'][number]['nations']>): string {
  return new Intl.ListFormat('en-GB').format(where.map((nation) => nationNames[nation]));
}

function sources() {
  const facts = [...(firstWeek.facts ?? []), ...(registering.facts ?? [])];
  const all = nations.flatMap((nation) => sourcesOf(facts, nation));
  return [...new Map(all.map((source) => [source.url, source])).values()];
}
