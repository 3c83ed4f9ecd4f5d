import { chainOf } from '#server/platform/error-chain.ts';

/**
 * Temporary conditions of PostgreSQL (manual, appendix A). They are connection exceptions (class 08), too many
 * connections, a shutdown or start, a deadlock or a lost race. Timeouts of a lock, a statement or a transaction count
 * too.
 */
const passingStates = /^(?:08...|53300|57P0[123]|57014|55P03|25P03|40001|40P01)$/;
const passingSystemErrors: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ETIMEDOUT',
]);
/** The pool's own words, which carry no code. */
const passingMessages =
  /^(?:timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error)/;

/** True if the database was unreachable or busy, so that the same call may succeed later. */
export function isPassingTrouble(error: unknown): boolean {
  return chainOf(error).some((link) => {
    const code = 'code' in link ? String(link.code) : '';
    return passingStates.test(code) || isRefusedConnection(link, code) || passingMessages.test(link.message);
  });
}

/** A file that is missing is no passing trouble; a socket that is missing (`syscall` connect) is. */
function isRefusedConnection(link: Error, code: string): boolean {
  const syscall = 'syscall' in link ? String(link.syscall) : '';
  return passingSystemErrors.has(code) && ['connect', 'read', 'write'].includes(syscall);
}
