import { type App, isTextingSetUp } from '#server/app.ts';
import { lockOwnerRows, type OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { provenPhone } from '#server/features/accounts/proven-phone.ts';
import { type ConfirmedContact, confirmedContactsOf } from '#server/features/contacts/confirmed-contacts.ts';
import { countVisibleDocuments } from '#server/features/documents/visible-documents.ts';
import { readReady } from '#server/features/messages/ready-messages.ts';
import {
  type Contact,
  earlyRequestsWindowMs,
  type Mark,
  type World,
} from '#server/features/release-core/model.rules.ts';
import { latest } from '#server/features/release-core/notice-facts.rules.ts';
import { listContactsUnderReview } from '#server/features/release-health/brake.repository.ts';
import { type Reading, takeReading } from '#server/features/release-health/health.ts';
import { kindsWhere } from '#server/mails.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { personOf } from '#shared/rules/addresses/mailboxes.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { heardOf, readRows } from './release.repository.ts';
import {
  type AnswerRow,
  type AskRow,
  noticeOf,
  pastRequestOf,
  type RequestRow,
  releaseOf,
  requestOf,
  type SilenceRow,
  silenceOf,
} from './release.rows.ts';
import { lettersOf, waitingLettersOf } from './release-letters.repository.ts';

/** Mails to contacts about letters of a release, which is the subject. A reader of one knows of the release. */
const aboutLetters = kindsWhere(({ to }, kind) => to === 'contact' && kind.startsWith('delivery.'));

/** Everything that one decision about one owner rests on, read under the owner's lock. */
export type LoadedWorld = {
  owner: OwnerRow;
  reading: Reading;
  contacts: readonly ConfirmedContact[];
  /** Number of ready messages when read. Each is one letter per recipient. */
  readyMessages: number;
  /** Message of each released letter, by the letter's id. */
  messageOf: ReadonlyMap<string, string>;
  world: World;
  /** Values that the core does not know: ids, hashes, sealed words, marks of the operator. */
  rows: {
    silence: SilenceRow | null;
    request: RequestRow | null;
    asks: readonly AskRow[];
    answers: readonly AnswerRow[];
  };
};

/** `notice` names a notice that is read even if no step depends on it any more. */
type Asked = { at: Date; notice?: number };

const none = 0;
const noDays: NonNullable<World['ownDays']> = new Map();

/** Locks owners and reads their worlds, in their order and without those whose account is gone. */
export async function lockWorlds(
  app: App,
  tx: Executor,
  { userIds, ...asked }: { userIds: readonly string[] } & Asked,
): Promise<LoadedWorld[]> {
  const owners = new Map((await lockOwnerRows(tx, userIds)).map((owner) => [owner.id, owner]));
  return readWorlds(app, tx, { owners: userIds.flatMap((id) => owners.get(id) ?? []), ...asked });
}

/** Locks the owner and reads their world. Null if the account is gone. */
export async function lockWorld(
  app: App,
  tx: Executor,
  { userId, ...asked }: { userId: string } & Asked,
): Promise<LoadedWorld | null> {
  const [loaded] = await lockWorlds(app, tx, { userIds: [userId], ...asked });
  return loaded ?? null;
}

/** Reads one world without a lock. */
export async function readWorld(app: App, executor: Executor, owner: OwnerRow, at: Date): Promise<LoadedWorld> {
  const [loaded] = await readWorlds(app, executor, { owners: [owner], at });
  if (!loaded) throw new Error('The world of an owner was not read.');
  return loaded;
}

/** Reads worlds without a lock, in the order of their owners. One statement reads each kind of row, for all owners. */
export async function readWorlds(
  app: App,
  executor: Executor,
  { owners, ...asked }: { owners: readonly OwnerRow[] } & Asked,
): Promise<LoadedWorld[]> {
  if (owners.length === 0) return [];
  const found = await readAll(app, executor, { userIds: owners.map(({ id }) => id), ...asked });
  return owners.map((owner) => loadedWorldOf(app, found, owner, asked.at));
}

type Found = Awaited<ReturnType<typeof readAll>>;

async function readAll(
  app: App,
  executor: Executor,
  { userIds, at, notice = none }: { userIds: readonly string[] } & Asked,
) {
  const openedAfter = new Date(at.getTime() - earlyRequestsWindowMs);
  const writtenAfter = new Date(at.getTime() - dayMs);
  const rows = await readRows(executor, { userIds, openedAfter, writtenAfter, notice });
  const confirmed = await confirmedContactsOf(app, executor, userIds);
  const ready = await readReady(executor, userIds);
  const visible = await countVisibleDocuments(executor, userIds);
  const reading = await takeReading(app, executor, at);
  const requests = [...rows.requests.values()].flat();
  const releasedIds = requests
    .filter(({ closedAt, releasedAt }) => closedAt === null && releasedAt)
    .map(({ id }) => id);
  const letters = await lettersOf(executor, releasedIds);
  const waiting = await waitingLettersOf(executor, userIds, releasedIds);
  const heard = await heardOf(executor, releasedIds, aboutLetters);
  const isEarly = requests.some(({ closedAt, cause }) => closedAt === null && cause !== 'silence');
  const underReview = isEarly ? await listContactsUnderReview(executor, userIds) : new Set<string>();
  return { rows, confirmed, ready, visible, reading, letters, waiting, heard, underReview };
}

function loadedWorldOf(app: App, found: Found, owner: OwnerRow, at: Date): LoadedWorld {
  const { rows, reading } = found;
  const all = rows.requests.get(owner.id) ?? [];
  const row = all.find(({ closedAt }) => closedAt === null) ?? null;
  const silence = rows.silences.get(owner.id) ?? null;
  const asks = (row && rows.asks.get(row.id)) ?? [];
  const answers = (row && rows.answers.get(row.id)) ?? [];
  const request = row && requestOf(row, asks, answers);
  const released = (row && found.letters.get(row.id)) ?? [];
  const letters = { letters: released.map(({ letter }) => letter), heard: (row && found.heard.get(row.id)) ?? [] };
  const release = row && request && releaseOf(row, request, letters);
  const contacts = onceAMailbox(owner, found.confirmed.get(owner.id) ?? []);
  const ready = found.ready.get(owner.id);
  const world: World = {
    owner: ownerFacts(app, owner),
    contacts: contacts.map((contact) => contactFacts(contact, at, found)),
    readyLetters: ready?.letters ?? [],
    ownDays: ready?.ownDays ?? noDays,
    waitingLetters: found.waiting.get(owner.id) ?? [],
    restart: owner.releaseRestartNotice,
    visibleDocuments: found.visible.get(owner.id) ?? 0,
    stops: stopsOf(owner, { reading, silence, request: row }),
    silence: silence && silenceOf(silence),
    request: release ? null : request,
    release,
    notices: (rows.notices.get(owner.id) ?? []).map(noticeOf),
    nextNotice: (rows.newest.get(owner.id) ?? 0) + 1,
    past: all.filter(({ closedAt }) => closedAt !== null).map(pastRequestOf),
  };
  const messageOf = new Map(released.map(({ letter, messageId }) => [letter.id, messageId]));
  const readyMessages = ready?.messages ?? 0;
  return { owner, reading, contacts, readyMessages, messageOf, world, rows: { silence, request: row, asks, answers } };
}

function stopsOf(
  owner: OwnerRow,
  { reading, silence, request }: { reading: Reading; silence: SilenceRow | null; request: RequestRow | null },
): World['stops'] {
  return {
    isFrozen: reading.isFrozen || owner.releaseFrozenAt !== null,
    // If the account is restored, silence counts from that day.
    isClosing: owner.deletionRequestedAt !== null,
    isSilenceStopped: reading.isSilenceStopped && !silence?.isExpected,
    ...(request?.earlyReview === 'waiting' ? { isEarlyStopped: true } : {}),
    resumed: resumedAt(owner, reading),
    outageEndedMs: reading.outageEndedMs,
  };
}

/** End of this owner's latest stop: one of all owners, or one by name. */
function resumedAt({ releaseResumedAt, releaseResumedHealthyMs }: OwnerRow, { resumed }: Reading): Mark | null {
  const own = releaseResumedAt && { atMs: releaseResumedAt.getTime(), healthyMs: releaseResumedHealthyMs ?? 0 };
  return latest([resumed, own].flatMap((each) => each ?? []));
}

function ownerFacts(app: App, owner: OwnerRow): World['owner'] {
  return {
    lastActivityMs: owner.lastCheckinAt.getTime(),
    awayUntilMs: owner.awayUntil?.getTime() ?? null,
    inactivityDays: owner.inactivityDays,
    method: owner.releaseMethod,
    quorum: owner.releaseQuorum,
    answerDays: owner.releaseAnswerDays ?? app.settings.releaseGraceDays,
    waitingDays: owner.releaseWaitingDays,
    isVerified: owner.emailVerified,
    hasPhone: isTextingSetUp(app) && provenPhone(owner) !== null,
  };
}

/** Counts contacts once per mailbox, without the owner's own mailbox. */
function onceAMailbox(owner: OwnerRow, contacts: readonly ConfirmedContact[]): ConfirmedContact[] {
  const seen = new Set([personOf(owner.email)]);
  return contacts.filter(({ email }) => !seen.has(personOf(email)) && seen.add(personOf(email)));
}

function contactFacts(
  { id, confirmedAt, confirmedHealthyMs }: ConfirmedContact,
  at: Date,
  { reading: { healthyMs }, underReview }: Found,
): Contact {
  // Without a record of healthy time, all time since then counts.
  const sinceMs = confirmedHealthyMs ?? healthyMs - (at.getTime() - confirmedAt.getTime());
  const confirmed = { atMs: confirmedAt.getTime(), healthyMs: sinceMs };
  return { id, confirmed, ...(underReview.has(id) ? { isUnderReview: true } : {}) };
}
