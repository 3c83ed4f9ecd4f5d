import { bytesPerMegabyte, type PlanName } from '#shared/rules/plans.ts';

/**
 * Bytes of text that one account may write in a day: letters, drafts, contacts, settings, text in a form
 * with a file, the text of an import, and rows that are restored. Files are apart,
 * since storage limits them. Every save leaves an old version on the disk until the database tidies up, so small accounts that
 * save without end would fill it. A letter of 400 kB, saved every minute for four hours, stays below the smallest.
 */
export const writtenBytesPerDay: Record<PlanName, number> = {
  free: 100 * bytesPerMegabyte,
  essential: 300 * bytesPerMegabyte,
  premium: 600 * bytesPerMegabyte,
  lifetime: 600 * bytesPerMegabyte,
};
