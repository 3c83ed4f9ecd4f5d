import type { DeliveredMessage } from '#shared/contract/letters/delivery.ts';
import { firstNameOf } from '#shared/rules/names.ts';
import { longDate } from '#web/lib/format.ts';

type Props = { letter: Pick<DeliveredMessage, 'senderName' | 'said' | 'all'>; token: string | undefined };

/**
 * The reader's own say, as a form that the browser posts: no script acts on it. It never tells if letters for later days
 * exist, because their writer may not want that.
 */
export function ReadersSay({ letter: { senderName, said = {}, all }, token }: Props) {
  const name = <bdi>{firstNameOf(senderName)}</bdi>;
  const { keptUntil, noReminders, noMore } = said;
  return (
    <form id="say" className="say noprint" method="post" action={`/message/${token}/say`} data-posted-by="browser">
      {keptUntil ? (
        <p>We keep it for you until {longDate(keptUntil)}.</p>
      ) : (
        choice('keep', 'Keep it for me', 'for a year, without reminders')
      )}
      {noReminders ? <p>We send you no reminders.</p> : null}
      {noReminders || all.opened === all.letters ? null : choice('not-now', 'Not now', 'and no reminders')}
      {noMore ? (
        <>
          <p>You want no more letters from {name}. Letters for later days wait.</p>
          {choice('letters', 'Send me letters again')}
        </>
      ) : (
        <details>
          <summary>No more letters</summary>
          <p>
            If {name} left letters for later days, they wait until you, or a person whom {name} trusted, ask for them.
            We tell those people that a reader wants no letters now, not who.
          </p>
          {choice('no-more', 'Send me no more letters')}
        </details>
      )}
      <p className="small">{name} is told nothing of this.</p>
    </form>
  );
}

function choice(say: string, label: string, effect?: string) {
  return (
    <p>
      <button type="submit" className="btn btn-3" name="press" value={say}>
        {label}
      </button>{' '}
      {effect}
    </p>
  );
}
