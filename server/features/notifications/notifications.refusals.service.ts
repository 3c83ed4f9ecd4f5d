import { acceptanceVouchesMs } from '#server/features/mail-refusals/mailbox-refusals.rules.ts';
import { isMailAccepted } from '#server/features/mail-refusals/mailbox-refusals.service.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { html, letter, type Markup } from '#server/platform/mail/letter.ts';
import { productName } from '#shared/product.ts';
import { hasOpenFor, type NotificationRow } from './notifications.repository.ts';
import { isLongRefused, longRefusedMs, nothingLeftMs } from './notifications.retry.rules.ts';

/** Where a mail of our own goes when nobody else's can say whether mail gets through. */
export type MailCheck = { address: string; baseUrl: string };

/** The installation, as what a mail is about. */
const installationId = '00000000-0000-4000-8000-000000000001';

/**
 * True if nothing shows that mail gets through at all while a server refuses one permanently: asked at the first refusal, and
 * then as for mail that is refused for now.
 */
export async function isRefusalAlone(
  tx: Executor,
  row: Pick<NotificationRow, 'channel' | 'attempts' | 'notBefore' | 'refusedAt'>,
  at: Date,
): Promise<boolean> {
  if (row.refusedAt !== null) return isMailQuiet(tx, row, at);
  return !(await isMailAccepted(tx, new Date(at.getTime() - acceptanceVouchesMs)));
}

/**
 * Whether mail that is refused for now, for half a day or longer, may be all of it: no other was accepted meanwhile. A
 * day of that is an outage, in which healthy time stands still. The mailbox of somebody who has died may be full for
 * ever, and where no other mail is on its way, it alone would keep their release waiting; so this asks well before.
 */
export async function isMailQuiet(
  tx: Executor,
  row: Pick<NotificationRow, 'channel' | 'attempts' | 'notBefore'>,
  at: Date,
): Promise<boolean> {
  const facts = { attempts: row.attempts, firstDueMs: row.notBefore.getTime(), nowMs: at.getTime() };
  if (row.channel === 'sms' || !isLongRefused(facts)) return false;
  return !(await isMailAccepted(tx, new Date(at.getTime() - longRefusedMs)));
}

/**
 * Whether an attempt says nothing of a mailbox, since no mail at all has left us for a day or longer. What waits patiently waits
 * such an outage of ours out, or somebody's mailbox would be blamed for it. All else is written anew, with words of
 * its day, or of no use to anybody by then.
 */
export async function isInVain(
  tx: Executor,
  row: Pick<NotificationRow, 'channel' | 'policy' | 'attempts' | 'notBefore'>,
  at: Date,
): Promise<boolean> {
  const facts = { attempts: row.attempts, firstDueMs: row.notBefore.getTime(), nowMs: at.getTime() };
  if (row.channel === 'sms' || row.policy !== 'patient' || !isLongRefused(facts)) return false;
  return !(await isMailAccepted(tx, new Date(at.getTime() - nothingLeftMs)));
}

/** What leaves open whether mail gets through: a refusal for good, or mail that waits. */
export type MailDoubt = 'refused' | 'waiting';

type CheckEmail = {
  channel: 'email';
  kind: string;
  userId: null;
  subjectId: string;
  dedupeKey: string;
  at: Date;
  to: { address: string };
  mail: { subject: string; html: string; text: string };
};

/** Writes the mail that finds out, unless one is on its way. */
export async function checkMail(
  tx: Executor,
  check: { to: MailCheck; at: Date; doubt: MailDoubt; enqueue: (tx: Executor, mail: CheckEmail) => Promise<string> },
): Promise<void> {
  if (await hasOpenFor(tx, installationId)) return;
  const { to, at, doubt, enqueue } = check;
  await enqueue(tx, {
    channel: 'email',
    kind: 'operator.mail-check',
    userId: null,
    subjectId: installationId,
    dedupeKey: `mail-check:${at.toISOString()}`,
    at,
    to: { address: to.address },
    mail: mailCheckEmail(to.baseUrl, doubt),
  });
}

const whyAsked: Record<MailDoubt, Markup[]> = {
  refused: [
    html`A mail server has refused one of our emails for good, and no other email was accepted in the hour before. This email finds out whether that is one closed mailbox or all of our mail.`,
    html`You are reading it, so mail gets through and there is nothing you need to do.`,
  ],
  waiting: [
    html`One of our emails has not been accepted for half a day or longer, and no other was accepted meanwhile. This email finds out whether that is one mailbox, which may be full, or all of our mail.`,
    html`You are reading it, so mail gets through and there is nothing you need to do. While we go on trying and send nothing else, an email like this can come once or twice a day.`,
  ],
};

function mailCheckEmail(baseUrl: string, doubt: MailDoubt) {
  const parts = letter({
    greeting: 'Hello,',
    paragraphs: whyAsked[doubt],
    reason: `You get this because you look after this installation of ${productName}.`,
    baseUrl,
  });
  return { subject: `${productName}: mail gets through`, ...parts };
}
