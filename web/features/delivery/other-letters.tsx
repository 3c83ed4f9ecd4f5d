import type { DeliveredMessage } from '#shared/contract/letters/delivery.ts';
import { isoDay, longDate } from '#web/lib/format.ts';
import { FurtherLetters } from './further-letters.tsx';
import { copyHref } from './letter-calls.ts';

type Props = Pick<DeliveredMessage, 'letters' | 'all' | 'senderName'> & { token: string };

/** Other letters from the same writer to this person. One mail announced all; its link leads to the first. */
export function OtherLetters({ letters, all, token, senderName }: Props) {
  const others = letters.filter((letter) => letter.token !== token);
  if (others.length === 0) return null;
  const here = letters.find((letter) => letter.token === token);
  return (
    <nav className="others noprint" aria-labelledby="other-letters">
      <h2 id="other-letters">
        More from <bdi>{senderName}</bdi> for you
      </h2>
      {here ? (
        <p className="small">
          This is letter {here.position} of {all.letters}. Read them in this order, or in any other.
        </p>
      ) : null}
      <ol>
        {others.map((letter) => (
          <li key={letter.token} value={letter.position}>
            <a href={`/message/${letter.token}?open`} dir="auto">
              {letter.title}
            </a>{' '}
            <span className="small">
              {letter.sealed ? 'Sealed with a passphrase. ' : null}
              {letter.openedAt ? 'Opened' : 'Not opened yet'}, kept until{' '}
              <time dateTime={isoDay(letter.keptUntil)}>{longDate(letter.keptUntil)}</time>
            </span>
          </li>
        ))}
      </ol>
      <FurtherLetters letters={letters} all={all} />
      {all.opened > 1 ? (
        <p className="small">
          <a href={copyHref(token, { all: 'true' })}>
            {all.opened === all.letters
              ? 'Save all of them in one PDF'
              : `Save the ${all.opened} opened letters in one PDF`}
          </a>
        </p>
      ) : null}
    </nav>
  );
}
