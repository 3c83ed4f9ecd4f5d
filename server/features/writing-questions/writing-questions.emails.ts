import { html, isolate, letter, link } from '#server/platform/mail/letter.ts';
import { productName } from '#shared/product.ts';

/** One question, and the way to a sheet on which its answer begins. */
export function writingQuestionEmail(mail: {
  firstName: string | null;
  question: string;
  writeUrl: string;
  /** Page that stops these emails. */
  stopUrl: string;
  baseUrl: string;
}) {
  const { firstName, question, writeUrl, stopUrl, baseUrl } = mail;
  const parts = letter({
    greeting: firstName ? html`Hello ${isolate(firstName)},` : 'Hello,',
    paragraphs: [
      html`${question}`,
      html`Three lines are enough, and nobody reads them before it is time. If it is the wrong question, leave it: another one comes next month.`,
    ],
    action: { label: 'Write it down', url: writeUrl },
    reason: html`You get this because you asked ${productName} for a question a month. If you want no more of them, ${link('stop them here', stopUrl)}.`,
    baseUrl,
  });
  return { subject: question, ...parts };
}
