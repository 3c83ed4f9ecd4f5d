import type { ExportFormat } from '#shared/contract/export.ts';
import { productSlug } from '#shared/product.ts';
import { furtherEnding } from '#shared/rules/exports/copy-format.ts';

const endings: Record<ExportFormat, string> = { 'encrypted-zip': 'zip', json: 'json', pdf: 'pdf', html: 'html' };

const dayParts = new Intl.DateTimeFormat('en-GB', {
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  timeZone: 'Europe/London',
});

/** `everkept-export-2026-11-20.zip`, by the calendar in London. */
export function exportFileName(atMs: number, format: ExportFormat): string {
  return `${nameOfDay(atMs)}.${endings[format]}`;
}

/** `everkept-export-2026-11-20-0123456789abcdef.sealed`: the name of a file beside a page. */
export function furtherFileName(atMs: number, id: string): string {
  return `${nameOfDay(atMs)}-${id}${furtherEnding}`;
}

function nameOfDay(atMs: number): string {
  const [day, month, year] = dayParts.format(atMs).split('/');
  return `${productSlug}-export-${year}-${month}-${day}`;
}

/** What the rows and states of an ordinary vault come to. */
const recordBytes = 20_000;

/** About how many bytes an export will have; null for a book, whose length nothing tells before it is set. */
export function estimateBytes(
  { textBytes, fileBytes }: { textBytes: number; fileBytes: number },
  { format, includeDocuments }: { format: ExportFormat; includeDocuments: boolean },
): number | null {
  if (format === 'pdf') return null;
  // Sealed text is base64, and so are files in JSON and in a page.
  const perFileByte = includeDocuments ? (format === 'json' || format === 'html' ? 4 / 3 : 1) : 0;
  return Math.ceil(recordBytes + (textBytes * 3) / 4 + fileBytes * perFileByte);
}
