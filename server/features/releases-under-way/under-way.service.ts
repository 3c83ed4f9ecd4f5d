import type { Accounts } from '#server/features/accounts/accounts.service.ts';
import type { Administration, Administrator } from '#server/features/admin/administrator.service.ts';
import type { Releases } from '#server/features/release/release.service.ts';
import { stateOf } from '#server/features/release-settings/release-overview.rules.ts';
import type { Situation } from '#server/features/release-state/release.store.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { Database } from '#server/platform/db/database.ts';
import { type listReleasesUnderWay, releasesPerPage } from '#shared/contract/operator/releases.ts';
import type { RouteAnswer, RouteQuery } from '#shared/contract/route.ts';
import { countFailing, listUnderWay } from './under-way.repository.ts';
import { stateWords, waitsOf } from './under-way.words.ts';

type Page = RouteAnswer<typeof listReleasesUnderWay>;
type Asked = RouteQuery<typeof listReleasesUnderWay>;

export type UnderWayDependencies = {
  db: Database;
  clock: Clock;
  accounts: Pick<Accounts, 'ownersOf'>;
  releases: Pick<Releases, 'lookAt'>;
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
export async function releasesUnderWay(
  { db, clock, accounts, releases }: UnderWayDependencies,
  { stage, after }: Asked,
): Promise<Page> {
  const ids = await listUnderWay(db, { stage, after, limit: releasesPerPage + 1 });
  const shown = ids.slice(0, releasesPerPage);
  if (shown.length === 0) return { releases: [], next: null };
  const at = await clock.now();
  const found = new Map((await accounts.ownersOf(db, shown)).map((owner) => [owner.id, owner]));
  const situations = await releases.lookAt(
    db,
    shown.flatMap((id) => found.get(id) ?? []),
    at,
  );
  const failing = await countFailing(db, shown);
  return {
    releases: situations.map((situation) => shownOf(situation, { at, failing: failing.get(situation.owner.id) ?? 0 })),
    next: ids.length > releasesPerPage ? (shown.at(-1) ?? null) : null,
  };
}

/** Rows that do not fit together hide no other account. */
function shownOf(situation: Situation, facts: { at: Date; failing: number }): Page['releases'][number] {
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

function underWay(situation: Situation, { at, failing }: { at: Date; failing: number }): Page['releases'][number] {
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
    }),
  };
}
