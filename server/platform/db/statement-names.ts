/**
 * So many statements are kept by PostgreSQL for each connection at most, some 40 kB each. What the service asks often has room;
 * texts that grow with the number of their values would fill any.
 */
export const namesMax = 500;

/** Gives the name under which a statement is kept, or none. */
export type StatementNames = (text: string, values: unknown) => string | undefined;

/**
 * Names what is asked for the second time, so that PostgreSQL parses it once for each connection, and plans it anew only where
 * that is worth it (PostgreSQL manual, "PREPARE"; node-postgres, "Prepared statements"). A name always stands for the same text.
 */
export function createStatementNames(max = namesMax): StatementNames {
  const names = new Map<string, string | undefined>();
  let count = 0;
  return (text, values) => {
    if (!isOne(text, values)) return undefined;
    const isKnown = names.has(text);
    const known = names.get(text);
    if (known !== undefined || (!isKnown && names.size >= max)) return known;
    if (isKnown) count += 1;
    const name = isKnown ? `kept_${count}` : undefined;
    names.set(text, name);
    return name;
  };
}

const oneStatement = /^\s*(?:select|with|insert|update|delete)\b[^;]*$/i;

/** Several statements may be sent as one text, but not under a name. Values come with a single one alone. */
function isOne(text: string, values: unknown): boolean {
  return (Array.isArray(values) && values.length > 0) || oneStatement.test(text);
}
