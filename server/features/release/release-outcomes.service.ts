import type { NotificationOutcome } from '#server/features/notifications/notifications.service.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { findCycle, updateInvitation } from './release.repository.ts';
import { newCycle } from './release-cycle.rules.ts';
import type { ReleaseDependencies } from './release-dependencies.ts';
import type { Effects } from './release-effects.service.ts';
import type { Engine } from './release-engine.service.ts';
import type { EventResult } from './release-events.rules.ts';
import { askedMail, type MailKey, ownerMailTries, readMailKey, releasedMail } from './release-keys.rules.ts';
import { askEnded, deliveriesEnded, type MailResult, noticeEnded, reminderEnded } from './release-outcomes.rules.ts';
import { setNextStepAt } from './release-owners.repository.ts';
import type { Situation } from './release-situation.service.ts';
import { createWrites } from './release-writes.service.ts';

/** What becomes of mails and deliveries moves releases on, in the transaction that records it. */
export function subscribeToOutcomes(deps: ReleaseDependencies, engine: Engine, effects: Effects): void {
  const { notifications, deliveries } = deps;

  /** A mail had left already when the owner came back, or left: then the contact who got it is told, too. */
  async function toldTooLate(tx: Executor, situation: Situation, key: MailKey, at: Date): Promise<void> {
    const closed = await findCycle(tx, key.cycleId);
    if (closed?.state !== 'watching' && closed?.state !== 'halted') return;
    const { owner, contacts, invitations, facts } = situation;
    const { readyMessages } = facts;
    if (facts.cycle) return;
    const cycle = { ...newCycle(closed.openedAt.getTime(), 'silence', 'asking'), round: closed.round };
    const writes = createWrites(deps, tx);
    const scene = { tx, writes, at, owner, cycleId: closed.id, cycle, contacts, readyMessages, invitations };
    const sent = closed.state === 'halted' ? 'some' : 'nothing';
    // Of an account that is being deleted nobody says that its owner is well.
    const about = owner.deletionRequestedAt ? 'closed' : 'stopped';
    await effects.carryOut(scene, [{ kind: 'tell_contacts', about, contactIds: [key.personId], sent }]);
    await writes.flush();
  }

  notifications.onOutcome('release.', async (tx, outcome) => {
    const key = readMailKey(outcome.dedupeKey);
    if (!key || !outcome.userId) return;
    const situation = await engine.read(tx, outcome.userId, outcome.at);
    if (!situation) return;
    const isAsk = key.what === askedMail;
    if (situation.row?.id !== key.cycleId) {
      const isToContact = isAsk || key.what === releasedMail;
      if (isToContact && key.channel === 'email' && outcome.outcome === 'accepted') {
        await toldTooLate(tx, situation, key, outcome.at);
      }
      return;
    }

    const event = eventOf(situation, key, outcome);
    if (!event || event.ignored) return;
    await engine.apply(tx, situation, outcome.at, { ...event, action: `${key.what}_${outcome.outcome}` });
    if (isAsk) await keepAskOutcome(tx, situation, key, outcome);
    await setNextStepAt(tx, outcome.userId, outcome.at);
  });

  deliveries.onEnded(async (tx, { cycleId, at }) => {
    const cycle = await findCycle(tx, cycleId);
    const situation = cycle && (await engine.read(tx, cycle.userId, at));
    if (!situation || situation.row?.id !== cycleId) return;
    const event = deliveriesEnded(situation.facts);
    if (!event.ignored) await engine.apply(tx, situation, at, { ...event, action: 'released' });
  });
}

function eventOf({ facts, reading }: Situation, key: MailKey, ended: NotificationOutcome): EventResult | null {
  const outcome = ended.outcome === 'accepted' ? 'accepted' : 'failed';
  // A text that did not arrive says little while the mail is still on its way.
  if (key.channel === 'sms' && outcome === 'failed') return null;
  // What was refused for our sake says as little of the person as mail that reaches nobody: it is written again.
  const isMailHealthy = reading.isMailHealthy && !ended.isTrouble;
  const result: MailResult = { outcome, isMailHealthy, mark: reading.mark };
  if (key.what === askedMail)
    return askEnded(facts, { contactId: key.personId, round: key.round, tries: key.tries }, result);
  // Another mail of the same kind took its place: what becomes of this one says nothing any more.
  if (!facts.cycle || key.tries !== ownerMailTries(facts.cycle, key.what)) return null;
  if (key.what === 'first_reminder') return reminderEnded(facts, 'first', result);
  if (key.what === 'last_reminder') return reminderEnded(facts, 'last', result);
  if (key.what === 'owner_holding') return noticeEnded(facts, 'holding', result);
  if (key.what === 'owner_asked' && key.round === facts.cycle.round) return noticeEnded(facts, 'asked', result);
  return null;
}

async function keepAskOutcome(
  tx: Executor,
  { invitations }: Situation,
  key: MailKey,
  { outcome, at }: NotificationOutcome,
): Promise<void> {
  const row = invitations.find((each) => each.contactId === key.personId && each.round === key.round);
  if (row?.tries !== key.tries) return;
  await updateInvitation(tx, row.id, { askOutcome: outcome === 'accepted' ? 'reached' : 'failed', askEndedAt: at });
}
