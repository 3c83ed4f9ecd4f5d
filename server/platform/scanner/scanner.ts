import { PassThrough, type Transform } from 'node:stream';
import { AppError } from '#shared/contract/errors.ts';

export type Scanner = {
  /**
   * Passes one file through the scan, and ends only after a clean result. Fails with an AppError: `VALIDATION` if
   * malware was found, `UNAVAILABLE` if no scan was possible.
   */
  scan(): Transform;
  /** `none`: no scanner is configured, and files pass as they are. */
  readonly kind: 'clamav' | 'none';
};

export type ScannerSettings = { clamav?: { host: string; port: number } | undefined };

/** Stands where no scanner is configured. */
export const noScanner: Scanner = { kind: 'none', scan: () => new PassThrough() };

/** The scanner these settings ask for. */
export async function openScanner({ clamav }: ScannerSettings): Promise<Scanner> {
  if (clamav === undefined) return noScanner;

  const { createClamavScanner } = await import('./clamav-scanner.ts');
  return createClamavScanner(clamav);
}

export function infected(): AppError {
  return new AppError('VALIDATION', 'Our virus check found something harmful in this file, so we did not store it.');
}

export function unscanned(): AppError {
  return new AppError(
    'UNAVAILABLE',
    'We cannot check files for viruses just now, so we accept none. Try again in a few minutes.',
  );
}

export function tooLargeToScan(): AppError {
  return new AppError('PAYLOAD_TOO_LARGE', 'This file is too large for our virus check, so we did not store it.');
}
