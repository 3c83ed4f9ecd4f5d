import './readers-say.css';
import type { DeliveredMessage } from '#shared/contract/letters/delivery.ts';
import { firstNameOf } from '#shared/rules/names.ts';
import { isoDay, longDate } from '#web/lib/format.ts';

type Props = {
  letter: Pick<DeliveredMessage, 'senderName' | 'said' | 'all'>;
  /** Link of a letter. Null in a rehearsal, where the buttons do nothing. */
  token: string | null;
  /** Set on the page with all envelopes of the person. */
  ofAll?: true;
};

/**
 * The reader's own say, as a form that the browser posts: no script acts on it. It never tells if letters for later days
 * exist, because their writer may not want that.
 */
export function ReadersSay({ letter: { senderName, said = {}, all }, token, ofAll }: Props) {
  const name = <bdi>{firstNameOf(senderName)}</bdi>;
  const isUnread = all.opened < all.letters;
  const { keptUntil, noReminders, noMore } = said;
  const form = token
    ? ({ method: 'post', action: `/message/${token}/say` } as const)
    : ({ method: 'get', action: '/rehearsal/letter' } as const);
  return (
    <section id="say" className="say noprint" aria-labelledby="say-h">
      <h2 id="say-h">You decide what happens next</h2>
      <form {...form} data-posted-by="browser">
        {ofAll ? <input type="hidden" name="of" value="all" /> : null}
        {keptUntil ? (
          <p>
            We keep it for you until <time dateTime={isoDay(keptUntil)}>{longDate(keptUntil)}</time>, without reminders.
          </p>
        ) : (
          <Choice say="keep" label="Keep it for me" effect="We keep it for a year, without reminders." />
        )}
        {noReminders && isUnread && !keptUntil ? <p>We send you no reminders.</p> : null}
        {noReminders || !isUnread ? null : <Choice say="not-now" label="Not now" effect="We send you no reminders." />}
        {noMore ? (
          <>
            <p>You want no more letters from {name}. Any that were left for later days wait until you say otherwise.</p>
            <Choice say="letters" label="Send me letters again" effect="You can change this as often as you like." />
          </>
        ) : (
          <details>
            <summary>No more letters</summary>
            <p>
              If {name} left letters for later days, they wait until you ask for them here, or until a person whom{' '}
              {name} trusted does. We tell those people that a reader wants no letters now, not who it is.
            </p>
            <Choice say="no-more" label="Send me no more letters" effect="You can take this back here." />
          </details>
        )}
      </form>
      <p className="small quiet">{name} is told nothing about what you choose here.</p>
    </section>
  );
}

function Choice({ say, label, effect }: { say: string; label: string; effect: string }) {
  return (
    <p className="say-one">
      <button type="submit" className="btn btn-3" name="press" value={say} aria-describedby={`say-${say}`}>
        {label}
      </button>{' '}
      <span id={`say-${say}`} className="small">
        {effect}
      </span>
    </p>
  );
}
