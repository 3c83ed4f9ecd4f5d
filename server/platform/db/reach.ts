import type pg from 'pg';

/** The database cannot be used at all, with what the operator can do about it. */
export class DatabaseUnreachableError extends Error {
  override readonly name = 'DatabaseUnreachableError';
  /** The message is all the operator needs; a stack would only bury it. */
  readonly isForOperator = true;
}

const silent: ReadonlySet<string> = new Set([
  'EACCES',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'ENOTFOUND',
  'ETIMEDOUT',
]);

/**
 * Connects for the first time. Where that fails, the driver's own words would be a stack, and the address in them may
 * hold a password. @throws DatabaseUnreachableError
 */
export async function reach(client: pg.Client): Promise<void> {
  try {
    await client.connect();
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
    const sentence = isWithoutTls(cause) ? noTls : sentenceOf(code);
    throw sentence === null ? cause : new DatabaseUnreachableError(sentence, { cause });
  }
}

const noTls =
  'The database speaks no TLS, and DATABASE_URL leads to another machine. Turn TLS on there. If no one else can listen on that network, add allowInsecure=1 at the end of the address instead.';

/** The driver's own words: it has no code for this. */
function isWithoutTls(cause: unknown): boolean {
  return cause instanceof Error && /does not support SSL/i.test(cause.message);
}

/** By the codes of the system and of PostgreSQL (manual, appendix A). */
function sentenceOf(code: string): string | null {
  if (silent.has(code)) {
    return `The database does not answer (${code}). Start PostgreSQL, or check the address and the port in DATABASE_URL.`;
  }
  if (code === '28P01' || code === '28000') {
    return `The database refused our login (${code}). Check the name and the password in DATABASE_URL.`;
  }
  if (code === '3D000') {
    return 'The database that DATABASE_URL names does not exist. Create it with createdb, or correct the name.';
  }
  return null;
}
