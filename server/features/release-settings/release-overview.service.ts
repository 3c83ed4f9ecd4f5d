import { provenPhone } from '#server/features/accounts/proven-phone.ts';
import type { Releases } from '#server/features/release/release.service.ts';
import { isAway } from '#server/features/release-core/facts.rules.ts';
import { endOf, type Mark, questionDays } from '#server/features/release-core/model.rules.ts';
import { standingOf, standingSentence } from '#server/features/release-mail/standing.words.ts';
import { givenAddressContext, listGivenSince } from '#server/features/release-state/given-addresses.repository.ts';
import { findLatestRequest } from '#server/features/release-state/release.repository.ts';
import type { RequestRow } from '#server/features/release-state/release.rows.ts';
import type { Situation } from '#server/features/release-state/release.store.ts';
import type { ReleaseDependencies } from '#server/features/release-state/release-dependencies.ts';
import { findReturn, type ReturnRow } from '#server/features/release-state/returns.repository.ts';
import { unlessBroken } from '#server/platform/crypto/vault.ts';
import { notFound } from '#shared/contract/errors.ts';
import type { getRelease } from '#shared/contract/release/release.ts';
import type { RouteAnswer } from '#shared/contract/route.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { londonDay } from '#shared/rules/london-day.ts';
import { firstNameOf } from '#shared/rules/names.ts';
import { findRefusals } from './release-overview.repository.ts';
import {
  isReady,
  laterLetters,
  obstacleIn,
  problemsOf,
  stateOf,
  timelineOf,
  toldOf,
} from './release-overview.rules.ts';
import { pointAnswer } from './timeline-answer.ts';

export type ReleaseOverviewAnswer = RouteAnswer<typeof getRelease>;

/** For so long an owner who came back is shown that a delivery was stopped half way, or their mailbox refused us. */
const pastShownDays = 30;

/** Where an owner stands between silence and delivery. Reads only. */
export function createOverview(deps: ReleaseDependencies, { look }: Pick<Releases, 'look'>) {
  const { db, clock, accounts, deliveries, notifications } = deps;
  const { isMailSetUp, isTextingSetUp = false } = deps;

  return async function overview(userId: string): Promise<ReleaseOverviewAnswer> {
    const owner = await accounts.ownerOf(db, userId);
    if (!owner) throw notFound();
    const at = await clock.now();
    const situation = await look(db, owner, at);
    const { world, contacts, reading } = situation;
    const now = nowOf(situation, at);
    const latest = await findLatestRequest(db, userId);
    const shownSince = new Date(at.getTime() - pastShownDays * dayMs);
    const own = await notifications.refusedByOwner(db, { userId, address: owner.email, since: shownSince });
    const found = await findRefusals(db, { userId, requestId: latest?.id ?? null, since: shownSince });
    const refused = { ...found, ownMail: own.wasRefused, isInTrouble: own.isInTrouble };
    const names = contacts.map(({ name }) => firstNameOf(name));
    const { isMailHealthy, isClockBehind } = reading;
    const problems = problemsOf(world, { isMailSetUp, isMailHealthy, isClockBehind, refused });
    const wasHalted = isUntouched(world) && latest?.outcome === 'taken_back' && isShown(latest, shownSince);
    const state = wasHalted ? 'halted' : stateOf(world);
    const sent = latest && (world.release || wasHalted) ? await deliveries.listForOwner(db, latest.id) : [];
    const told = toldOf(world);
    const phone = provenPhone(owner);
    const timeline = timelineOf(world, now, {
      checkinIntervalDays: owner.checkinIntervalDays,
      deliveredAtMs: world.release && deliveredAtMs(sent, situation.rows.request),
    });
    return {
      state,
      releaseMethod: owner.releaseMethod,
      inactivityDays: owner.inactivityDays,
      lastActivityAt: owner.lastCheckinAt,
      awayUntil: isAway(world, now) && owner.awayUntil ? londonDay(owner.awayUntil.getTime()) : null,
      timeline: timeline.map(pointAnswer),
      ready: isReady(problems),
      problems,
      standing: obstacleIn(problems) ?? standingSentence(standingOf(world, names)),
      contactNames: names,
      toldNames: contacts.filter(({ id }) => told.includes(id)).map(({ name }) => firstNameOf(name)),
      readyMessages: situation.readyMessages,
      readyLetters: world.readyLetters.length,
      laterLetters: laterLetters(world, timeline, now),
      deliveries: sent,
      question: world.release && questionOf(sent, world.release.question, now),
      cameBack: isUntouched(world) ? await cameBackOf(deps, await findReturn(db, userId), contacts) : null,
      quorum: owner.releaseQuorum,
      waitingDays: owner.releaseWaitingDays,
      answerDays: world.owner.answerDays,
      isTexted: isTextingSetUp && phone !== null && !(await notifications.areTextsStopped(db, phone)),
    };
  };
}

