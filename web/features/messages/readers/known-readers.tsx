import { Button } from '#web/components/ui/button.tsx';
import { light } from '#web/lib/api/light-routes.ts';
import { useRead } from '#web/lib/api/reads.ts';
import { plainRelation, readerName } from '#web/lib/reader-names.ts';

export type KnownReader = { name: string; relation: string; email: string };

/** Number of readers that are offered at once. */
const offeredMax = 6;

/** People that the owner has written to, the latest first; each address once, with the name that was given last. */
export function useKnownReaders(): KnownReader[] {
  const readers = useRead(light.listReaders);
  return (readers.data ?? []).map(({ name, relation, email }) => ({
    name: name ?? '',
    relation: plainRelation(relation),
    email,
  }));
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
