import type { OwnerRow } from '#server/features/accounts/accounts.service.ts';
import { provenPhone } from '#server/features/accounts/proven-phone.ts';
import type { ConfirmedContact } from '#server/features/contacts/contacts.service.ts';
import { kindsToContacts } from '#server/features/delivery/delivery.dependencies.ts';
import {
  type Contact,
  earlyRequestsWindowMs,
  type Mark,
  type World,
} from '#server/features/release-core/model.rules.ts';
import { latest } from '#server/features/release-core/notice-facts.rules.ts';
import { listHeldContacts } from '#server/features/release-health/brake.repository.ts';
import type { HealthKeeper, Reading } from '#server/features/release-health/health.service.ts';
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
import type { ReleaseDependencies } from './release-dependencies.ts';
import { lettersOf, waitingLettersOf } from './release-letters.repository.ts';

/** Everything that one decision about one owner rests on, read under the owner's lock. */
export type Situation = {
  owner: OwnerRow;
  reading: Reading;
  contacts: readonly ConfirmedContact[];
  /** How many messages were ready when it was read; each is as many letters as there are people it is for. */
  readyMessages: number;
  world: World;
  /** What the core does not know of: ids, hashes, sealed words, marks of the operator. */
  rows: {
    silence: SilenceRow | null;
    request: RequestRow | null;
    asks: readonly AskRow[];
    answers: readonly AnswerRow[];
  };
};

/** `notice`: one that is read too although nothing rests on it any more, since something has become of it. */
export type LoadOptions = { notice?: number };

export type Store = {
  /** Locks owners and reads their worlds, in their order and without those whose account is gone. */
  load(tx: Executor, userIds: readonly string[], at: Date, options?: LoadOptions): Promise<Situation[]>;
  /** The same without a lock, for looking at. */
  look(executor: Executor, owner: OwnerRow, at: Date): Promise<Situation>;
  /** Reads the worlds of these owners without a lock, in their order. */
  lookAt(executor: Executor, owners: readonly OwnerRow[], at: Date): Promise<Situation[]>;
};

const none = 0;
const noDays: NonNullable<World['ownDays']> = new Map();

