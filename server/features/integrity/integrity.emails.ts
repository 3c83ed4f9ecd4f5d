import type { Finding } from '#server/features/service-health/findings.rules.ts';
import { html, letter } from '#server/platform/mail/letter.ts';
import { productName, productSlug } from '#shared/product.ts';

/** Notifies the operator that stored data does not match its seal. At most one a day. */
export function integrityEmail({ baseUrl }: { baseUrl: string }) {
  const parts = letter({
    greeting: 'Hello,',
    paragraphs: [
      html`Something that ${productName} keeps no longer matches its seal: it was changed, cut or moved, or its file is missing. It was not opened, and no one was shown wrong data.`,
      html`Run ${`${productSlug} integrity`} to see every place, keep the disk as it is, and read “When something is damaged” in docs/operations.md before you change anything.`,
    ],
    reason: `You get this because you look after this installation of ${productName}.`,
    baseUrl,
  });
  return { subject: `${productName}: something stored no longer matches its seal`, ...parts };
}

type Daily = { day: string; line: string; warnings: readonly Finding[]; baseUrl: string };

/**
 * The operator's daily mail: warnings of what ends or is missing, and the line of the audit log, out of reach of an attacker
 * who has only the database.
 */
export function dailyEmail({ day, line, warnings, baseUrl }: Daily) {
  const parts = letter({
    greeting: 'Hello,',
    paragraphs: [
      ...warnings.map(({ found, mend = '' }) => html`${found} ${mend}`),
      html`This line records the state of the audit log of ${productName} today:`,
      html`${line}`,
      html`${warnings.length === 0 ? 'There is nothing to do. ' : ''}Keep this email: ${`${productSlug} audit verify --anchor "…"`}, with the line above in place of the dots, reports if any entry up to this day was removed or changed since.`,
    ],
    reason: `You get this once a day because you look after this installation of ${productName}.`,
    baseUrl,
  });
  return { subject: `${productName}: ${noticeOf(warnings)}how the audit log stands on ${day}`, ...parts };
}

/** Words before the usual subject, so that a warning is seen where this mail is filed away unread. */
function noticeOf([first, ...others]: readonly Finding[]): string {
  if (!first) return '';
  return others.length === 0 ? `a warning about the ${first.what}, and ` : `${others.length + 1} warnings, and `;
}
