import type { AfterBounce, BouncedMail } from '#server/features/notifications/bounces.service.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { updateInvitation } from './release.repository.ts';
import { askBounced, noticeBounced, reminderBounced } from './release-bounces.rules.ts';
import type { ReleaseDependencies } from './release-dependencies.ts';
import type { Engine } from './release-engine.service.ts';
import type { EventResult } from './release-events.rules.ts';
import { askedMail, type MailKey, mailKey, ownerMailTries, readMailKey } from './release-keys.rules.ts';
import { lateBounceEmail } from './release-operator.emails.ts';
import { setNextStepAt } from './release-owners.repository.ts';
import type { Situation } from './release-situation.service.ts';

/** What had been told by a mail that came back was not told: no step rests on it any more, in the transaction that records it. */
export function subscribeToBounces(deps: ReleaseDependencies, engine: Engine): void {
  const { notifications, baseUrl, adminEmail } = deps;

  /** Nothing is undone any more; but somebody has to know on what these letters left. */
  async function tellOperator(tx: Executor, { owner, row }: Situation, at: Date): Promise<void> {
    if (!adminEmail || !row) return;
    await notifications.enqueue(tx, {
      channel: 'email',
      kind: 'operator.late-bounce',
      userId: owner.id,
      subjectId: row.id,
      dedupeKey: `operator-late-bounce:${row.id}`,
      at,
      to: { address: adminEmail },
      mail: lateBounceEmail({ account: owner.email, baseUrl }),
    });
  }

  async function handle(tx: Executor, { userId, dedupeKey, at }: BouncedMail): Promise<AfterBounce> {
    const key = readMailKey(dedupeKey);
    const situation = key && userId ? await engine.read(tx, userId, at) : null;
    if (!key || !userId || situation?.row?.id !== key.cycleId) return 'give_up';
    // It was a text that told it, too.
    const byText = key.what.endsWith('_reminder') ? [mailKey({ ...key, channel: 'sms' })] : [];
    if (byText.length > 0 && (await notifications.wasAccepted(tx, byText))) return 'try_again';

    const event = eventOf(situation, key);
    if (event?.ignored === 'already_decided') return 'keep';
    const isUnderWay = situation.row.state === 'releasing' || situation.row.state === 'released';
    if (isUnderWay && isAwaited(key)) await tellOperator(tx, situation, at);
    if (!event || event.ignored) return 'give_up';

    await engine.apply(tx, situation, at, { ...event, action: `${key.what}_came_back` });
    const asked = situation.invitations.find(
      ({ contactId, round }) => contactId === key.personId && round === key.round,
    );
    if (key.what === askedMail && asked) await updateInvitation(tx, asked.id, { askOutcome: null, askEndedAt: null });
    await setNextStepAt(tx, userId, at);
    return 'try_again';
  }

  notifications.onBounce('release.', handle);
}

/** Mails with whose acceptance a window begins. */
const awaited: readonly string[] = ['first_reminder', 'last_reminder', 'owner_holding', 'owner_asked', askedMail];

function isAwaited({ what }: MailKey): boolean {
  return awaited.includes(what);
}

function eventOf({ facts }: Situation, key: MailKey): EventResult | null {
  if (key.what === askedMail) {
    return askBounced(facts, { contactId: key.personId, round: key.round, tries: key.tries });
  }
  if (!facts.cycle || key.tries !== ownerMailTries(facts.cycle, key.what)) return null;
  if (key.what === 'first_reminder') return reminderBounced(facts, 'first');
  if (key.what === 'last_reminder') return reminderBounced(facts, 'last');
  if (key.what === 'owner_holding') return noticeBounced(facts, 'holding');
  if (key.what === 'owner_asked' && key.round === facts.cycle.round) return noticeBounced(facts, 'asked');
  return null;
}
