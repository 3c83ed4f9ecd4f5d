import type { Clock } from '#server/platform/clock/clock.ts';
import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import type { Database } from '#server/platform/db/database.ts';
import type { MailNumber } from '#server/platform/mail/bounce-mailbox.ts';
import { findMailbox, keepPlace, keepReadAt } from './bounces.repository.ts';
import type { BounceReader, Receipt } from './bounces.service.ts';
import { type OperatorMail, unreadMailEmail } from './unread-mail.ts';

/** Called with the state of the mailbox; `troubledSinceMs` is null while it can be read. */
type NoteLook = (trouble: 'bounces', look: { troubledSinceMs: number | null; reason: string | null }) => Promise<void>;

export type BounceMailboxDependencies = {
  db: Database;
  clock: Pick<Clock, 'now'>;
  serviceKeys: Pick<ServiceKeys, 'derive'>;
  bounces: BounceReader;
  noteLook: NoteLook;
  /** Writes to the operator, if one is set. */
  tellOperator(mail: OperatorMail, key: string): Promise<void>;
  baseUrl: string;
  /** `imaps://user:password@host/folder`. */
  mailboxUrl: string;
  log: { warn(details: object, message: string): void };
};

/** Time after which an unreadable mailbox is reported to the operator. */
export const unreadMaxMs = 6 * 3_600_000;
/** Age of the oldest mail that is read in a new mailbox. A report counts for 14 days. */
const oldestMs = 14 * 86_400_000;

type LeftOut = MailNumber & { why: 'unread' | 'too_costly' };

/** A code of the network, or that the name and password were not taken; nothing that the other side has said. */
function reasonOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if ('authenticationFailed' in error) return 'the name and the password were not taken';
  return 'code' in error ? String(error.code) : null;
}

function isReport(receipt: Receipt): boolean {
  return receipt === 'taken_back' || receipt === 'no_change';
}

/** Reads the mailbox of bounced mails. */
export function createBounceMailbox(deps: BounceMailboxDependencies) {
  const { db, clock, serviceKeys, bounces, noteLook, tellOperator, baseUrl, mailboxUrl, log } = deps;
  const mailboxKey = serviceKeys.derive('bounce-mailbox', mailboxUrl);

  /** The operator gets one email about each mail, however often a round begins again. */
  async function leaveOut({ uidValidity, uid, why }: LeftOut): Promise<void> {
    log.warn({ uid, why }, 'One mail in the mailbox in which mails come back could not be read, and is left out.');
    await tellOperator(unreadMailEmail({ uid, why }, baseUrl), `${mailboxKey}:${uidValidity}:${uid}`);
  }

  return {
    /** Reads new mails. A failure is recorded, and the next call reads them. */
    async look(): Promise<void> {
      const startedAt = await clock.now();
      const { uidValidity, lastUid, unread, readAt } = await findMailbox(db, mailboxKey, startedAt);
      const { readBounceMailbox } = await import('#server/platform/mail/bounce-mailbox.ts');
      try {
        await readBounceMailbox(mailboxUrl, {
          after: uidValidity === null || lastUid === null ? null : { uidValidity, uid: lastUid, unread },
          since: new Date(startedAt.getTime() - oldestMs),
          // A reply stays unread, so that a person sees it.
          onMail: async (raw, number) => {
            const receipt = await bounces.receive(raw);
            if (receipt === 'too_costly') await leaveOut({ ...number, why: receipt });
            return isReport(receipt);
          },
          onPlace: (place) => keepPlace(db, place),
          onLeftOut: (number) => leaveOut({ ...number, why: 'unread' }),
        });
        await keepReadAt(db, startedAt);
        await noteLook('bounces', { troubledSinceMs: null, reason: null });
      } catch (error) {
        const reason = reasonOf(error);
        // The message may contain an address, so only the kind of failure is logged.
        log.warn({ reason }, 'The mailbox in which mails come back could not be read.');
        const isLong = startedAt.getTime() - readAt.getTime() >= unreadMaxMs;
        if (isLong) await noteLook('bounces', { troubledSinceMs: readAt.getTime(), reason });
      }
    },
  };
}
