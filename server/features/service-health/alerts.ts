import { randomUUID } from 'node:crypto';
import type { App } from '#server/app.ts';
import { messageIdDomainOf, messageIdOf } from '#server/features/notifications/notifications.messages.ts';
import type { Trouble } from '#shared/rules/troubles.ts';
import {
  ensureAlert,
  findOpen,
  type KeptAlert,
  listOpen,
  takeAlert,
  takeClaimed,
  writeAlert,
} from './alerts.repository.ts';
import { afterLook, afterSending, type Word } from './alerts.rules.ts';
import { alarmEmail, allClearEmail } from './service-health.emails.ts';

type Look = { troubledSinceMs: number | null; reason?: string | null };
type Claimed = { alert: KeptAlert; word: Word; claim: string; reason: string | null };

/**
 * Stores the result of a look at a part of the service, and emails the operator if it is time: an alarm, once a day while the
 * trouble lasts, and once after it has ended. Of many processes that look, one sends. If that one ends before, another sends.
 */
export async function noteLook(app: App, trouble: Trouble, { troubledSinceMs, reason = null }: Look): Promise<void> {
  // While all is well, this writes nothing and locks no row.
  if (troubledSinceMs === null && !(await findOpen(app.db, trouble))) return;
  await ensureAlert(app.db, trouble);
  const claimed = await claimWord(app, trouble, troubledSinceMs);
  if (!claimed) return;
  await record(app, { ...claimed, reason }, await tell(app, { ...claimed, reason }));
}

/** Returns troubles that last, or whose end the operator does not know yet, oldest first. */
export function openAlerts({ db }: App): Promise<KeptAlert[]> {
  return listOpen(db);
}

function claimWord(
  { db, clock }: App,
  trouble: Trouble,
  troubledSinceMs: number | null,
): Promise<Omit<Claimed, 'reason'> | null> {
  return db.transaction(async (tx) => {
    const before = await takeAlert(tx, trouble);
    if (!before) return null;
    const nowMs = (await clock.now(tx)).getTime();
    const { alert, word } = afterLook(before, { troubledSinceMs, nowMs });
    const claim = word === null ? before.claim : randomUUID();
    const kept: KeptAlert = { ...alert, trouble, claim };
    await writeAlert(tx, kept);
    return word === null || claim === null ? null : { alert: kept, word, claim };
  });
}

/**
 * Emails the operator directly, because the process that empties the outbox may be the stopped part. Returns true if the mail
 * server accepted the mail, or if only the log can tell the operator.
 */
async function tell(app: App, claimed: Claimed): Promise<boolean> {
  const { serviceKeys, mailer, settings, log } = app;
  const { alert, word } = claimed;
  const { trouble, sinceMs, mails } = alert;
  const details = { trouble, since: dateOf(sinceMs), reason: claimed.reason };
  if (!settings.adminEmail || mailer.kind === 'outbox') {
    const missing = settings.adminEmail ? 'SMTP_URL' : 'ADMIN_EMAIL';
    log.error(details, `${sentences[word]} ${missing} is not set, so no email was written.`);
    return true;
  }
  // Every attempt of this mail has the same id, also in another process.
  const seed = serviceKeys.derive('service-alert', `${trouble}:${word}:${sinceMs}:${mails}`);
  const sent = await mailer.send({
    to: { address: settings.adminEmail },
    messageId: messageIdOf(seed, messageIdDomainOf(settings.mail.from)),
    ...mailOf(app, claimed),
  });
  const isAccepted = sent.outcome === 'accepted';
  log.error(
    details,
    `${sentences[word]} The operator ${isAccepted ? 'was written to.' : 'could not be written to yet.'}`,
  );
  return isAccepted;
}

function mailOf({ baseUrl }: App, { alert, word, reason }: Claimed) {
  const { trouble, isRelapse, sinceMs, wellSinceMs } = alert;
  const about = { trouble, isRelapse, baseUrl, since: dateOf(sinceMs) };
  return word === 'alarm'
    ? alarmEmail({ ...about, reason })
    : allClearEmail({ ...about, wellSince: dateOf(wellSinceMs) });
}

async function record({ db, clock }: App, { alert, word, claim }: Claimed, isAccepted: boolean): Promise<void> {
  await db.transaction(async (tx) => {
    const mine = await takeClaimed(tx, alert.trouble, claim);
    // The lease has expired, and another process has sent the mail or is sending it.
    if (!mine) return;
    const nowMs = (await clock.now(tx)).getTime();
    await writeAlert(tx, { ...mine, ...afterSending(mine, { word, isAccepted, nowMs }), claim: null });
  });
}

const sentences: Record<Word, string> = {
  alarm: 'A part of the service has stopped.',
  all_clear: 'What had stopped runs again.',
};

/** Date of a beginning. Every alert that is told has one, but the type of a row without trouble has none. */
function dateOf(ms: number | null): Date {
  if (ms === null) throw new Error('An alert without a beginning was about to be told.');
  return new Date(ms);
}
