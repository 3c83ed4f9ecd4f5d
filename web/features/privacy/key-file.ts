import { productName } from '#shared/product.ts';

/** The name of the key file beside its archive: `everkept-export-2026-11-20.key.txt`. */
export function keyFileName(archiveName: string): string {
  return archiveName.replace(/\.zip$/, '.key.txt');
}

/** Content of the key file. The key has a line of its own, so that it can be copied. */
export function keyFileText(key: string, archiveName: string): string {
  return [
    `The key of ${archiveName}`,
    '',
    key,
    '',
    `Open the archive with 7-Zip, Keka or another program that knows AES-256, and give this key as the password.`,
    `Keep this file in another place than the archive. ${productName} does not keep the key, and cannot make it again.`,
    '',
  ].join('\r\n');
}
