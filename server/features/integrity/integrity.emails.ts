import { html, letter } from '#server/platform/mail/letter.ts';
import { productName, productSlug } from '#shared/product.ts';

/** Tells the operator that something stored does not match its seal. One a day, however much there is. */
export function integrityEmail({ baseUrl }: { baseUrl: string }) {
  const parts = letter({
    greeting: 'Hello,',
    paragraphs: [
      html`Something that ${productName} keeps no longer matches its seal: it was changed, cut or moved, or its file is missing. It was not opened, and nobody was shown anything wrong.`,
      html`Run ${`${productSlug} integrity`} to see every place, keep the disk as it is, and read “When something is damaged” in docs/operations.md before you change anything.`,
    ],
    reason: `You get this because you look after this installation of ${productName}.`,
    baseUrl,
  });
  return { subject: `${productName}: something stored no longer matches its seal`, ...parts };
}

/** Brings the line of a day to where nobody with the database alone can change it. */
export function anchorEmail({ day, line, baseUrl }: { day: string; line: string; baseUrl: string }) {
  const parts = letter({
    greeting: 'Hello,',
    paragraphs: [
      html`This is how the audit log of ${productName} stands today, in one line:`,
      html`${line}`,
      html`There is nothing to do. Keep this email: ${`${productSlug} audit verify --anchor "…"`}, with the line above in place of the dots, tells whether anything that was in the log on this day was taken out or changed since.`,
    ],
    reason: `You get this once a day because you look after this installation of ${productName}.`,
    baseUrl,
  });
  return { subject: `${productName}: how the audit log stands on ${day}`, ...parts };
}
