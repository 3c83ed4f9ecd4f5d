import type { App } from '#server/app.ts';
import type { MailNumber } from '#server/platform/mail/bounce-mailbox.ts';
import { findMailbox, keepPlace, keepReadAt } from './bounces.repository.ts';
import { type Receipt, receiveReturnedMail } from './returned-mail.ts';
import { tellOfUnreadMail } from './unread-mail.ts';

/** State of the mailbox for the alert `bounces`. `troubledSinceMs` is null while it can be read. */
export type Look = { troubledSinceMs: number | null; reason: string | null };

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

/**
 * Reads new mails of the mailbox at `url` (`imaps://user:password@host/folder`). A failure is logged, and the next call
 * reads them. Null while a failure is younger than six hours.
 */
export async function readReturnedMails(
  app: App,
  url: string,
  receive: (app: App, raw: Uint8Array) => Promise<Receipt> = receiveReturnedMail,
): Promise<Look | null> {
  const { db, log } = app;
  const mailboxKey = app.serviceKeys.derive('bounce-mailbox', url);
  const startedAt = await app.clock.now();
  const { uidValidity, lastUid, unread, readAt } = await findMailbox(db, mailboxKey, startedAt);
  const { readBounceMailbox } = await import('#server/platform/mail/bounce-mailbox.ts');
  try {
    await readBounceMailbox(url, {
      after: uidValidity === null || lastUid === null ? null : { uidValidity, uid: lastUid, unread },
      since: new Date(startedAt.getTime() - oldestMs),
      // A reply stays unread, so that a person sees it.
      onMail: async (raw, number) => {
        const receipt = await receive(app, raw);
        if (receipt === 'too_costly') await leaveOut(app, mailboxKey, { ...number, why: receipt });
        return isReport(receipt);
      },
      onPlace: (place) => keepPlace(db, place),
      onLeftOut: (number) => leaveOut(app, mailboxKey, { ...number, why: 'unread' }),
    });
    await keepReadAt(db, startedAt);
    return { troubledSinceMs: null, reason: null };
  } catch (error) {
    const reason = reasonOf(error);
    // The message may contain an address, so only the kind of failure is logged.
    log.warn({ reason }, 'The mailbox in which mails come back could not be read.');
    const isLong = startedAt.getTime() - readAt.getTime() >= unreadMaxMs;
    return isLong ? { troubledSinceMs: readAt.getTime(), reason } : null;
  }
}

/** The operator gets one email about each mail, however often a round begins again. */
async function leaveOut(app: App, mailboxKey: string, { uidValidity, uid, why }: LeftOut): Promise<void> {
  app.log.warn({ uid, why }, 'One mail in the mailbox in which mails come back could not be read, and is left out.');
  await tellOfUnreadMail(app, { uid, why }, `${mailboxKey}:${uidValidity}:${uid}`);
}
