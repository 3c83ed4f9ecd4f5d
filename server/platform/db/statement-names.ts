/**
 * Highest number of named statements per connection, about 40 kB each in PostgreSQL. The service's frequent
 * statements fit.
 */
export const namesMax = 500;
/** Number of statements remembered after one use, newest first. Many texts differ only in their number of values. */
const askedOnceMax = 2_000;

/** Gives the name under which a statement is kept, or none. */
export type StatementNames = (text: string, values: unknown) => string | undefined;

/**
 * Names a statement at its second use, so that PostgreSQL parses it once per connection. It plans it again only if
 * that pays (PostgreSQL manual, "PREPARE"; node-postgres, "Prepared statements"). A name always means one text.
 */
export function createStatementNames(max = namesMax, onceMax = askedOnceMax): StatementNames {
  const names = new Map<string, string>();
  const askedOnce = new Set<string>();
  return (text, values) => {
    const known = names.get(text);
    if (known !== undefined || names.size >= max || !isOne(text, values)) return known;
    if (!askedOnce.delete(text)) {
      const [oldest] = askedOnce;
      if (oldest !== undefined && askedOnce.size >= onceMax) askedOnce.delete(oldest);
      askedOnce.add(text);
      return undefined;
    }
    const name = `kept_${names.size + 1}`;
    names.set(text, name);
    return name;
  };
}

const oneStatement = /^\s*(?:select|with|insert|update|delete)\b[^;]*$/i;

/** Several statements may be sent as one text, but not under a name. Values come with a single one alone. */
function isOne(text: string, values: unknown): boolean {
  return (Array.isArray(values) && values.length > 0) || oneStatement.test(text);
}
