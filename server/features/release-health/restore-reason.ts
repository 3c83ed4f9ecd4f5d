import type { Restore } from './restore.rules.ts';

const restoredWords = 'The database was restored from a backup of ';
const backupTime = /^\d{4}-\d\d-\d\dT[\d:.]+Z/;

/**
 * Why everything is stopped, in words for the operator. It is the only place in which a restore is remembered, since
 * tables of every older version have it. `before` is why it had been stopped already, as the backup says.
 */
export function restoredReason({ backupAt, before }: { backupAt: Date; before: string | null }): string {
  const earlier = before === null ? '' : ` It had been stopped before that: ${before}`;
  return `${restoredWords}${backupAt.toISOString()}.${earlier}`;
}

/** The restore that a freeze is about; `null` where it is about something else. */
export function restoreOf(freeze: { frozenAt: Date | null; frozenReason: string | null }): Restore | null {
  const { frozenAt, frozenReason } = freeze;
  if (!frozenAt || !frozenReason?.startsWith(restoredWords)) return null;
  const [backupAt] = backupTime.exec(frozenReason.slice(restoredWords.length)) ?? [];
  return backupAt ? { atMs: frozenAt.getTime(), backupAtMs: Date.parse(backupAt) } : null;
}
