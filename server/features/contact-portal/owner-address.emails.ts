import type { OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { askAgainDays } from '#server/features/release-core/model.rules.ts';
import type { Mail } from '#server/features/release-mail/release.emails.ts';
import { html, isolate, letter, type Markup } from '#server/platform/mail/letter.ts';
import { type DayAfterSending, longDate } from '#server/platform/mail/mail-day.ts';
import { productName } from '#shared/product.ts';
import { quotable } from '#shared/rules/letterhead/links.ts';
import { veiledAddress } from '#shared/rules/veiled-address.ts';

type OtherAddress = {
  owner: Pick<OwnerRow, 'firstName' | 'lastName' | 'email'>;
  /** As the owner wrote it. */
  contactName: string;
  silentSince: Date;
  /** The earliest day on which silence alone sends the letters. Null if no such day is known. */
  deliverAt: DayAfterSending | null;
  /** False if the letters never go without a contact's word. */
  isBySilence: boolean;
  baseUrl: string;
};

const monthFormat = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'Europe/London' });

/**
 * Mail to an address of a silent owner that a contact gave. A stranger may read it, so it greets no one, names no
 * letter and no reader, and links only to the sign-in page.
 */
export function otherAddressEmail({ owner, contactName, silentSince, baseUrl, ...next }: OtherAddress): Mail {
  const fullName = quotable([owner.firstName, owner.lastName].filter(Boolean).join(' ')) || veiledAddress(owner.email);
  const name = isolate(owner.firstName ? quotable(owner.firstName) : fullName);
  const parts = letter({
    greeting: 'Hello,',
    paragraphs: [
      html`${productName} keeps a vault for ${isolate(fullName)}. It has been silent since about ${monthFormat.format(silentSince)}, and our emails to its usual address did not arrive.`,
      html`A person whom ${name} named gave us this address as another one of ${name}. ${name} wrote that person’s name as “${isolate(quotable(contactName))}”. The words between the quotation marks are not ours.`,
      whatFollows(name, next),
      html`If you are ${name}: please sign in on our site with your usual email address and password. Then nothing is sent. A reply to this email changes nothing.`,
    ],
    action: { label: 'Sign in', url: `${baseUrl}/login` },
    after: [html`If you are not ${name}, you can delete this email. We will not email you about this vault again.`],
    reason: html`You get this once, because a person gave us this address as one of ${isolate(fullName)}.`,
    baseUrl,
  });
  return { subject: `We cannot reach ${fullName}`, ...parts };
}

function whatFollows(
  name: Markup,
  { deliverAt, isBySilence }: Pick<OtherAddress, 'deliverAt' | 'isBySilence'>,
): Markup {
  const people = html`the people whom ${name} named confirm that ${name} has died or cannot act`;
  if (deliverAt) {
    return html`If ${name} does not sign in, the messages in the vault are sent on ${longDate(deliverAt)} at the earliest. They are sent sooner if ${people}.`;
  }
  return isBySilence
    ? html`If ${name} does not sign in, the messages in the vault are sent later, or as soon as ${people}. No day is set yet.`
    : html`If ${name} does not sign in, we ask the people whom ${name} named again every ${askAgainDays} days. The messages in the vault are sent as soon as they confirm that ${name} has died or cannot act, and not before.`;
}
