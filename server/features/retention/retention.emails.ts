import type { Mail } from '#server/features/deletion/deletion.emails.ts';
import type { ConfirmationUrls } from '#server/features/registration/confirmation-links.ts';
import { notMeLine } from '#server/features/registration/registration.emails.ts';
import { html, isolate, letter, type Markup } from '#server/platform/mail/letter.ts';
import { productName } from '#shared/product.ts';
import { plans } from '#shared/rules/plans.ts';
import {
  accountAfterDeletionDays,
  idleAccountYears,
  type NoticeKind,
  undeliveredAfterPaymentMonths,
} from '#shared/rules/retention.ts';

type Notice = {
  firstName: string | null;
  baseUrl: string;
  goesAt: Date;
  kind: NoticeKind;
  /** Links that confirm or reject an address that was never verified. */
  urls?: ConfirmationUrls | undefined;
};

const { messageLimit, storageLimitMb, title: freeTitle } = plans.free;

const dateForm = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'Europe/London' });

/** Email that announces a removal and its day, and says how the owner can prevent it. */
export function retentionEmail({ firstName, baseUrl, goesAt, kind, urls }: Notice): Mail {
  const date = dateForm.format(goesAt);
  const { subject, paragraphs, label } = words[kind](date);
  const parts = letter({
    greeting: firstName ? html`Hello ${isolate(firstName)},` : 'Hello,',
    paragraphs,
    action: { label, url: urls?.verifyUrl ?? `${baseUrl}/login` },
    after: urls ? [notMeLine(urls.notMeUrl, { isVouched: false })] : [],
    reason: `You get this email because there is an account at ${productName} with this address.`,
    baseUrl,
  });
  return { subject, ...parts };
}

const words: Record<NoticeKind, (date: string) => { subject: string; paragraphs: Markup[]; label: string }> = {
  idle: (date) => ({
    subject: `Your account is kept until ${date}, unless you sign in`,
    paragraphs: [
      html`We have not heard from you for ${idleAccountYears} years. Sign in once, and your account stays as it is.`,
      html`If we hear nothing by ${date}, we begin to delete it. You would then still have ${accountAfterDeletionDays} days to undo that.`,
    ],
    label: 'Sign in and keep it',
  }),
  unverified: (date) => ({
    subject: `Confirm your email address by ${date}, or the account is deleted`,
    paragraphs: [
      html`Somebody opened an account at ${productName} with this address, and nobody has confirmed it. On ${date} the account is deleted with everything in it.`,
      html`If it was you, confirm the address here, and the account stays. The link works for 24 hours; if it has expired, the page behind it sends you a new one.`,
    ],
    label: 'Confirm my email address',
  }),
  undelivered: (date) => ({
    subject: `On ${date} we delete some of what you keep here`,
    paragraphs: [
      html`Your paid plan ended ${undeliveredAfterPaymentMonths} months ago, or will have by then. On ${date} we delete everything above the limits of the ${freeTitle} plan.`,
      html`Of the messages that were not delivered, at most ${messageLimit} stay: those marked as ready come first, then those you changed last. All others go with their attachments, even ready ones. Of files and attachments, up to ${storageLimitMb} MB stays, beginning with those you changed last.`,
      html`To keep all of it, choose a plan before then. To take it with you, export your data. If your messages could still be released, we delete nothing before you have signed in and could see this.`,
    ],
    label: 'Sign in to see it',
  }),
  delivered: (date) => ({
    subject: `Letters that were delivered are kept until ${date}`,
    paragraphs: [
      html`Letters of yours that were delivered have been kept as long as our privacy policy says. On ${date} they are deleted here, with their attachments. The people who have read them keep the copies they saved.`,
      html`To keep a copy, sign in and export your data before then.`,
    ],
    label: 'Sign in to see them',
  }),
};
