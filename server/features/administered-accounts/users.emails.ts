import { html, isolate, letter } from '#server/platform/mail/letter.ts';
import { productName } from '#shared/product.ts';

/**
 * Sent to the owner of an account that an administrator opened. The password is not in it, because mail is read by many
 * machines.
 */
export function accountOpenedEmail({ firstName, baseUrl }: { firstName: string; baseUrl: string }) {
  const parts = letter({
    preheader: 'You choose a password of your own when you first sign in.',
    greeting: html`Hello ${isolate(firstName)},`,
    paragraphs: [
      html`We opened an account at ${productName} for you, with this email address.`,
      html`The person who arranged it gives you a first password. Sign in with it, then choose a password of your own: only then does the account open. If you have no first password, choose “Forgot password” on the sign-in page.`,
    ],
    action: { label: 'Go to the sign-in page', url: `${baseUrl}/login` },
    reason: html`You get this email because an account was opened for you. If you do not want it, reply to this email and we remove it.`,
    baseUrl,
  });
  return { subject: `Your account at ${productName} is open`, ...parts };
}
