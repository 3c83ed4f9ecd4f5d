import { isoDay, longDate } from '#web/lib/format.ts';

/** Letters that come on days of their own, where their writer lets this person know before. */
export function WaitingLetters({ waitsUntil = [] }: { waitsUntil?: readonly string[] | undefined }) {
  if (waitsUntil.length === 0) return null;
  return (
    <>
      {waitsUntil.map((at, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two may come on one day, and the list never changes.
        <p key={index} className="thr-until noprint">
          {index === 0 ? 'Another letter' : 'One more'} waits for you until{' '}
          <time dateTime={isoDay(at)}>{longDate(at).replaceAll(' ', '\u00a0')}</time>. We write to you on that day.
        </p>
      ))}
    </>
  );
}
