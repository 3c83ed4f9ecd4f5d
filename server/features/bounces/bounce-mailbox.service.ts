import type { Clock } from '#server/platform/clock/clock.ts';
import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import type { Database } from '#server/platform/db/database.ts';
import { html, letter } from '#server/platform/mail/letter.ts';
import { productName, productSlug } from '#shared/product.ts';
import { findMailbox, keepPlace, keepReadAt } from './bounces.repository.ts';
import type { BounceReader, Receipt } from './bounces.service.ts';

/** Told how the mailbox is; `troubledSinceMs` is null while it can be read. */
type NoteLook = (trouble: 'bounces', look: { troubledSinceMs: number | null; reason: string | null }) => Promise<void>;

export type BounceMailboxDependencies = {
  db: Database;
  clock: Pick<Clock, 'now'>;
  serviceKeys: Pick<ServiceKeys, 'derive'>;
  bounces: BounceReader;
  noteLook: NoteLook;
  /** Writes to the operator, if one is set. */
  tellOperator(mail: { subject: string; html: string; text: string }, key: string): Promise<void>;
  baseUrl: string;
  /** `imaps://user:password@host/folder`. */
  mailboxUrl: string;
  log: { warn(details: object, message: string): void };
};

/** A mailbox that could not be read for so long is said to the operator. */
export const unreadMaxMs = 6 * 3_600_000;
/** Of a mailbox that is new to us older mails are not read: a report counts for 14 days. */
const oldestMs = 14 * 86_400_000;

/** Names the mail by its number, since nothing of it could be read. */
function leftOutEmail(uid: number, baseUrl: string) {
  const parts = letter({
    greeting: 'Hello,',
    paragraphs: [
      html`One email in the mailbox of BOUNCE_MAILBOX could not be read in three rounds. Its number there is ${String(uid)} (UID). We leave it out from now on, and read all others.`,
      html`If it reports that an email of ours failed, that failure is not recorded yet. Open the mailbox, save this email, and hand it to ${`${productSlug} bounce`}.`,
    ],
    reason: `You get this because you look after this installation of ${productName}.`,
    baseUrl,
  });
  return { subject: `${productName}: one email that came back could not be read`, ...parts };
}

/** A code of the network, or that the name and password were not taken; nothing that the other side has said. */
function reasonOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if ('authenticationFailed' in error) return 'the name and the password were not taken';
  return 'code' in error ? String(error.code) : null;
}

function isReport(receipt: Receipt): boolean {
  return receipt === 'taken_back' || receipt === 'no_change';
}

/** Reads the mailbox in which mails come back. */
export function createBounceMailbox(deps: BounceMailboxDependencies) {
  const { db, clock, serviceKeys, bounces, noteLook, tellOperator, baseUrl, mailboxUrl, log } = deps;
  const mailboxKey = serviceKeys.derive('bounce-mailbox', mailboxUrl);

  return {
    /** Reads what is new. Where that fails it is written down, and what is new then is read by the next call. */
    async look(): Promise<void> {
      const startedAt = await clock.now();
      const { uidValidity, lastUid, unread, readAt } = await findMailbox(db, mailboxKey, startedAt);
      const { readBounceMailbox } = await import('#server/platform/mail/bounce-mailbox.ts');
      try {
        await readBounceMailbox(mailboxUrl, {
          after: uidValidity === null || lastUid === null ? null : { uidValidity, uid: lastUid, unread },
          since: new Date(startedAt.getTime() - oldestMs),
          // A reply stays unread, so that a person sees it.
          onMail: async (raw) => isReport(await bounces.receive(raw)),
          onPlace: (place) => keepPlace(db, place),
          onLeftOut: async ({ uid }) => {
            log.warn({ uid }, 'One mail in the mailbox in which mails come back could not be read, and is left out.');
            await tellOperator(leftOutEmail(uid, baseUrl), `${mailboxKey}:${uidValidity}:${uid}`);
          },
        });
        await keepReadAt(db, startedAt);
        await noteLook('bounces', { troubledSinceMs: null, reason: null });
      } catch (error) {
        const reason = reasonOf(error);
        // Its words may hold an address, so the log has the kind of failure only.
        log.warn({ reason }, 'The mailbox in which mails come back could not be read.');
        const isLong = startedAt.getTime() - readAt.getTime() >= unreadMaxMs;
        if (isLong) await noteLook('bounces', { troubledSinceMs: readAt.getTime(), reason });
      }
    },
  };
}
