import { type App, operatorAddressOf } from '#server/app.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { html, letter, type Markup } from '#server/platform/mail/letter.ts';
import { productName } from '#shared/product.ts';
import type { TriedRow } from '../attempts.repository.ts';
import { enqueueNotification } from '../enqueue.ts';
import { hasOpenFor } from '../notifications.repository.ts';
import { isLongRefused, longRefusedMs, nothingLeftMs } from '../notifications.retry.rules.ts';
import { acceptanceVouchesMs } from './mailbox-refusals.rules.ts';
import { isMailAccepted } from './mailbox-refusals.ts';

/** Subject of mails about the installation. */
const installationId = '00000000-0000-4000-8000-000000000001';

/**
 * True if no acceptance shows that mail gets through while a server refuses one permanently. Checked at the first
 * refusal, and then as for temporary refusals.
 */
export async function isRefusalAlone(tx: Executor, row: TriedRow, at: Date): Promise<boolean> {
  if (row.refusedAt !== null) return isMailQuiet(tx, row, at);
  return !(await isMailAccepted(tx, new Date(at.getTime() - acceptanceVouchesMs)));
}

/**
 * True if every mail may be failing: one has been refused temporarily for half a day or longer, and no other was
 * accepted meanwhile. A day of that is an outage, in which healthy time is paused. A dead person's mailbox may stay
 * full, and without other mail it alone would delay their release. So this check comes well before.
 */
export async function isMailQuiet(tx: Executor, row: TriedRow, at: Date): Promise<boolean> {
  const facts = { attempts: row.attempts, firstDueMs: row.notBefore.getTime(), nowMs: at.getTime() };
  if (row.channel !== 'email' || !isLongRefused(facts)) return false;
  return !(await isMailAccepted(tx, new Date(at.getTime() - longRefusedMs)));
}

/**
 * True if an attempt says nothing about a mailbox, because no mail at all has left us for a day or longer. Patient
 * messages do not count such an outage, or a mailbox would be blamed for it. All other messages are written again with
 * new days, or are useless by then.
 */
export async function isInVain(tx: Executor, row: TriedRow, at: Date): Promise<boolean> {
  const facts = { attempts: row.attempts, firstDueMs: row.notBefore.getTime(), nowMs: at.getTime() };
  if (row.channel !== 'email' || row.policy !== 'patient' || !isLongRefused(facts)) return false;
  return !(await isMailAccepted(tx, new Date(at.getTime() - nothingLeftMs)));
}

/** Reason to doubt that mail gets through: a permanent refusal, or mail that waits. */
export type MailDoubt = 'refused' | 'waiting';

/** Writes a mail to the operator that finds out if mail as a whole gets through, unless one has not ended. */
export async function checkMail(app: App, tx: Executor, { at, doubt }: { at: Date; doubt: MailDoubt }): Promise<void> {
  if (await hasOpenFor(tx, installationId)) return;
  await enqueueNotification(app, tx, {
    channel: 'email',
    kind: 'operator.mail-check',
    userId: null,
    subjectId: installationId,
    dedupeKey: `mail-check:${at.toISOString()}`,
    at,
    to: { address: operatorAddressOf(app) },
    mail: mailCheckEmail(app.baseUrl, doubt),
  });
}

const whyAsked: Record<MailDoubt, Markup[]> = {
  refused: [
    html`A mail server has refused one of our emails permanently, and no other email was accepted in the hour before. This email finds out whether that is one closed mailbox or all of our mail.`,
    html`You are reading it, so mail gets through and there is nothing you need to do.`,
  ],
  waiting: [
    html`One of our emails has not been accepted for half a day or longer, and no other was accepted meanwhile. This email finds out whether that is one mailbox, which may be full, or all of our mail.`,
    html`You are reading it, so mail gets through and there is nothing you need to do. While we go on trying and send nothing else, an email like this can come once or twice a day.`,
    html`It counts when your mail server accepts it, so you don’t have to read it. Your mail program may file emails with this subject away.`,
  ],
};

function mailCheckEmail(baseUrl: string, doubt: MailDoubt) {
  const parts = letter({
    greeting: 'Hello,',
    paragraphs: whyAsked[doubt],
    reason: `You get this because you look after this installation of ${productName}.`,
    baseUrl,
  });
  // Mail programs keep emails that name one earlier email in one conversation, which can be muted.
  const headers = { References: `<mail-check@${new URL(baseUrl).hostname}>` };
  return { subject: `${productName}: mail gets through`, ...parts, headers };
}
