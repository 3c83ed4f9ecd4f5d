import { type ReactNode, useEffect, useId, useRef } from 'react';
import { Button } from '#web/components/ui/button.tsx';
import './two-versions.css';

export type Side = { title: string; children: ReactNode };
export type Which = 'these' | 'other';

type TwoVersionsProps = {
  title: string;
  text: string;
  /** The words in this window. */
  these: Side;
  /** The words from elsewhere. */
  other: Side;
  onChoose: (which: Which) => void;
};

/** Two versions of one item side by side, and the choice between them. */
export function TwoVersions({ title, text, these, other, onChoose }: TwoVersionsProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const id = useId();
  // The field that was written in has gone, and the focus would go with it.
  useEffect(() => heading.current?.focus(), []);
  return (
    <section className="two-versions" aria-labelledby={id}>
      <h3 id={id} tabIndex={-1} ref={heading}>
        {title}
      </h3>
      <p>{text}</p>
      <div className="two-versions-side">
        <Version {...these} onChoose={() => onChoose('these')} />
        <Version {...other} onChoose={() => onChoose('other')} />
      </div>
    </section>
  );
}

function Version({ title, children, onChoose }: Side & { onChoose: () => void }) {
  const id = useId();
  return (
    <article className="version" aria-labelledby={id}>
      <h4 id={id}>{title}</h4>
      {children}
      <Button variant="secondary" onClick={onChoose} aria-label={`Go on with this one, ${lowerFirst(title)}`}>
        Go on with this one
      </Button>
    </article>
  );
}

export function lowerFirst(words: string): string {
  return words.charAt(0).toLowerCase() + words.slice(1);
}

const when = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', hour: '2-digit', minute: '2-digit' });

/** Title of a version from elsewhere. */
export function titleFrom(place: string, updatedAt: string): string {
  return `${place}, ${when.format(Date.parse(updatedAt))}`;
}

export const savedElsewhere =
  'Nothing was overwritten. Here are both. Choose the one to go on with. Choosing saves nothing.';
export const thisWindow = 'In this window, not saved yet';

/** Fields of one version, each marked if it differs from the other version. */
export function FieldList({ fields }: { fields: readonly { label: string; value: string; isDifferent: boolean }[] }) {
  return (
    <dl className="version-fields">
      {fields.map(({ label, value, isDifferent }) => (
        <div key={label} className={isDifferent ? 'version-differs' : undefined}>
          <dt>
            {label}
            {isDifferent ? <span className="small"> (different)</span> : null}
          </dt>
          <dd>{value || 'Nothing'}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The fields of two versions, each with whether they differ. */
export function comparedFields<Values>(
  these: Values,
  other: Values,
  shown: readonly { label: string; of: (values: Values) => string }[],
) {
  const fieldsOf = (values: Values) =>
    shown.map(({ label, of }) => ({ label, value: of(values), isDifferent: of(these) !== of(other) }));
  return { these: fieldsOf(these), other: fieldsOf(other) };
}