/** The time by which a page says how long something takes: what has passed is measured at the least there can have been. */
export function nowOf({ reading }: Pick<Situation, 'reading'>, at: Date): Mark {
  return { atMs: at.getTime(), healthyMs: reading.healthyMs };
}

async function cameBackOf(
  deps: Pick<ReleaseDependencies, 'db' | 'accounts'>,
  row: ReturnRow | null,
  contacts: Situation['contacts'],
): Promise<ReleaseOverviewAnswer['cameBack']> {
  if (!row) return null;
  const { at, heardAt, isEarly, firstReminderAt, lastReminderAt, askedAt, letters, next, nextAt } = row;
  const namesOf = (ids: readonly string[]) =>
    contacts.filter(({ id }) => ids.includes(id)).map(({ name }) => firstNameOf(name));
  return {
    at,
    heardAt,
    isEarly,
    reminders: [firstReminderAt, lastReminderAt].flatMap((sentAt) => sentAt ?? []),
    askedAt,
    askedNames: namesOf(row.askedIds),
    toldNames: namesOf(row.toldIds),
    givenAddresses: await givenSince(deps, row, contacts),
    letters,
    next: next && nextAt && { what: next, at: nextAt },
  };
}

/** Returns the addresses that contacts gave since the owner was last heard from. A damaged one is left out. */
async function givenSince(
  { db, accounts }: Pick<ReleaseDependencies, 'db' | 'accounts'>,
  { userId, heardAt }: ReturnRow,
  contacts: Situation['contacts'],
) {
  const rows = await listGivenSince(db, { userId, since: heardAt });
  if (rows.length === 0) return [];
  const vault = await accounts.openVault(db, userId);
  return rows.flatMap(({ id, contactId, address: sealed }) => {
    const address = unlessBroken(() => vault.unseal(givenAddressContext(id), sealed));
    const contact = contacts.find((each) => each.id === contactId);
    return address === null ? [] : [{ byName: contact ? firstNameOf(contact.name) : 'A contact', address }];
  });
}

type Sent = ReleaseOverviewAnswer['deliveries'];

/** What whoever is signed in is asked; null while no letter has left. */
function questionOf(sent: Sent, question: Mark | null, now: Mark): ReleaseOverviewAnswer['question'] {
  const deliveredAt = firstDelivery(sent.filter(({ status }) => status === 'accepted' || status === 'unopened'));
  if (!deliveredAt) return null;
  const held = sent.filter(({ status }) => status === 'pending').length;
  return { deliveredAt, held, goesOnAt: question && new Date(endOf({ from: question, days: questionDays }, now)) };
}

/** When the first letter arrived; where none did, when everything was done. */
function deliveredAtMs(sent: Sent, request: RequestRow | null): number | null {
  return (firstDelivery(sent) ?? request?.doneAt)?.getTime() ?? null;
}

function firstDelivery(sent: Sent): Date | null {
  const delivered = sent.flatMap(({ deliveredAt }) => deliveredAt ?? []);
  return delivered.toSorted((one, other) => one.getTime() - other.getTime())[0] ?? null;
}

function isUntouched({ silence, request, release }: Situation['world']): boolean {
  return !silence && !request && !release;
}

/** Whether so little time has passed that its owner is still to hear of it. */
function isShown({ closedAt }: RequestRow, since: Date): boolean {
  return closedAt !== null && closedAt > since;
}
