/**
 * So many statements are kept by PostgreSQL for each connection at most, some 40 kB each. What the service asks often has room.
 */
export const namesMax = 500;
/** So many that were asked once are remembered, the newest: texts that grow with the number of their values are many. */
const askedOnceMax = 2_000;

/** Gives the name under which a statement is kept, or none. */
export type StatementNames = (text: string, values: unknown) => string | undefined;

/**
 * Names what is asked for the second time, so that PostgreSQL parses it once for each connection, and plans it again
 * only where that is worth it (PostgreSQL manual, "PREPARE"; node-postgres, "Prepared statements"). A name always
 * stands for the same text.
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
