import { html, isolate, letter, link } from '#server/platform/mail/letter.ts';
import { productName } from '#shared/product.ts';

/** News from the administrator, greeted by name. Empty lines separate paragraphs. */
export function newsEmail(news: {
  subject: string;
  message: string;
  firstName: string | null;
  /** Page on which the recipient stops the news. */
  pageUrl: string;
  baseUrl: string;
}) {
  const { subject, message, firstName, pageUrl, baseUrl } = news;
  const paragraphs = message.split(/\r?\n\s*\n/).map((paragraph) => {
    const lines = paragraph
      .trim()
      .split(/\r?\n/)
      .map((line) => html`${line}`);
    return lines.reduce((whole, line) => html`${whole}<br>${line}`);
  });
  const parts = letter({
    greeting: firstName ? html`Hello ${isolate(firstName)},` : 'Hello,',
    paragraphs,
    reason: html`You get this because you have an account at ${productName}. If you would rather have no news from us, ${link('stop them here', pageUrl)}. We still send you emails about your account.`,
    baseUrl,
  });
  return { subject, ...parts };
}
