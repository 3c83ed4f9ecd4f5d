import { chainOf } from '#server/platform/error-chain.ts';

/**
 * Codes for a lack of space: full disk, exhausted quota, file too large (POSIX), and PostgreSQL's `disk_full`
 * (PostgreSQL manual, appendix A).
 */
const fullCodes: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', '53100']);

/** True if a disk is full, ours or the one of the database, or this was caused by one. */
export function isDiskFull(error: unknown): boolean {
  return chainOf(error).some((link) => 'code' in link && fullCodes.has(link.code));
}
