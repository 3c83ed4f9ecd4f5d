import { unlessBroken } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { type DeliveryDependencies, readerOf } from './delivery.dependencies.ts';
import type { Links } from './delivery.links.ts';
import type { DeliveryMail } from './delivery.mail.service.ts';
import type { DeliveryOutcomes } from './delivery.outcome.service.ts';
import { changeDelivery, type DeliveryRow, lifeOf, lockDeliveries, lockDelivery } from './delivery.repository.ts';
import {
  expiryAt,
  firstReminderDay,
  isOverUnopened,
  lastReminderDay,
  letterKeptDays,
  type Moment,
  reminderDue,
} from './delivery.rules.ts';
import { lockDeliveriesOf } from './halts.repository.ts';
import { lettersOfPerson } from './person-letters.repository.ts';
import { findNextUnopened, findOverUnopened, findUnopened, type Unopened } from './unopened.repository.ts';

export type Reminders = {
  /** Sends unopened links again on day 7 and day 23. Returns how many; called until it returns 0. */
  sendDue(at: Date): Promise<number>;
  /** When unopened letters are to be looked at next, at the earliest; null where none is left that must be. */
  nextDueAt(at: Date): Promise<Date | null>;
};

const dayMs = 86_400_000;
const remindersPerBatch = 100;

/** Brings the links of letters that nobody has opened a second and a third time. */
export function createReminders(
  { db, accounts, healthyTime, log }: Pick<DeliveryDependencies, 'db' | 'accounts' | 'healthyTime' | 'log'>,
  { links, mail, outcomes }: { links: Links; mail: DeliveryMail; outcomes: DeliveryOutcomes },
): Reminders {
  /** One mail for all that this person has not opened; it counts for every letter whose reminder is due. */
  async function remind(tx: Executor, { id, userId }: Unopened, at: Date): Promise<boolean> {
    const owner = await accounts.lockOwner(tx, userId);
    const delivery = await lockDelivery(tx, id);
    if (!owner || !delivery) return false;
    const now = { atMs: at.getTime(), healthyMs: (await healthyTime(tx, at)).countedMs };
    if (dueOf(delivery, now) === null) return false;

    const vault = await accounts.openVault(tx, userId);
    const reader = unlessBroken(() => readerOf(vault, delivery));
    if (reader === null) return false;
    const letters = await lettersOfPerson(tx, delivery);
    const unopened = letters.filter(({ status, accessedAt }) => status === 'accepted' && accessedAt === null);
    const due = unopened.flatMap((letter) => {
      const number = dueOf(letter, now);
      return number === null ? [] : [{ letter, number }];
    });
    const [first] = unopened;
    if (!first) return false;
    const { mailId, personKey, addressFrom } = delivery;
    const token = links.tokenOf({ ...first, address: reader.address });
    const to = { mailId, personKey, reader, addressFrom, token, letters: unopened.length, owner, at };
    const expiresAt = new Date(Math.min(...unopened.map((letter) => expiryAt(lifeOf(letter), now))));
    await mail.enqueueReminder(tx, to, { number: Math.max(...due.map(({ number }) => number)), expiresAt });
    for (const { letter, number } of due) {
      await changeDelivery(tx, letter.id, { remindersSent: number });
      await outcomes.record(tx, letter, 'delivery.reminded', at, { number });
    }
    return true;
  }

  /** One that cannot be sent is tried again next time, when the operator may have mended it; the others go meanwhile. */
  async function remindAll(unopened: readonly Unopened[], at: Date): Promise<number> {
    let sent = 0;
    for (const letter of unopened) {
      try {
        if (await db.transaction((tx) => remind(tx, letter, at))) sent += 1;
      } catch (error) {
        const failure = error instanceof Error ? error.name : 'unknown';
        log.error({ delivery: letter.id, owner: letter.userId, failure }, 'An unopened letter was not sent again.');
      }
    }
    return sent;
  }

  return {
    async nextDueAt(at) {
      const { countedMs } = await healthyTime(db, at);
      const untilMs = await findNextUnopened(db, { healthyMs: countedMs, at });
      return untilMs === null ? null : new Date(at.getTime() + untilMs);
    },

    async sendDue(at) {
      const { countedMs } = await healthyTime(db, at);
      const daysAgoMs = (days: number) => countedMs - days * dayMs;
      let after: Unopened | null = null;
      for (;;) {
        const unopened: Unopened[] = await findUnopened(db, {
          beganAfterMs: daysAgoMs(letterKeptDays),
          firstBeganUntilMs: daysAgoMs(firstReminderDay),
          lastBeganUntilMs: daysAgoMs(lastReminderDay),
          after,
          limit: remindersPerBatch,
        });
        const sent = await remindAll(unopened, at);
        after = unopened.at(-1) ?? null;
        if (sent > 0 || unopened.length < remindersPerBatch) return sent;
      }
    },
  };
}

function dueOf(delivery: DeliveryRow, now: Moment): 1 | 2 | null {
  const { remindersSent, accessedAt } = delivery;
  return reminderDue({ ...lifeOf(delivery), isOpened: accessedAt !== null, remindersSent }, now);
}

const releasesPerBatch = 50;

/** Tells contacts of letters that nobody has opened in their days: perhaps that mailbox is not read any more. */
export function createUnopenedLetters(
  {
    db,
    accounts,
    messages,
    healthyTime,
    log,
  }: Pick<DeliveryDependencies, 'db' | 'accounts' | 'messages' | 'healthyTime' | 'log'>,
  { mail, outcomes }: { mail: DeliveryMail; outcomes: DeliveryOutcomes },
) {
  /** All of one release at once, so that contacts get one mail. */
  async function endIn(tx: Executor, { userId, requestId }: { userId: string; requestId: string }, at: Date) {
    const owner = await accounts.lockOwner(tx, userId);
    if (!owner) return 0;
    const now = { atMs: at.getTime(), healthyMs: (await healthyTime(tx, at)).countedMs };
    const ids = (await lockDeliveriesOf(tx, requestId)).map(({ id }) => id);
    const over = (await lockDeliveries(tx, ids)).filter((delivery) =>
      isOverUnopened({ ...lifeOf(delivery), isOpened: delivery.accessedAt !== null }, now),
    );
    if (over.length === 0) return 0;
    for (const delivery of over) {
      await changeDelivery(tx, delivery.id, { status: 'unopened', endedAt: at });
      await outcomes.record(tx, delivery, 'delivery.never_opened', at);
    }
    await messages.settleFates(
      tx,
      over.map(({ messageId }) => messageId),
    );
    await mail.enqueueNeverOpened(tx, { requestId, owner, at }, over.length);
    return over.length;
  }

  return {
    /** Gives how many letters it was. One release that fails keeps no other back, and is tried again in the next round. */
    async endDue(at: Date): Promise<number> {
      const { countedMs } = await healthyTime(db, at);
      const beganUntilMs = countedMs - letterKeptDays * dayMs;
      const found = await findOverUnopened(db, { beganUntilMs, at, limit: releasesPerBatch });
      let ended = 0;
      for (const release of found) {
        try {
          ended += await db.transaction((tx) => endIn(tx, release, at));
        } catch (error) {
          const failure = error instanceof Error ? error.name : 'unknown';
          log.error({ owner: release.userId, failure }, 'Nobody was told of letters that were not opened.');
        }
      }
      return ended;
    },
  };
}
