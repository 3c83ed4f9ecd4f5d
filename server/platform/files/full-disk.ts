import { chainOf } from '#server/platform/error-chain.ts';

/**
 * What says that there is no room: a full disk, a used-up quota, a file that is as long as it may be (POSIX), and the
 * same from PostgreSQL of its own disk (`disk_full`, PostgreSQL manual, appendix A).
 */
const fullCodes: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', '53100']);

/** True if a disk is full, ours or the one of the database, or this was caused by one. */
export function isDiskFull(error: unknown): boolean {
  return chainOf(error).some((link) => 'code' in link && fullCodes.has(link.code));
}
