import type { Accounts, OwnerRow } from '#server/features/accounts/accounts.service.ts';
import type { Administration, Administrator } from '#server/features/admin/administrator.service.ts';
import type { Notifications } from '#server/features/notifications/notifications.service.ts';
import type { Releases } from '#server/features/release/release.service.ts';
import { answeredKinds } from '#server/features/release-mail/mail-replies.service.ts';
import { stateOf } from '#server/features/release-settings/release-overview.rules.ts';
import type { Situation } from '#server/features/release-state/release.store.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { Database } from '#server/platform/db/database.ts';
import { type listReleasesUnderWay, releasesPerPage } from '#shared/contract/operator/releases.ts';
import type { RouteAnswer, RouteQuery } from '#shared/contract/route.ts';
import { countFailing, listUnderWay } from './under-way.repository.ts';
import { stateWords, waitsOf } from './under-way.words.ts';

type Found = { at: Date; failing: number; repliedAt: Date | null };
type Page = RouteAnswer<typeof listReleasesUnderWay>;
type Asked = RouteQuery<typeof listReleasesUnderWay>;

export type UnderWayDependencies = {
  db: Database;
  clock: Clock;
  accounts: Pick<Accounts, 'ownersOf' | 'ownerByEmail'>;
  releases: Pick<Releases, 'lookAt'>;
  notifications: Pick<Notifications, 'newestReplies'>;
};

/** Returns a page of releases in progress, for the administrator. */
export async function releasesForAdministrator(
  deps: UnderWayDependencies & { administration: Pick<Administration, 'requireAdministrator'> },
  administrator: Administrator,
  asked: Asked,
): Promise<Page> {
  deps.administration.requireAdministrator(administrator);
  return releasesUnderWay(deps, asked);
}

/** Returns a page of releases in progress. Reads without a lock and changes nothing. */
export async function releasesUnderWay(deps: UnderWayDependencies, { stage, after }: Asked): Promise<Page> {
  const { db, accounts } = deps;
  const ids = await listUnderWay(db, { stage, after, limit: releasesPerPage + 1 });
  const shown = ids.slice(0, releasesPerPage);
  if (shown.length === 0) return { releases: [], next: null };
  const found = new Map((await accounts.ownersOf(db, shown)).map((owner) => [owner.id, owner]));
  return {
    releases: await shownAll(
      deps,
      shown.flatMap((id) => found.get(id) ?? []),
    ),
    next: ids.length > releasesPerPage ? (shown.at(-1) ?? null) : null,
  };
}

/** The release of one account, whether or not one is open. Null if no account has this address. */
export async function releaseOfAccount(
  deps: UnderWayDependencies,
  email: string,
): Promise<Page['releases'][number] | null> {
  const { db, accounts } = deps;
  const owner = await accounts.ownerByEmail(db, email.trim().toLowerCase());
  if (!owner) return null;
  const [shown] = await shownAll(deps, [owner]);
  return shown ?? null;
}

async function shownAll(
  { db, clock, releases, notifications }: UnderWayDependencies,
  owners: readonly OwnerRow[],
): Promise<Page['releases']> {
  const ids = owners.map(({ id }) => id);
  const at = await clock.now();
  const situations = await releases.lookAt(db, owners, at);
  const failing = await countFailing(db, ids);
  const replied = await notifications.newestReplies(db, { userIds: ids, kinds: answeredKinds });
  return situations.map((situation) => {
    const { id } = situation.owner;
    return shownOf(situation, { at, failing: failing.get(id) ?? 0, repliedAt: replied.get(id) ?? null });
  });
}

/** Rows that do not fit together hide no other account. */
function shownOf(situation: Situation, facts: Found): Page['releases'][number] {
  try {
    return underWay(situation, facts);
  } catch {
    const { owner, rows } = situation;
    return {
      ...{ id: owner.id, account: owner.email, state: rows.request?.phase ?? 'reminded' },
      how: 'This release can’t be read, because its rows do not fit together',
      since: rows.request?.openedAt ?? rows.silence?.openedAt ?? null,
      waits: [{ what: 'A repair. See the log of the worker', until: null }],
    };
  }
}

function underWay(situation: Situation, { at, failing, repliedAt }: Found): Page['releases'][number] {
  const { owner, world, reading, rows } = situation;
  const state = stateOf(world);
  return {
    id: owner.id,
    account: owner.email,
    state,
    how: stateWords[state],
    since: rows.request?.openedAt ?? rows.silence?.openedAt ?? null,
    waits: waitsOf({
      world,
      now: { atMs: at.getTime(), healthyMs: reading.healthyMs },
      account: owner.email,
      isFrozenByName: owner.releaseFrozenAt !== null,
      isClockBehind: reading.isClockBehind,
      failing,
      repliedAt,
    }),
  };
}
