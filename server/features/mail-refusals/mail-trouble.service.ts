import type { Clock } from '#server/platform/clock/clock.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { domainOf } from '#server/platform/mail/addresses.ts';
import { html, letter, type Markup } from '#server/platform/mail/letter.ts';
import { productName, productSlug } from '#shared/product.ts';
import { listTroubledDomains, type TroubledDomain, wasEnqueued } from './mail-domains.repository.ts';
import { findOwnerRefusals, type OwnerRefusals } from './owner-refusals.repository.ts';

/** A domain that refuses our mail for a reason other than the mailbox. */
export type MailTrouble = Pick<TroubledDomain, 'mails' | 'mailboxes' | 'isMassRefusal'> & {
  /** Null if no address of the domain is stored any more. */
  domain: string | null;
};

export const troubleKind = 'operator.mail-refused';
/** Refusals of this time are shown, and named in one mail. */
const shownMs = 24 * 3_600_000;
const domainsShown = 10;

/** Says whether mail about an account to its owner's own address was refused since then. */
export type RefusedByOwner = (
  executor: Executor,
  about: { userId: string; address: string; since: Date },
) => Promise<OwnerRefusals>;

type Words = { subject: string; html: string; text: string };
type OperatorEmail = {
  channel: 'email';
  kind: string;
  userId: null;
  subjectId: null;
  dedupeKey: string;
  at: Date;
  to: { address: string };
  mail: Words;
};

type Dependencies = {
  clock: Pick<Clock, 'now'>;
  /** The operator's address, and that of the site. */
  to: { address: string; baseUrl: string };
  /** Opens the sealed payload of a mail. Null if it is damaged. */
  addressIn: (id: string, sealed: Buffer) => string | null;
  /** Value by which the rows know a mailbox. */
  keyOf: (address: string) => string;
  enqueue: (tx: Executor, mail: OperatorEmail) => Promise<string>;
};

/** Notifies the operator of domains that refuse our mail for a reason other than the mailbox. */
export function createMailTrouble({ clock, to, addressIn, keyOf, enqueue }: Dependencies) {
  const refusedByOwner: RefusedByOwner = (executor, { userId, address, since }) =>
    findOwnerRefusals(executor, { userId, mailboxKey: keyOf(address), since });

  async function read(executor: Executor, at: Date): Promise<MailTrouble[]> {
    const since = new Date(at.getTime() - shownMs);
    const found = await listTroubledDomains(executor, { since, limit: domainsShown });
    return found.map(({ sampleId, payload, mails, mailboxes, isMassRefusal }) => {
      const address = sampleId && payload ? addressIn(sampleId, payload) : null;
      return { domain: address && domainOf(address).toLowerCase(), mails, mailboxes, isMassRefusal };
    });
  }

  const write = async (executor: Executor, { at }: { at: Date }): Promise<Words> =>
    mailTroubleEmail(await read(executor, at), to.baseUrl);

  return {
    write,
    refusedByOwner,
    mailTrouble: async (executor: Executor): Promise<MailTrouble[]> => read(executor, await clock.now(executor)),

    /** Writes to the operator when servers begin to refuse our mail, and then once a day (UTC) while they do. */
    async tell(tx: Executor, at: Date): Promise<void> {
      const dedupeKey = `mail-refused:${at.toISOString().slice(0, 10)}`;
      if (await wasEnqueued(tx, dedupeKey)) return;
      const about = { kind: troubleKind, userId: null, subjectId: null, dedupeKey, at } as const;
      const mail = await write(tx, { at });
      await enqueue(tx, { channel: 'email', ...about, to: { address: to.address }, mail });
    },
  };
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
