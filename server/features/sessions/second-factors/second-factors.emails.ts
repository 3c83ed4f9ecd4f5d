import type { Addressee, Mail } from '#server/features/accounts/addressee.ts';
import { html, isolate, letter } from '#server/platform/mail/letter.ts';
import { productName } from '#shared/product.ts';

/** Change of an account's second factors. */
export type FactorChange =
  | 'authenticator-added'
  | 'authenticator-removed'
  | 'passkey-added'
  | 'passkey-removed'
  | 'codes-renewed';

type Words = { subject: string; done: string; follows: string };

const wordsOf: Record<FactorChange, Words> = {
  'authenticator-added': {
    subject: 'An authenticator app was added to your account',
    done: 'An authenticator app was added to your account',
    follows: 'From now on, signing in with your password asks for a code as well.',
  },
  'authenticator-removed': {
    subject: 'The authenticator app was removed from your account',
    done: 'The authenticator app was removed from your account',
    follows: 'Its codes no longer open your account.',
  },
  'passkey-added': {
    subject: 'A passkey was added to your account',
    done: 'A passkey was added to your account',
    follows: 'It opens your account, and signing in with your password asks for a second step.',
  },
  'passkey-removed': {
    subject: 'A passkey was removed from your account',
    done: 'A passkey was removed from your account',
    follows: 'It no longer opens your account.',
  },
  'codes-renewed': {
    subject: 'Your recovery codes were replaced',
    done: 'New recovery codes were made for your account',
    follows: 'The ones you had before no longer work.',
  },
};

/** Notifies the owner of every change to their sign-in protection, in case another person made it. */
export function factorChangedEmail({
  to,
  change,
  baseUrl,
}: {
  to: Addressee;
  change: FactorChange;
  baseUrl: string;
}): Mail {
  const { subject, done, follows } = wordsOf[change];
  return { subject, ...noticeParts({ to, done, follows, baseUrl }) };
}

/** Notifies the owner that a recovery code was used, with the number of unused ones. */
export function recoveryCodeUsedEmail({
  to,
  codesLeft,
  baseUrl,
}: {
  to: Addressee;
  codesLeft: number;
  baseUrl: string;
}): Mail {
  const left = codesLeft === 1 ? 'One code is left.' : `${codesLeft === 0 ? 'No' : codesLeft} codes are left.`;
  const done = 'Somebody signed in to your account with one of your recovery codes';
  const follows = `${left} You can make new ones under Privacy & Security.`;
  return { subject: 'A recovery code was used to sign in', ...noticeParts({ to, done, follows, baseUrl }) };
}

function noticeParts({
  to,
  done,
  follows,
  baseUrl,
}: {
  to: Addressee;
  done: string;
  follows: string;
  baseUrl: string;
}) {
  return letter({
    preheader: 'If it was you, there is nothing to do.',
    greeting: to.firstName ? html`Hello ${isolate(to.firstName)},` : 'Hello,',
    paragraphs: [html`${done}. ${follows}`, html`If it was you, there is nothing to do.`],
    action: { label: 'Go to the sign-in page', url: `${baseUrl}/login` },
    after: [
      html`If it was not you, sign in at once, open Privacy & Security in the menu, change your password and choose “Sign out all other devices”. If you cannot sign in, reply to this email.`,
    ],
    reason: `You get this email because there is an account at ${productName} with this address.`,
    baseUrl,
  });
}
