import { bytesPerMegabyte, type PlanName } from './plans.ts';

/** Limits of one import. Each is above the export of a full vault of that plan. */
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

/** Limits per plan. Free allows more than it stores, so that owners of a lapsed plan can restore a part. */
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

/** Imports of one account per day, previews included. */
export const importsPerDayMax = 20;
/** Imports that one process reads at once. */
export const importsAtOnceMax = 2;
/** Highest nesting of lists and objects in an export. Our own exports have six levels. */
export const importDepthMax = 20;
