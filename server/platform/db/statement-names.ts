/**
 * Highest number of named statements per connection, about 40 kB each in PostgreSQL. The service's frequent
 * statements fit.
 */
export const namesMax = 500;
/** Number of statements remembered after one use. The oldest is forgotten first. */
const usedOnceMax = 2_000;

/** Returns the name under which PostgreSQL keeps a statement prepared. Undefined if it has none. */
export type StatementNames = (text: string, values: unknown) => string | undefined;

/**
 * Names a statement at its second use, so that PostgreSQL parses it once per connection. It plans it again only if
 * that pays (PostgreSQL manual, "PREPARE"; node-postgres, "Prepared statements"). A name always means one text.
 */
export function createStatementNames(max = namesMax, onceMax = usedOnceMax): StatementNames {
  const names = new Map<string, string>();
  const usedOnce = new Set<string>();
  return (text, values) => {
    const known = names.get(text);
    if (known !== undefined || names.size >= max || !isOne(text, values)) return known;
    if (!usedOnce.delete(text)) {
      const [oldest] = usedOnce;
      if (oldest !== undefined && usedOnce.size >= onceMax) usedOnce.delete(oldest);
      usedOnce.add(text);
      return undefined;
    }
    const name = `kept_${names.size + 1}`;
    names.set(text, name);
    return name;
  };
}

const oneStatement = /^\s*(?:select|with|insert|update|delete)\b[^;]*$/i;

/** True if the text is a single statement: only that can have a name. A text with values always is. */
function isOne(text: string, values: unknown): boolean {
  return (Array.isArray(values) && values.length > 0) || oneStatement.test(text);
}
