const bytesPerKilobyte = 1_000;

/** A size as people say it, in decimal units: `812 bytes`, `4.2 KB`, `412.6 MB`, `5 GB`. */
export function fileSize(sizeBytes: number): string {
  if (sizeBytes < bytesPerKilobyte) return `${sizeBytes} ${sizeBytes === 1 ? 'byte' : 'bytes'}`;
  const units = ['KB', 'MB', 'GB'] as const;
  let value = sizeBytes / bytesPerKilobyte;
  let unit = 0;
  // The rounded value decides, so that 999.96 KB is written 1 MB and not 1000 KB.
  while (Math.round(value * 10) / 10 >= bytesPerKilobyte && unit < units.length - 1) {
    value /= bytesPerKilobyte;
    unit += 1;
  }
  return `${(Math.round(value * 10) / 10).toLocaleString('en-GB')} ${units[unit]}`;
}