/** Reads worlds from rows: one statement for each kind of row, however many owners there are. */
export function createStore(deps: ReleaseDependencies, health: Pick<HealthKeeper, 'read'>): Store {
  const { accounts, contacts, messages, documents } = deps;

  async function situationsOf(
    executor: Executor,
    owners: readonly OwnerRow[],
    at: Date,
    { notice = none }: LoadOptions = {},
  ): Promise<Situation[]> {
    if (owners.length === 0) return [];
    const userIds = owners.map(({ id }) => id);
    const openedAfter = new Date(at.getTime() - earlyRequestsWindowMs);
    const writtenAfter = new Date(at.getTime() - dayMs);
    const rows = await readRows(executor, { userIds, openedAfter, writtenAfter, notice });
    const confirmed = await contacts.confirmedContactsOf(executor, userIds);
    const ready = await messages.readyOf(executor, userIds);
    const visible = await documents.countVisibleOf(executor, userIds);
    const reading = await health.read(executor, at);
    const requests = [...rows.requests.values()].flat();
    const released = requests.filter(({ closedAt, releasedAt }) => closedAt === null && releasedAt).map(({ id }) => id);
    const letters = await lettersOf(executor, released);
    const waiting = await waitingLettersOf(executor, userIds, released);
    const heard = await heardOf(executor, released, kindsToContacts);
    const isEarly = requests.some(({ closedAt, cause }) => closedAt === null && cause !== 'silence');
    const held = isEarly ? await listHeldContacts(executor, userIds) : new Set<string>();

    return owners.map((owner) => {
      const all = rows.requests.get(owner.id) ?? [];
      const row = all.find(({ closedAt }) => closedAt === null) ?? null;
      const silence = rows.silences.get(owner.id) ?? null;
      const asks = (row && rows.asks.get(row.id)) ?? [];
      const answers = (row && rows.answers.get(row.id)) ?? [];
      const request = row && requestOf(row, asks, answers);
      const release =
        row &&
        request &&
        releaseOf(row, request, { letters: letters.get(row.id) ?? [], heard: heard.get(row.id) ?? [] });
      const people = onceAMailbox(owner, confirmed.get(owner.id) ?? []);
      const world: World = {
        owner: ownerFacts(owner, deps),
        contacts: people.map((contact) => contactFacts(contact, at, reading, held)),
        readyLetters: ready.get(owner.id)?.letters ?? [],
        ownDays: ready.get(owner.id)?.ownDays ?? noDays,
        waitingLetters: waiting.get(owner.id) ?? [],
        restart: owner.releaseRestartNotice,
        visibleDocuments: visible.get(owner.id) ?? 0,
        stops: {
          isFrozen: reading.isFrozen || owner.releaseFrozenAt !== null,
          // Should it be restored, silence counts from that day.
          isClosing: owner.deletionRequestedAt !== null,
          isSilenceStopped: reading.isSilenceStopped && !silence?.isExpected,
          ...(row?.earlyReview === 'waiting' ? { isEarlyStopped: true } : {}),
          resumed: resumedAt(owner, reading),
          outageEndedMs: reading.outageEndedMs,
        },
        silence: silence && silenceOf(silence),
        request: release ? null : request,
        release,
        notices: (rows.notices.get(owner.id) ?? []).map(noticeOf),
        nextNotice: (rows.newest.get(owner.id) ?? 0) + 1,
        past: all.filter(({ closedAt }) => closedAt !== null).map(pastRequestOf),
      };
      const readyMessages = ready.get(owner.id)?.messages ?? 0;
      return { owner, reading, contacts: people, readyMessages, world, rows: { silence, request: row, asks, answers } };
    });
  }

  return {
    async load(tx, userIds, at, options) {
      const owners = new Map((await accounts.lockOwners(tx, userIds)).map((owner) => [owner.id, owner]));
      const found = userIds.flatMap((id) => owners.get(id) ?? []);
      return situationsOf(tx, found, at, options);
    },

    lookAt: situationsOf,

    async look(executor, owner, at) {
      const [situation] = await situationsOf(executor, [owner], at);
      if (!situation) throw new Error('What is known of an owner was not read.');
      return situation;
    },
  };
}

/** When what was held of this owner last went on: with everybody's, or by name. */
function resumedAt({ releaseResumedAt, releaseResumedHealthyMs }: OwnerRow, { resumed }: Reading): Mark | null {
  const own = releaseResumedAt && { atMs: releaseResumedAt.getTime(), healthyMs: releaseResumedHealthyMs ?? 0 };
  return latest([resumed, own].flatMap((each) => each ?? []));
}

function ownerFacts(
  owner: OwnerRow,
  { answerDaysDefault, isTextingSetUp = false }: Pick<ReleaseDependencies, 'answerDaysDefault' | 'isTextingSetUp'>,
): World['owner'] {
  return {
    lastActivityMs: owner.lastCheckinAt.getTime(),
    awayUntilMs: owner.awayUntil?.getTime() ?? null,
    inactivityDays: owner.inactivityDays,
    method: owner.releaseMethod,
    quorum: owner.releaseQuorum,
    answerDays: owner.releaseAnswerDays ?? answerDaysDefault,
    waitingDays: owner.releaseWaitingDays,
    isVerified: owner.emailVerified,
    hasPhone: isTextingSetUp && provenPhone(owner) !== null,
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
  { healthyMs }: Reading,
  held: ReadonlySet<string>,
): Contact {
  // Where nobody wrote down how much healthy time there had been, all that has passed since counts.
  const sinceMs = confirmedHealthyMs ?? healthyMs - (at.getTime() - confirmedAt.getTime());
  const confirmed = { atMs: confirmedAt.getTime(), healthyMs: sinceMs };
  return { id, confirmed, ...(held.has(id) ? { isHeld: true } : {}) };
}
