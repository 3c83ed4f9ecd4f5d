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

/** Sends the day's line to a mailbox, out of reach of an attacker who has only the database. */
export function anchorEmail({ day, line, baseUrl }: { day: string; line: string; baseUrl: string }) {
  const parts = letter({
    greeting: 'Hello,',
    paragraphs: [
      html`This line records the state of the audit log of ${productName} today:`,
      html`${line}`,
      html`There is nothing to do. Keep this email: ${`${productSlug} audit verify --anchor "…"`}, with the line above in place of the dots, reports if any entry up to this day was removed or changed since.`,
    ],
    reason: `You get this once a day because you look after this installation of ${productName}.`,
    baseUrl,
  });
  return { subject: `${productName}: how the audit log stands on ${day}`, ...parts };
}
