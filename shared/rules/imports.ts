import { bytesPerMegabyte, type PlanName } from './plans.ts';

/** What one import may cost. Each number is above what an export of a full vault of that plan comes to. */
export type ImportLimits = {
  /** Bytes of the file that is sent; the files in it are a third longer there as base64. */
  fileBytesMax: number;
  /** Bytes of its text, files aside. */
  textBytesMax: number;
  /** Objects, lists and members in its text: what reading them costs follows from their number, and not from their length. */
  valuesMax: number;
  /** Letters, and again documents. */
  rowsMax: number;
};

/** Largest file that an import takes on any plan. */
export const importBytesMax = 2_000 * bytesPerMegabyte;

const large: ImportLimits = {
  fileBytesMax: importBytesMax,
  textBytesMax: 32 * bytesPerMegabyte,
  valuesMax: 2_000_000,
  rowsMax: 10_000,
};

/** By plan. Free takes more than it can hold, so that whoever's plan lapsed can put back a part of what they had. */
export const importLimits: Record<PlanName, ImportLimits> = {
  free: {
    fileBytesMax: 20 * bytesPerMegabyte,
    textBytesMax: 4 * bytesPerMegabyte,
    valuesMax: 200_000,
    rowsMax: 1_000,
  },
  essential: {
    fileBytesMax: 700 * bytesPerMegabyte,
    textBytesMax: 16 * bytesPerMegabyte,
    valuesMax: 500_000,
    rowsMax: 2_000,
  },
  premium: large,
  lifetime: large,
};

/** Imports of one account in a day, looks at what is in a file among them. */
export const importsPerDayMax = 20;
/** Imports that one process reads at once. */
export const importsAtOnceMax = 2;
/** How deep lists and objects of an export may lie in each other: an export of ours has six levels. */
export const importDepthMax = 20;
