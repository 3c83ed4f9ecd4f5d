import { isoDay, shortDate } from '#web/lib/format.ts';
import { WaxSeal } from './wax-seal.tsx';
import './envelope.css';

/** Ribbon of a waiting letter: two halves, one on each side of the wax. */
type Ribbon = { before: string; after: string; day?: string };

export type EnvelopeState =
  /** Pencilled and open: the sheet still looks out. */
  | { state: 'draft' }
  /** Closed, with the writer's wax on it. */
  | { state: 'ready'; initial: string; ribbon?: Ribbon | undefined }
  /** Turned over, with its postmark. */
  | { state: 'delivered'; on: string | null };

/** Class of an envelope; put `EnvelopeTop` inside. */
export function envelopeClass(state: EnvelopeState['state']): string {
  return state === 'ready' ? 'env' : `env env-${state}`;
}

/** The upper part of a small envelope: its flap, and what tells how far the letter has come. Words say the same. */
export function EnvelopeTop(envelope: EnvelopeState) {
  return <div className="env-top">{topOf(envelope)}</div>;
}

function topOf(envelope: EnvelopeState) {
  if (envelope.state === 'delivered') return envelope.on ? <Postmark on={envelope.on} /> : null;
  if (envelope.state === 'draft') return <OpenFlap />;
  return (
    <>
      <svg className="env-flap" viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true" focusable="false">
        <path className="env-tone" d="M1.2 5 48.7 95q2.5 5 5 0L100 7V5Z" />
        <path className="env-line" d="M0 0 47.5 90q2.5 5 5 0L100 0" />
      </svg>
      <WaxSeal initial={envelope.initial} />
      {envelope.ribbon ? <Tied {...envelope.ribbon} /> : null}
    </>
  );
}

function Tied({ before, after, day }: Ribbon) {
  return (
    <p className="ribbon">
      <span>{before}</span> {day ? <time dateTime={day}>{after}</time> : <span>{after}</span>}
    </p>
  );
}

function OpenFlap() {
  return (
    <svg className="env-flap" viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true" focusable="false">
      <path className="env-paper" d="M0 100 47.5 6q2.5-5 5 0L100 100" />
      <path className="env-tone" d="M6 100 50 14 94 100Z" />
      <path className="env-sheet" d="M13 100V52H87V100" />
      <path className="env-pencil" d="M20 68H62M20 84H78" />
    </svg>
  );
}

function Postmark({ on }: { on: string }) {
  const [day, month = '', year] = shortDate(on).split(' ');
  return (
    <time dateTime={isoDay(on)} className="postmark">
      <span className="vh">Delivered {shortDate(on)}</span>
      <svg viewBox="0 0 190 84" aria-hidden="true" focusable="false">
        <path d="M2 18q13-8 26 0t26 0 26 0 22 0M2 34q13-8 26 0t26 0 26 0 20 0M2 50q13-8 26 0t26 0 26 0 20 0M2 66q13-8 26 0t26 0 26 0 22 0" />
        <circle cx="146" cy="42" r="40" />
        <circle cx="146" cy="42" r="35.5" />
        <text x="146" y="29.5" textAnchor="middle">
          {day}
        </text>
        <text x="146" y="48" textAnchor="middle">
          {month.toUpperCase()}
        </text>
        <text x="146" y="66.5" textAnchor="middle">
          {year}
        </text>
      </svg>
    </time>
  );
}
