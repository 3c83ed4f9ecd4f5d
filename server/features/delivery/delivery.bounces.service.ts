import type { AfterBounce, BouncedMail, BounceHandler } from '#server/features/notifications/bounces.service.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { kindsWhileOpen, mailKinds } from './delivery.dependencies.ts';
import type { DeliveryOutcomes } from './delivery.outcome.service.ts';
import { isReleaseClosed } from './delivery.repository.ts';
import { lockMail } from './person-letters.repository.ts';

const whileOpen: ReadonlySet<string> = new Set(kindsWhileOpen);

/** A mail about a letter came back after it had been accepted: what rested on that is undone, unless somebody has read the letter. */
export function createBounceHandler(outcomes: DeliveryOutcomes): BounceHandler {
  async function letterCameBack(tx: Executor, mail: BouncedMail): Promise<AfterBounce> {
    const { kind, subjectId, isRefusal, at } = mail;
    const brought = subjectId ? await lockMail(tx, subjectId) : [];
    const arrived = brought.filter(({ status }) => status === 'accepted');
    const [first] = arrived;
    if (!first) return 'give_up';
    if (arrived.some(({ accessedAt }) => accessedAt)) return 'keep';
    if (kind === mailKinds.letter) {
      for (const delivery of arrived) {
        await outcomes.takeBack(tx, delivery, at);
        if (isRefusal) await outcomes.refuse(tx, delivery, at);
      }
      return 'try_again';
    }
    // The letters themselves were taken. A mailbox that refuses their link on three days is closed; see delivery.outcome.service.ts.
    return 'try_again';
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
