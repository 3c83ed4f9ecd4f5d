import { listMessages } from '#shared/contract/messages.ts';
import { Button } from '#web/components/ui/button.tsx';
import { useRead } from '#web/lib/api/reads.ts';
import { plainRelation, readerName } from '#web/lib/reader-names.ts';

export type KnownReader = { name: string; relation: string; email: string };

/** How many are offered at once. */
const offeredMax = 6;

/** Everybody that the owner has written to, the latest first; each address once, with the name that was given last. */
export function useKnownReaders(): KnownReader[] {
  const messages = useRead(listMessages);
  const known = new Map<string, KnownReader>();
  for (const { email, name, relation } of (messages.data ?? []).flatMap(({ recipients }) => recipients)) {
    const before = known.get(email);
    // A damaged one has no address any more.
    if (email === '' || before?.name) continue;
    known.set(email, { name: name ?? '', relation: plainRelation(relation), email });
  }
  return [...known.values()];
}

type KnownReadersProps = { readers: readonly KnownReader[]; onChoose: (reader: KnownReader) => void };

/** Offers those who were written to before. */
export function KnownReaders({ readers, onChoose }: KnownReadersProps) {
  if (readers.length === 0) return null;
  return (
    <p className="used">
      <span className="quiet small">Written to before:</span>{' '}
      {readers.slice(0, offeredMax).map((reader) => (
        <Button
          key={reader.email}
          variant="text"
          size="small"
          aria-label={`Write to ${readerName(reader)}`}
          onClick={() => onChoose(reader)}
        >
          {readerName(reader)}
        </Button>
      ))}
    </p>
  );
}
