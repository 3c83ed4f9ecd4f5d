import { type App, operatorAddressOf } from '#server/app.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { domainOf } from '#server/platform/mail/addresses.ts';
import { html, letter, type Markup } from '#server/platform/mail/letter.ts';
import { productName, productSlug } from '#shared/product.ts';
import { enqueueNotification } from '../enqueue.ts';
import { mailboxKeyOf } from '../notifications.messages.ts';
import { addressIn } from '../notifications.payload.ts';
import { listTroubledDomains, wasEnqueued } from './mail-domains.repository.ts';
import { findOwnerRefusals, type OwnerRefusals } from './owner-refusals.repository.ts';

/** A domain that refuses our mail for a reason other than the mailbox. */
export type MailTrouble = {
  /** Null if no address of the domain is stored any more. */
  domain: string | null;
  /** Mails that were refused lately, and mailboxes that they were for. */
  mails: number;
  mailboxes: number;
  isMassRefusal: boolean;
};

/** Refusals of this time are shown, and named in one mail. */
const shownMs = 24 * 3_600_000;
const domainsShown = 10;

/** Results of mail about an account to its owner's own address since then. */
export function refusalsOfOwner(
  { serviceKeys }: App,
  executor: Executor,
  { userId, address, since }: { userId: string; address: string; since: Date },
): Promise<OwnerRefusals> {
  return findOwnerRefusals(executor, { userId, mailboxKey: mailboxKeyOf(serviceKeys, address), since });
}

/** Domains that refuse our mail for a reason that is none of the mailbox: of the last 24 hours, ten at most. */
export async function readMailTrouble(
  { serviceKeys }: App,
  executor: Executor,
  { at }: { at: Date },
): Promise<MailTrouble[]> {
  const since = new Date(at.getTime() - shownMs);
  const found = await listTroubledDomains(executor, { since, limit: domainsShown });
  return found.map(({ sampleId, payload, mails, mailboxes, isMassRefusal }) => {
    const address = sampleId && payload ? addressIn(serviceKeys, sampleId, payload) : null;
    return { domain: address && domainOf(address).toLowerCase(), mails, mailboxes, isMassRefusal };
  });
}

/** Words of the mail to the operator, as it leaves. */
export async function writeMailTrouble(app: App, executor: Executor, { at }: { at: Date }) {
  return mailTroubleEmail(await readMailTrouble(app, executor, { at }), app.baseUrl);
}

/** Writes to the operator when servers begin to refuse our mail, and then once a day (UTC) while they do. */
export async function tellOfMailTrouble(app: App, tx: Executor, at: Date): Promise<void> {
  const dedupeKey = `mail-refused:${at.toISOString().slice(0, 10)}`;
  if (await wasEnqueued(tx, dedupeKey)) return;
  await enqueueNotification(app, tx, {
    channel: 'email',
    kind: 'operator.mail-refused',
    userId: null,
    subjectId: null,
    dedupeKey,
    at,
    to: { address: operatorAddressOf(app) },
    mail: await writeMailTrouble(app, tx, { at }),
  });
}

/** Names domains and counts, and never what a mail says or who it is for. */
export function mailTroubleEmail(troubles: readonly MailTrouble[], baseUrl: string) {
  const paragraphs: Markup[] = [
    html`Other mail servers refuse email that we send, for a reason that is not about one mailbox: our reputation, our DNS records, or their rules. We try these emails again for 30 days. Until one is accepted, no reminder counts as received, and no release by silence rests on it.`,
    ...troubles.map(({ domain, mails, mailboxes, isMassRefusal }) => {
      const counted = `${mails} ${mails === 1 ? 'email' : 'emails'} to ${mailboxes} ${mailboxes === 1 ? 'mailbox' : 'mailboxes'} in the last 24 hours.`;
      const closed = isMassRefusal
        ? ' It says that many mailboxes at once do not exist, so we count none of them as closed for now.'
        : '';
      return html`${domain ?? 'A domain whose name we no longer store'}: ${counted}${closed}`;
    }),
    html`Check the SPF, DKIM and DMARC records of your sending domain, and whether its address is on a block list. The help pages of these providers say how to be accepted again. Then run ${`${productSlug} doctor`}.`,
    html`You get an email like this at most once a day, while it lasts. The Admin Panel shows the same figures.`,
  ];
  const reason = `You get this because you look after this installation of ${productName}.`;
  return {
    subject: `${productName}: other mail servers refuse our email`,
    ...letter({ greeting: 'Hello,', paragraphs, reason, baseUrl }),
  };
}
