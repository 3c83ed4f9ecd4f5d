import { html, isolate, letter, link } from '#server/platform/mail/letter.ts';
import { productName } from '#shared/product.ts';

/** To somebody for whom an administrator opened an account. The password is not in it: mail is read by many machines. */
export function accountOpenedEmail({ firstName, baseUrl }: { firstName: string; baseUrl: string }) {
  const parts = letter({
    preheader: 'You choose a password of your own when you first sign in.',
    greeting: html`Hello ${isolate(firstName)},`,
    paragraphs: [
      html`We opened an account at ${productName} for you, with this email address.`,
      html`Whoever arranged it gives you a first password. Sign in with it, and choose one of your own: only then does the account open. If you have not been given one, choose “Forgot password” on the sign-in page.`,
    ],
    action: { label: 'Go to the sign-in page', url: `${baseUrl}/login` },
    reason: html`You get this email because an account was opened for you. If you do not want it, answer this email and we remove it.`,
    baseUrl,
  });
  return { subject: `Your account at ${productName} is open`, ...parts };
}

/** News from the administrator, greeted by name. What stands between two empty lines is a paragraph. */
export function newsEmail(news: {
  subject: string;
  message: string;
  firstName: string | null;
  /** Where news are stopped. */
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
    reason: html`You get this because you have an account at ${productName}. If you would rather have no news from us, ${link('stop them here', pageUrl)}. What concerns your account we send all the same.`,
    baseUrl,
  });
  return { subject, ...parts };
}
