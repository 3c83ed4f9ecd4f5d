import type { Restore } from './restore.rules.ts';

const restoredWords = 'The database was restored from a backup of ';
const backupTime = /^\d{4}-\d\d-\d\dT[\d:.]+Z/;

/**
 * Reason for the stop of everything, in words for the operator. Only this text remembers a restore, because tables of
 * every older version have the column. `before`: reason of an earlier stop, as in the backup.
 */
export function restoredReason({ backupAt, before }: { backupAt: Date; before: string | null }): string {
  const earlier = before === null ? '' : ` It had been stopped before that: ${before}`;
  return `${restoredWords}${backupAt.toISOString()}.${earlier}`;
}

/** Restore that caused the freeze. Null for another reason. */
export function restoreOf(freeze: { frozenAt: Date | null; frozenReason: string | null }): Restore | null {
  const { frozenAt, frozenReason } = freeze;
  if (!frozenAt || !frozenReason?.startsWith(restoredWords)) return null;
  const [backupAt] = backupTime.exec(frozenReason.slice(restoredWords.length)) ?? [];
  return backupAt ? { atMs: frozenAt.getTime(), backupAtMs: Date.parse(backupAt) } : null;
}
