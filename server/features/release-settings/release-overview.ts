import { type App, isMailSetUp, isTextingSetUp } from '#server/app.ts';
import { findOwner } from '#server/features/accounts/accounts.repository.ts';
import { openVault } from '#server/features/accounts/accounts.ts';
import { provenPhone } from '#server/features/accounts/proven-phone.ts';
import {
  listSentLetters as listSent,
  noLetters,
  readSentFacts,
  type SentFacts,
} from '#server/features/delivery/sent-letters.ts';
import { refusalsOfOwner } from '#server/features/notifications/refusals/mail-trouble.ts';
import { areTextsStopped } from '#server/features/notifications/sms-replies.ts';
import { isAway } from '#server/features/release-core/facts.rules.ts';
import { endOf, type Mark, questionDays } from '#server/features/release-core/model.rules.ts';
import { standingOf, standingSentence } from '#server/features/release-mail/standing.words.ts';
import { givenAddressContext, listGivenSince } from '#server/features/release-state/given-addresses.repository.ts';
import { findLatestRequest } from '#server/features/release-state/release.repository.ts';
import type { RequestRow } from '#server/features/release-state/release.rows.ts';
import { type LoadedWorld, readWorld } from '#server/features/release-state/release.store.ts';
import {
  findEndedAsker,
  findReturn,
  listAliveAnswers,
  type ReturnRow,
  removeReturn,
} from '#server/features/release-state/returns.repository.ts';
import { unlessBroken } from '#server/platform/crypto/vault.ts';
import { notFound } from '#shared/contract/errors.ts';
import type * as contract from '#shared/contract/release/release.ts';
import { sentLettersPerPage } from '#shared/contract/release/sent-letters.ts';
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

type ReleaseOverviewAnswer = RouteAnswer<typeof contract.getRelease>;
type SentLettersCall = { principal: { userId: string }; query: { from: number } };

/** Days in which an owner who came back sees a stopped delivery, or the refusals of their own mailbox. */
const pastShownDays = 30;

