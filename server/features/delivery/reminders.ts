import type { App } from '#server/app.ts';
import { lockOwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { openVault } from '#server/features/accounts/accounts.ts';
import { settleMessages } from '#server/features/messages/ready-messages.ts';
import { unlessBroken } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { letterKeptForReaderDays } from '#shared/rules/retention.ts';
import { tokenOf } from './delivery.links.ts';
import {
  changeDelivery,
  type DeliveryRow,
  isReached,
  lifeOf,
  lockDeliveries,
  lockDelivery,
} from './delivery.repository.ts';
import {
  expiryAt,
  isOverUnopened,
  letterFirstReminderDay,
  letterKeptDays,
  letterLastReminderDay,
  type Moment,
  reminderDue,
} from './delivery.rules.ts';
import { openPerson } from './delivery.sealing.ts';
import { lockDeliveriesOf } from './halts.repository.ts';
import { momentAt } from './healthy-time.ts';
import { enqueueNeverOpened } from './mails/contact-mails.ts';
import { enqueueReminder } from './mails/letter-mails.ts';
import { recordDelivery } from './outcomes.ts';
import { lettersOfPerson } from './person-letters.repository.ts';
import { findNextUnopened, findOverUnopened, findUnopened, type Unopened } from './unopened.repository.ts';

/* Links of unopened letters are sent a second and a third time. After their days, contacts are notified. */

const remindersPerBatch = 100;
const releasesPerBatch = 50;

/** Returns the earliest time at which unopened letters are checked next. Null if none needs it. */
export async function nextReminderAt(app: App, at: Date): Promise<Date | null> {
  const { healthyMs } = await momentAt(app, app.db, at);
  const untilMs = await findNextUnopened(app.db, { healthyMs, at });
  return untilMs === null ? null : new Date(at.getTime() + untilMs);
}

/** Sends unopened links again on day 7 and day 23. Returns their number. Called until it returns 0. */
export async function sendReminders(app: App, at: Date): Promise<number> {
  const { healthyMs } = await momentAt(app, app.db, at);
  const daysAgoMs = (days: number) => healthyMs - days * dayMs;
  let after: Unopened | null = null;
  for (;;) {
    const unopened: Unopened[] = await findUnopened(app.db, {
      beganAfterMs: daysAgoMs(letterKeptDays),
      firstBeganUntilMs: daysAgoMs(letterFirstReminderDay),
      lastBeganUntilMs: daysAgoMs(letterLastReminderDay),
      after,
      limit: remindersPerBatch,
    });
    const sent = await remindAll(app, unopened, at);
    after = unopened.at(-1) ?? null;
    if (sent > 0 || unopened.length < remindersPerBatch) return sent;
  }
}

/**
 * Ends letters that stayed unopened for their days, and notifies contacts, since perhaps the mailbox is no longer read.
 * Returns the number of letters. A release that fails delays no other, and is tried again in the next round.
 */
export async function endUnopened(app: App, at: Date): Promise<number> {
  const { healthyMs } = await momentAt(app, app.db, at);
  const beganUntilMs = healthyMs - letterKeptDays * dayMs;
  const keptFromMs = healthyMs - letterKeptForReaderDays * dayMs;
  const found = await findOverUnopened(app.db, { beganUntilMs, keptFromMs, at, limit: releasesPerBatch });
  let ended = 0;
  for (const release of found) {
    try {
      ended += await app.db.transaction((tx) => endUnopenedOf(app, tx, release, at));
    } catch (error) {
      const failure = error instanceof Error ? error.name : 'unknown';
      app.log.error({ owner: release.userId, failure }, 'No contact was notified of letters that were not opened.');
    }
  }
  return ended;
}

/**
 * A letter that can't be sent is tried again next time, when the operator may have fixed the cause. The others leave
 * meanwhile.
 */
async function remindAll(app: App, unopened: readonly Unopened[], at: Date): Promise<number> {
  let sent = 0;
  for (const letter of unopened) {
    try {
      if (await app.db.transaction((tx) => remind(app, tx, letter, at))) sent += 1;
    } catch (error) {
      const failure = error instanceof Error ? error.name : 'unknown';
      app.log.error({ delivery: letter.id, owner: letter.userId, failure }, 'An unopened letter was not sent again.');
    }
  }
  return sent;
}

/** Sends one mail for all letters that this person has not opened. It counts for every letter whose reminder is due. */
async function remind(app: App, tx: Executor, { id, userId }: Unopened, at: Date): Promise<boolean> {
  const owner = await lockOwnerRow(tx, userId);
  const delivery = await lockDelivery(tx, id);
  if (!owner || !delivery) return false;
  const now = await momentAt(app, tx, at);
  if (dueOf(delivery, now) === null) return false;

  const vault = await openVault(app, tx, userId);
  const reader = unlessBroken(() => openPerson(vault, delivery));
  if (reader === null) return false;
  const letters = await lettersOfPerson(tx, delivery);
  const unopened = letters.filter((letter) => letter.status === 'accepted' && !isReached(letter));
  const due = unopened.flatMap((letter) => {
    const number = dueOf(letter, now);
    return number === null ? [] : [{ letter, number }];
  });
  const [first] = unopened;
  if (!first) return false;
  const { mailId, personKey, releaseNumber, addressFrom } = delivery;
  const token = tokenOf(app, { ...first, address: reader.address });
  const to = { mailId, personKey, releaseNumber, reader, addressFrom, token, letters: unopened.length, owner, at };
  const expiresAt = new Date(Math.min(...unopened.map((letter) => expiryAt(lifeOf(letter), now))));
  await enqueueReminder(app, tx, to, { number: Math.max(...due.map(({ number }) => number)), expiresAt });
  for (const { letter, number } of due) {
    await changeDelivery(tx, letter.id, { remindersSent: number });
    await recordDelivery(app, tx, letter, { action: 'delivery.reminded', at, details: { number } });
  }
  return true;
}

function dueOf(delivery: DeliveryRow, now: Moment): 1 | 2 | null {
  const { remindersSent, accessedAt, answeredAt } = delivery;
  const said = { isOpened: accessedAt !== null, isAnswered: answeredAt !== null };
  return reminderDue({ ...lifeOf(delivery), ...said, remindersSent }, now);
}

/** Ends all such letters of one release in one call, so that contacts get one mail. */
async function endUnopenedOf(
  app: App,
  tx: Executor,
  { userId, requestId }: { userId: string; requestId: string },
  at: Date,
): Promise<number> {
  const owner = await lockOwnerRow(tx, userId);
  if (!owner) return 0;
  const now = await momentAt(app, tx, at);
  const ids = (await lockDeliveriesOf(tx, requestId)).map(({ id }) => id);
  const over = (await lockDeliveries(tx, ids)).filter((delivery) =>
    isOverUnopened({ ...lifeOf(delivery), isOpened: delivery.accessedAt !== null }, now),
  );
  if (over.length === 0) return 0;
  for (const delivery of over) {
    await changeDelivery(tx, delivery.id, { status: 'unopened', endedAt: at });
    await recordDelivery(app, tx, delivery, { action: 'delivery.never_opened', at });
  }
  await settleMessages(
    tx,
    over.map(({ messageId }) => messageId),
  );
  // A reader who answered has received the mail.
  const silent = over.filter(({ answeredAt }) => answeredAt === null);
  if (silent.length > 0) {
    const unopened = { letters: silent.length, times: timesWritten(silent) };
    await enqueueNeverOpened(app, tx, { requestId, owner, at }, unopened);
  }
  return over.length;
}

/** Number of emails about each of these letters. Null if it differs, since a freeze or a question stops reminders. */
function timesWritten(letters: readonly DeliveryRow[]): number | null {
  const [times, ...others] = new Set(letters.map(({ remindersSent }) => remindersSent + 1));
  return times === undefined || others.length > 0 ? null : times;
}
