import type { AfterBounce, BouncedMail, BounceHandler } from '#server/features/notifications/bounces.service.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { type DeliveryDependencies, kindsWhileOpen, mailKinds } from './delivery.dependencies.ts';
import type { DeliveryOutcomes } from './delivery.outcome.service.ts';
import { changeDelivery, type DeliveryRow, isReleaseClosed } from './delivery.repository.ts';
import { expiryOf } from './delivery.rules.ts';
import { lettersOfPerson, lockMail } from './person-letters.repository.ts';

const whileOpen: ReadonlySet<string> = new Set(kindsWhileOpen);

/** A mail about a letter came back after it had been accepted: what rested on that is undone, unless somebody has read the letter. */
export function createBounceHandler(
  { messages }: Pick<DeliveryDependencies, 'messages'>,
  outcomes: DeliveryOutcomes,
): BounceHandler {
  /** The letter has not arrived: it waits for its mail again, and so does its message. */
  async function takeBack(tx: Executor, delivery: DeliveryRow, at: Date): Promise<void> {
    const notArrived = { deliveredAt: null, endedAt: null, linkBeganHealthyMs: null, remindersSent: 0 };
    await changeDelivery(tx, delivery.id, {
      status: 'pending',
      expiresAt: new Date(expiryOf(at.getTime())),
      ...notArrived,
    });
    await messages.settleFates(tx, [delivery.messageId]);
    await outcomes.record(tx, delivery, 'delivery.came_back', at);
  }

  async function letterCameBack(tx: Executor, mail: BouncedMail): Promise<AfterBounce> {
    const { kind, subjectId, isOfMailbox, isRefusal, at } = mail;
    const brought = subjectId ? await lockMail(tx, subjectId) : [];
    const arrived = brought.filter(({ status }) => status === 'accepted');
    const [first] = arrived;
    if (!first) return 'give_up';
    if (arrived.some(({ accessedAt }) => accessedAt)) return 'keep';
    if (kind === mailKinds.letter) {
      for (const delivery of arrived) {
        await takeBack(tx, delivery, at);
        if (isRefusal) await outcomes.refuse(tx, delivery, at);
      }
      return 'try_again';
    }
    // The letters themselves were taken: a reminder of them that failed on the way says nothing, but a mailbox that has closed does.
    if (!isOfMailbox) return 'give_up';
    const unopened = (await lettersOfPerson(tx, first)).filter(
      ({ status, accessedAt }) => status === 'accepted' && !accessedAt,
    );
    for (const delivery of unopened) {
      await takeBack(tx, delivery, at);
      await outcomes.bounce(tx, delivery, at);
    }
    return 'give_up';
  }

  return async (tx, mail) => {
    const { kind, subjectId } = mail;
    if (kind === mailKinds.letter || kind === mailKinds.reminder || kind === mailKinds.renewal) {
      return letterCameBack(tx, mail);
    }
    // Of a release that is closed contacts have no page any more.
    return whileOpen.has(kind) && subjectId && (await isReleaseClosed(tx, subjectId)) ? 'give_up' : 'try_again';
  };
}
