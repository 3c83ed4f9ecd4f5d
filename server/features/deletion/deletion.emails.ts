import { html, isolate, letter } from '#server/platform/mail/letter.ts';
import { productName } from '#shared/product.ts';
import { accountAfterDeletionDays } from '#shared/rules/retention.ts';
import type { DeletionCause } from './deletion.rules.ts';

/** A mail as the notifications take it. */
export type Mail = { subject: string; html: string; text: string };

type ToOwner = { firstName: string | null; baseUrl: string };

/** Notifies the owner of the deletion, with the way to keep the account. */
export function deletionRequestedEmail(owner: ToOwner & { cause: DeletionCause; deletionAt: Date }): Mail {
  const parts = letter({
    preheader: 'You can undo this.',
    greeting: greeting(owner),
    paragraphs: [
      html`${whyClosing[owner.cause]} Every device has been signed out.`,
      html`For ${accountAfterDeletionDays} days you can undo this: ${howToKeep(owner.cause)} In that time nothing is sent, we ask no one about you, and we remind no one.`,
      html`On ${longDate(owner.deletionAt)} we destroy the key of the vault. From then on no one can read anything in it, and we cannot bring it back. Letters that were delivered before are deleted with it.`,
    ],
    action: { label: 'Sign in to keep my account', url: `${owner.baseUrl}/login` },
    after: [
      owner.cause === 'not-me'
        ? html`If you never opened an account here, there is nothing more to do.`
        : html`If this was your wish, there is nothing more to do. Thank you for having been with us.`,
    ],
    reason: `You get this email because there is an account at ${productName} with this address.`,
    baseUrl: owner.baseUrl,
  });
  return { subject: `Your account will be deleted on ${longDate(owner.deletionAt)}`, ...parts };
}

const whyClosing: Record<DeletionCause, string> = {
  owner: `You, or somebody signed in as you, asked us to delete your account at ${productName}.`,
  administrator: `The administrator of ${productName} has asked for your account to be deleted.`,
  'not-me': `Somebody chose “This was not me” in the email that we sent to this address when the account at ${productName} was opened. So the account is being deleted.`,
  inactivity: `Your account at ${productName} has not been used for a long time, and our earlier email about it was never answered. It is being deleted now.`,
};

/** A password is not enough if the reader of the mailbox denied having opened the account. */
function howToKeep(cause: DeletionCause): string {
  if (cause !== 'not-me') return 'sign in and choose Restore my account.';
  return 'sign in, and have a link sent to this address. Open it in the same browser, and then choose Restore my account.';
}

/** Sent after a restore. Everything is unchanged, except for a plan that was cancelled meanwhile. */
export function accountRestoredEmail(owner: ToOwner & { planNotice: string | null }): Mail {
  const parts = letter({
    preheader: 'Nothing was lost.',
    greeting: greeting(owner),
    paragraphs: [
      html`Your account at ${productName} is restored, and everything in it is as you left it. We count the days from today.`,
      ...(owner.planNotice ? [html`${owner.planNotice}`] : []),
      html`If somebody else did this, sign in, change your password and delete the account again.`,
    ],
    action: { label: 'Go to my vault', url: owner.baseUrl },
    reason: `You get this email because there is an account at ${productName} with this address.`,
    baseUrl: owner.baseUrl,
  });
  return { subject: 'Your account is restored', ...parts };
}

function greeting({ firstName }: ToOwner) {
  return firstName ? html`Hello ${isolate(firstName)},` : 'Hello,';
}

const dateForm = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'Europe/London' });

function longDate(date: Date): string {
  return dateForm.format(date);
}
