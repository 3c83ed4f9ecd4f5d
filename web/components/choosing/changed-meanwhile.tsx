import { Banner } from '#web/components/ui/banner.tsx';

const namesMax = 5;

/** Names the items that were left as they are, since another window or device has changed them. */
export function ChangedMeanwhile({ names }: { names: readonly string[] }) {
  if (names.length === 0) return null;
  const more = names.length - namesMax;
  const listed = names.slice(0, namesMax).map((name) => `“${name}”`);
  const all = more > 0 ? [...listed, `${more} more`] : listed;
  return (
    <Banner tone="warn" role="alert">
      Changed elsewhere meanwhile, so left as {names.length === 1 ? 'it is' : 'they are'}:{' '}
      {new Intl.ListFormat('en-GB').format(all)}. Read {names.length === 1 ? 'it' : 'them'} first, then try again.
    </Banner>
  );
}
