import type { Addressee, Mail } from '#server/features/accounts/addressee.ts';
import { html, isolate, letter, link } from '#server/platform/mail/letter.ts';
import { productName } from '#shared/product.ts';
import { greetingName } from '#shared/rules/names.ts';

/** `provider`: the name that people know it by. */
type OfProvider = { to: Addressee; provider: string; baseUrl: string };

const reason = `You get this email because there is an account at ${productName} with this address.`;

/** Asks the mailbox of an account whether a provider may open it. */
export function identityLinkAskedEmail(given: OfProvider & { linkUrl: string; notMeUrl: string }): Mail {
  const { to, provider, linkUrl, notMeUrl, baseUrl } = given;
  const parts = letter({
    preheader: `If it was you, link ${provider} here. If it was not, tell us here.`,
    greeting: greeting(to),
    paragraphs: [
      html`Somebody signed in at ${productName} with ${provider}, using this email address. You have an account with this address, and ${provider} does not open it yet. Nothing was changed.`,
      html`If it was you just now, link ${provider} to your account: the page has one button. From then on you can sign in with ${provider} as well.`,
    ],
    action: { label: `Link ${provider} to your account`, url: linkUrl },
    after: [
      html`The link works once, for one hour.`,
      html`If it was not you, do not link it. Choose ${link('This was not me', notMeUrl)} instead: the page has one button, which refuses ${provider} and signs out every device if it was linked. That works for 30 days. Somebody else may be able to use ${provider} with your address, so secure your account there too.`,
    ],
    reason,
    baseUrl,
  });
  return { subject: `Link ${provider} to your account?`, ...parts };
}

/** Reports to the owner that a provider opens their account. */
export function identityLinkedEmail(given: OfProvider & { notMeUrl: string }): Mail {
  const { to, provider, notMeUrl, baseUrl } = given;
  const parts = letter({
    preheader: 'If it was you, there is nothing to do.',
    greeting: greeting(to),
    paragraphs: [
      html`Your account at ${productName} was linked with ${provider}. From now on you can sign in with ${provider}.`,
      html`If it was you, there is nothing to do. You can remove the link at any time under Privacy & Security.`,
    ],
    action: { label: 'Go to the sign-in page', url: `${baseUrl}/login` },
    after: [
      html`If it was not you, choose ${link('This was not me', notMeUrl)} now: the page has one button, which removes the link and signs out every device. That works for 30 days. Then choose a new password, and secure your email account.`,
    ],
    reason,
    baseUrl,
  });
  return { subject: `Your account can now be opened with ${provider}`, ...parts };
}

/** `did`: complete sentence about the removed sign-in method. */
type Removed = { to: Addressee; did: string; baseUrl: string };

/** Reports to the owner that a way to sign in was removed. */
export function wayRemovedEmail({ to, did, baseUrl }: Removed): Mail {
  const parts = letter({
    preheader: 'If it was you, there is nothing to do.',
    greeting: greeting(to),
    paragraphs: [html`${did} Other devices were signed out.`, html`If it was you, there is nothing to do.`],
    action: { label: 'Go to the sign-in page', url: `${baseUrl}/login` },
    after: [html`If it was not you, choose “Forgot password” on the sign-in page at once, and reply to this email.`],
    reason,
    baseUrl,
  });
  return { subject: 'A way to sign in was removed', ...parts };
}

function greeting(to: Addressee) {
  const firstName = greetingName(to);
  return firstName ? html`Hello ${isolate(firstName)},` : 'Hello,';
}