/** Returns the state of an owner between silence and delivery. Changes nothing. */
export async function getRelease(
  app: App,
  { principal: { userId } }: { principal: { userId: string } },
): Promise<ReleaseOverviewAnswer> {
  const { db, clock } = app;
  const owner = await findOwner(db, userId);
  if (!owner) throw notFound();
  const at = await clock.now();
  const loaded = await readWorld(app, db, owner, at);
  const { world, contacts, reading } = loaded;
  const now = nowOf(loaded, at);
  const latest = await findLatestRequest(db, userId);
  const shownSince = shownSinceOf(at);
  const own = await refusalsOfOwner(app, db, { userId, address: owner.email, since: shownSince });
  const found = await findRefusals(db, { userId, requestId: latest?.id ?? null, since: shownSince });
  const refused = { ...found, ownMail: own.wasRefused, isInTrouble: own.isInTrouble };
  const names = contacts.map(({ name }) => firstNameOf(name));
  const { isMailHealthy, isClockBehind } = reading;
  const problems = problemsOf(world, { isMailSetUp: isMailSetUp(app), isMailHealthy, isClockBehind, refused });
  const sentBy = sendingRequest(world, latest, shownSince);
  const state = sentBy && !world.release ? 'halted' : stateOf(world);
  const sent = sentBy ? await readSentFacts(db, sentBy.id) : noLetters;
  const told = toldOf(world);
  const phone = provenPhone(owner);
  const timeline = timelineOf(world, now, {
    checkinIntervalDays: owner.checkinIntervalDays,
    deliveredAtMs: world.release && deliveredAtMs(sent, loaded.rows.request),
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
    readyMessages: loaded.readyMessages,
    readyLetters: world.readyLetters.length,
    laterLetters: laterLetters(world, timeline, now),
    deliveries: sentBy ? await pageOfSent(app, sentBy, { from: 0, at }) : [],
    sent: { letters: sent.letters, delivered: sent.delivered, opened: sent.opened, lastAt: sent.lastAt },
    question: world.release && questionOf(sent, world.release.question, now),
    cameBack: isUntouched(world) ? await cameBackOf(app, await findReturn(db, userId), contacts) : null,
    quorum: owner.releaseQuorum,
    waitingDays: owner.releaseWaitingDays,
    answerDays: world.owner.answerDays,
    isTexted: isTextingSetUp(app) && phone !== null && !(await areTextsStopped(app, db, phone)),
  };
}

/** Returns further letters of the release that the overview shows. Changes nothing. */
export async function listSentLetters(app: App, { principal: { userId }, query: { from } }: SentLettersCall) {
  const { db, clock } = app;
  const owner = await findOwner(db, userId);
  if (!owner) throw notFound();
  const at = await clock.now();
  const { world } = await readWorld(app, db, owner, at);
  const sentBy = sendingRequest(world, await findLatestRequest(db, userId), shownSinceOf(at));
  return { deliveries: sentBy ? await pageOfSent(app, sentBy, { from, at }) : [] };
}

function pageOfSent(app: App, { id: requestId }: RequestRow, page: { from: number; at: Date }) {
  return listSent(app, app.db, { requestId, ...page, limit: sentLettersPerPage });
}

/** Request whose letters are shown to the owner: it is sending them, has sent them, or was stopped lately. */
function sendingRequest(world: LoadedWorld['world'], latest: RequestRow | null, since: Date): RequestRow | null {
  if (world.release) return latest;
  return isUntouched(world) && latest?.outcome === 'taken_back' && isShown(latest, since) ? latest : null;
}

function shownSinceOf(at: Date): Date {
  return new Date(at.getTime() - pastShownDays * dayMs);
}

/** Records that the owner has read the report about their silence. No activity. */
export async function dismissReturn({ db }: App, { principal }: { principal: { userId: string } }) {
  await removeReturn(db, principal.userId);
  return { ok: true as const };
}

/** Present time for durations on a page. Passed time is counted as the least possible. */
export function nowOf({ reading }: Pick<LoadedWorld, 'reading'>, at: Date): Mark {
  return { atMs: at.getTime(), healthyMs: reading.healthyMs };
}

async function cameBackOf(
  app: App,
  row: ReturnRow | null,
  contacts: LoadedWorld['contacts'],
): Promise<ReleaseOverviewAnswer['cameBack']> {
  if (!row) return null;
  const { at, heardAt, isEarly, firstReminderAt, lastReminderAt, askedAt, letters, next, nextAt } = row;
  const askedBy = await findEndedAsker(app.db, row);
  const namesOf = (ids: readonly string[]) =>
    contacts.filter(({ id }) => ids.includes(id)).map(({ name }) => firstNameOf(name));
  return {
    at,
    heardAt,
    isEarly,
    reminders: [firstReminderAt, lastReminderAt].flatMap((sentAt) => sentAt ?? []),
    askedAt,
    askedNames: namesOf(row.askedIds),
    askedByName: namesOf(askedBy === null ? [] : [askedBy])[0] ?? null,
    toldNames: namesOf(row.toldIds),
    givenAddresses: await givenSince(app, row, contacts),
    aliveAnswers: await aliveAnswersOf(app, row, contacts),
    letters,
    next: next && nextAt && { what: next, at: nextAt },
  };
}

/** Returns the addresses that contacts gave since the owner was last heard from. A damaged one is left out. */
async function givenSince(app: App, { userId, heardAt }: ReturnRow, contacts: LoadedWorld['contacts']) {
  const rows = await listGivenSince(app.db, { userId, since: heardAt });
  if (rows.length === 0) return [];
  const vault = await openVault(app, app.db, userId);
  return rows.flatMap(({ id, contactId, address: sealed }) => {
    const address = unlessBroken(() => vault.unseal(givenAddressContext(id), sealed));
    const contact = contacts.find((each) => each.id === contactId);
    return address === null ? [] : [{ byName: contact ? firstNameOf(contact.name) : 'A contact', address }];
  });
}

/** Returns who said that the owner is alive and can't answer, with the reason, since the owner was last heard from. */
async function aliveAnswersOf(app: App, { userId, heardAt, at }: ReturnRow, contacts: LoadedWorld['contacts']) {
  const rows = await listAliveAnswers(app.db, { userId, from: heardAt, until: at });
  if (rows.length === 0) return [];
  const vault = await openVault(app, app.db, userId);
  return rows.map(({ id, contactId, at: saidAt, reason }) => {
    const contact = contacts.find((each) => each.id === contactId);
    const place = { table: 'release_answers', column: 'reason', rowId: id };
    return {
      byName: contact ? firstNameOf(contact.name) : 'A contact',
      at: saidAt,
      reason: reason === null ? null : unlessBroken(() => vault.unseal(place, reason)),
    };
  });
}

/** Question to the person who is signed in. Null if no letter has left. */
function questionOf(sent: SentFacts, question: Mark | null, now: Mark): ReleaseOverviewAnswer['question'] {
  const { firstKeptAt: deliveredAt, pending: held } = sent;
  if (!deliveredAt) return null;
  return { deliveredAt, held, goesOnAt: question && new Date(endOf({ from: question, days: questionDays }, now)) };
}

/** Time of the first arrival. If no letter arrived, time at which all had ended. */
function deliveredAtMs({ firstAt }: SentFacts, request: RequestRow | null): number | null {
  return (firstAt ?? request?.doneAt)?.getTime() ?? null;
}

function isUntouched({ silence, request, release }: LoadedWorld['world']): boolean {
  return !silence && !request && !release;
}

/** True if the request ended so recently that the page still shows it to the owner. */
function isShown({ closedAt }: RequestRow, since: Date): boolean {
  return closedAt !== null && closedAt > since;
}
