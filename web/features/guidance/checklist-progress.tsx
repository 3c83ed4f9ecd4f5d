import { checklists } from '#web/content/checklists.ts';
import { shownItems } from './checklist.rules.ts';
import type { useChecklists } from './use-checklists.ts';
import './checklist-progress.css';

type ProgressProps = Pick<ReturnType<typeof useChecklists>, 'states'>;

/** One ring for all lists, a tick for each item, and the next item. */
export function ChecklistProgress({ states }: ProgressProps) {
  const items = checklists.flatMap((category) =>
    shownItems(category.items, states[category.id]).map((item) => ({ ...item, category })),
  );
  const done = items.filter(({ isCompleted }) => isCompleted).length;
  const next = items.find(({ isCompleted }) => !isCompleted);
  if (items.length === 0) return null;
  return (
    <section className="sheet onward" aria-labelledby="onward-title">
      <div className="ring">
        <svg viewBox="-100 -100 200 200" aria-hidden="true" focusable="false">
          {items.map(({ text, category, isCompleted }, index) => (
            <line
              key={`${category.id} ${text}`}
              className={isCompleted ? 'y' : text === next?.text && category === next.category ? 'n' : undefined}
              y1="-96"
              y2="-78"
              transform={`rotate(${((index * 360) / items.length).toFixed(2)})`}
            />
          ))}
        </svg>
        <p>
          <b>{done}</b> of {items.length}
        </p>
      </div>
      <div>
        <h3 id="onward-title">{next ? `Next: ${next.text}` : 'All of it is in order.'}</h3>
        <p>
          {next ? (
            <>
              From <a href={`#list-${next.category.id}`}>{next.category.title}</a>. There is no hurry: one thing on a
              quiet day is enough.
            </>
          ) : (
            'Look at it again once a year, and after anything large in your life.'
          )}
        </p>
      </div>
    </section>
  );
}
