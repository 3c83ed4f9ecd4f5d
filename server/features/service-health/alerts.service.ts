import { randomUUID } from 'node:crypto';
import { messageIdDomainOf, messageIdOf } from '#server/features/notifications/notifications.message-id.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import type { Database } from '#server/platform/db/database.ts';
import type { Mailer } from '#server/platform/mail/mailer.ts';
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

export type Alerts = {
  /**
   * Notes what was seen of a trouble, and tells the operator what they are to hear now: an alarm, once a day while it lasts,
   * and once that it is over. However many processes look, one sends; where it ends in between, another sends after it.
   */
  noteLook(trouble: Trouble, look: { troubledSinceMs: number | null; reason?: string | null }): Promise<void>;
  /** Troubles that last, or were not told to be over yet; the oldest first. */
  open(): Promise<KeptAlert[]>;
};

export type AlertsDependencies = {
  db: Database;
  clock: Clock;
  serviceKeys: Pick<ServiceKeys, 'derive'>;
  /** By which the operator is written to, past the outbox: what sends the outbox may be what has stopped. */
  mailer: Pick<Mailer, 'send' | 'kind'>;
  mailFrom: string;
  baseUrl: string;
  adminEmail: string | null;
  log: { error(details: object, message: string): void };
};

type Claimed = { alert: KeptAlert; word: Word; claim: string; reason: string | null };

export function createAlerts(deps: AlertsDependencies): Alerts {
  const { db, clock, serviceKeys, mailer, baseUrl, adminEmail, log } = deps;
  const messageIdDomain = messageIdDomainOf(deps.mailFrom);

  async function claimWord(trouble: Trouble, troubledSinceMs: number | null): Promise<Omit<Claimed, 'reason'> | null> {
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

  /** Whether the operator has it now. Where there is no way to write to them, the log is what they are told by. */
  async function tell(claimed: Claimed): Promise<boolean> {
    const { alert, word } = claimed;
    const { trouble, sinceMs, mails } = alert;
    const details = { trouble, since: dateOf(sinceMs), reason: claimed.reason };
    if (!adminEmail || mailer.kind === 'outbox') {
      const missing = adminEmail ? 'SMTP_URL' : 'ADMIN_EMAIL';
      log.error(details, `${sentences[word]} ${missing} is not set, so nobody was written to.`);
      return true;
    }
    // The same for every try of this very mail, also by another process.
    const seed = serviceKeys.derive('service-alert', `${trouble}:${word}:${sinceMs}:${mails}`);
    const sent = await mailer.send({
      to: { address: adminEmail },
      messageId: messageIdOf(seed, messageIdDomain),
      ...mailOf(claimed),
    });
    const isAccepted = sent.outcome === 'accepted';
    log.error(
      details,
      `${sentences[word]} The operator ${isAccepted ? 'was written to.' : 'could not be written to yet.'}`,
    );
    return isAccepted;
  }

  function mailOf({ alert, word, reason }: Claimed) {
    const { trouble, isRelapse, sinceMs, wellSinceMs } = alert;
    const about = { trouble, isRelapse, baseUrl, since: dateOf(sinceMs) };
    return word === 'alarm'
      ? alarmEmail({ ...about, reason })
      : allClearEmail({ ...about, wellSince: dateOf(wellSinceMs) });
  }

  async function record({ alert, word, claim }: Claimed, isAccepted: boolean): Promise<void> {
    await db.transaction(async (tx) => {
      const mine = await takeClaimed(tx, alert.trouble, claim);
      // The lease ran out, and another process has sent it, or is sending it.
      if (!mine) return;
      const nowMs = (await clock.now(tx)).getTime();
      await writeAlert(tx, { ...mine, ...afterSending(mine, { word, isAccepted, nowMs }), claim: null });
    });
  }

  return {
    async noteLook(trouble, { troubledSinceMs, reason = null }) {
      // While all is well, which is nearly always, nothing is written and no row is locked.
      if (troubledSinceMs === null && !(await findOpen(db, trouble))) return;
      await ensureAlert(db, trouble);
      const claimed = await claimWord(trouble, troubledSinceMs);
      if (!claimed) return;
      await record({ ...claimed, reason }, await tell({ ...claimed, reason }));
    },
    open: () => listOpen(db),
  };
}

const sentences: Record<Word, string> = {
  alarm: 'A part of the service has stopped.',
  all_clear: 'What had stopped runs again.',
};

/** What is told always has a beginning; the types of a row at rest do not know it. */
function dateOf(ms: number | null): Date {
  if (ms === null) throw new Error('An alert without a beginning was about to be told.');
  return new Date(ms);
}
