import { provenPhone } from '#server/features/accounts/proven-phone.ts';
import type { HealthKeeper } from '#server/features/release/health.service.ts';
import {
  type CycleRow,
  findLatestCycle,
  findRefusals,
  listInvitations,
} from '#server/features/release/release.repository.ts';
import type { ReleaseDependencies } from '#server/features/release/release-dependencies.ts';
import { toldContacts } from '#server/features/release/release-events.rules.ts';
import type { Mark, ReleaseFacts } from '#server/features/release/release-facts.rules.ts';
import { contactsWhoHeard } from '#server/features/release/release-heard.service.ts';
import { questionEndsAtMs } from '#server/features/release/release-question.rules.ts';
import { contactFacts } from '#server/features/release/release-scene.ts';
import { cycleFacts, ownerFacts } from '#server/features/release/release-state.ts';
import { notFound } from '#shared/contract/errors.ts';
import type { getRelease } from '#shared/contract/release.ts';
import type { RouteAnswer } from '#shared/contract/route.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { isReady, problemsOf, timelineOf } from './release-overview.rules.ts';
import { pointAnswer } from './timeline-answer.ts';

export type ReleaseOverviewAnswer = RouteAnswer<typeof getRelease>;

/** For so long an owner who came back is shown that a delivery was stopped half way, or their mailbox refused us. */
const pastShownDays = 30;

/** Where an owner stands between silence and delivery. Reads only. */
export function createOverview(deps: ReleaseDependencies, health: Pick<HealthKeeper, 'read'>) {
  const { db, clock, accounts, contacts: contactsService, messages, deliveries, notifications } = deps;
  const { answerDaysDefault, isTextingSetUp = false } = deps;

  return async function overview(userId: string): Promise<ReleaseOverviewAnswer> {
    const owner = await accounts.ownerOf(db, userId);
    if (!owner) throw notFound();
    const at = await clock.now();
    const latest = await findLatestCycle(db, userId);
    const open = latest && latest.closedAt === null ? latest : null;
    const contacts = await contactsService.confirmedContacts(db, userId);
    const reading = await health.read(db, at);
    const facts: ReleaseFacts = {
      owner: ownerFacts(owner, answerDaysDefault),
      isInstallationFrozen: reading.isFrozen,
      isSilenceStopped: reading.isSilenceStopped && !open?.isExpected,
      readyMessages: await messages.countReady(db, userId),
      contacts: contacts.map((contact) => contactFacts(contact, at, reading)),
      cycle: open ? cycleFacts(open, await listInvitations(db, open.id)) : null,
    };

    const time = { now: at.getTime(), healthyMs: reading.healthyMs };
    const deliveredAtMs = (open?.releasedAt ?? open?.firstDispatchAt)?.getTime() ?? null;
    const refused = {
      owner: latest ? latest.ownerUnreachable && isShown(latest, at) : false,
      ...(await findRefusals(db, userId, latest?.id ?? null)),
    };
    const { isMailHealthy, isClockBehind } = reading;
    const problems = problemsOf(facts, { isMailSetUp: deps.isMailSetUp, isMailHealthy, isClockBehind, refused });
    const state = shownState(latest, at);
    const heard =
      open && facts.cycle ? await contactsWhoHeard(db, { cycleId: open.id, state: facts.cycle.state }, contacts) : [];
    const told = [...(facts.cycle ? toldContacts(facts.cycle) : []), ...heard];
    const showsDeliveries = state === 'releasing' || state === 'released' || state === 'halted';
    const sent = latest && showsDeliveries ? await deliveries.listForOwner(db, latest.id) : [];
    const phone = provenPhone(owner);
    return {
      state,
      releaseMethod: owner.releaseMethod,
      inactivityDays: owner.inactivityDays,
      lastActivityAt: owner.lastCheckinAt,
      timeline: timelineOf(facts, time, deliveredAtMs).map(pointAnswer),
      ready: isReady(problems),
      problems,
      contactNames: contacts.map(firstNameOf),
      toldNames: contacts.filter(({ id }) => told.includes(id)).map(firstNameOf),
      readyMessages: facts.readyMessages,
      deliveries: sent,
      question: open ? questionOf(sent, facts.cycle?.question ?? null, reading.mark) : null,
      quorum: owner.releaseQuorum,
      waitingDays: owner.releaseWaitingDays,
      answerDays: facts.owner.answerDays,
      isTexted: isTextingSetUp && phone !== null && !(await notifications.areTextsStopped(db, phone)),
    };
  };
}

/** What whoever is signed in is asked; null while no letter has left. */
function questionOf(
  sent: ReleaseOverviewAnswer['deliveries'],
  question: Mark | null,
  now: Mark,
): ReleaseOverviewAnswer['question'] {
  const delivered = sent.flatMap(({ status, deliveredAt }) =>
    (status === 'accepted' || status === 'unopened') && deliveredAt ? [deliveredAt] : [],
  );
  const [deliveredAt] = delivered.toSorted((one, other) => one.getTime() - other.getTime());
  if (!deliveredAt) return null;
  const held = sent.filter(({ status }) => status === 'pending').length;
  return { deliveredAt, held, goesOnAt: question && new Date(questionEndsAtMs(question, now)) };
}

function shownState(latest: CycleRow | null, now: Date): ReleaseOverviewAnswer['state'] {
  if (!latest) return 'watching';
  if (latest.closedAt === null) return latest.state;
  return latest.state === 'halted' && isShown(latest, now) ? 'halted' : 'watching';
}

/** Whether it is under way, or so little time has passed since that its owner is still to hear of it. */
function isShown({ closedAt }: CycleRow, now: Date): boolean {
  return closedAt === null || now.getTime() - closedAt.getTime() < pastShownDays * dayMs;
}

function firstNameOf({ name }: { name: string }): string {
  return name.trim().split(/\s+/)[0] ?? name;
}
