import type { DeliveredMessage } from '#shared/contract/letters/delivery.ts';

/** Links to the envelopes before and after the listed ones, if the list is only a part. */
export function FurtherLetters({ letters, all }: Pick<DeliveredMessage, 'letters' | 'all'>) {
  const [first, last] = [letters[0], letters.at(-1)];
  if (!first || !last || (first.position === 1 && last.position >= all.letters)) return null;
  return (
    <p className="small">
      These are letters {first.position} to {last.position} of {all.letters.toLocaleString('en-GB')}.{' '}
      {first.position > 1 ? <a href={`/message/${first.token}`}>Earlier letters</a> : null}{' '}
      {last.position < all.letters ? <a href={`/message/${last.token}`}>Later letters</a> : null}
    </p>
  );
}
