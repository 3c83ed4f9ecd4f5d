import type { App } from '#server/app.ts';
import type { OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { findOwnerByEmail, findOwners } from '#server/features/accounts/accounts.repository.ts';
import { requireAdministrator } from '#server/features/admin/administrator.ts';
import { newestReplies } from '#server/features/notifications/replies/mail-replies.ts';
import { answeredKinds } from '#server/features/release-mail/mail-replies.ts';
import { stateOf } from '#server/features/release-settings/release-overview.rules.ts';
import { type LoadedWorld, readWorlds } from '#server/features/release-state/release.store.ts';
import type { Call } from '#server/http/bind.ts';
import type * as contract from '#shared/contract/operator/releases.ts';
import { releasesPerPage } from '#shared/contract/operator/releases.ts';
import type { RouteAnswer, RouteQuery } from '#shared/contract/route.ts';
import { countFailing, listUnderWay } from './under-way.repository.ts';
import { stateWords, waitsOf } from './under-way.words.ts';

type Found = { at: Date; failing: number; repliedAt: Date | null };
type Page = RouteAnswer<typeof contract.listReleasesUnderWay>;
type Asked = RouteQuery<typeof contract.listReleasesUnderWay>;

/** Returns a page of releases in progress, for the administrator. */
export async function listReleasesUnderWay(
  app: App,
  administrator: Call<typeof contract.listReleasesUnderWay>,
): Promise<Page> {
  requireAdministrator(administrator);
  return releasesUnderWay(app, administrator.query);
}

/** Returns a page of releases in progress. Reads without a lock and changes nothing. */
export async function releasesUnderWay(app: App, { stage, after }: Asked): Promise<Page> {
  const ids = await listUnderWay(app.db, { stage, after, limit: releasesPerPage + 1 });
  const shown = ids.slice(0, releasesPerPage);
  if (shown.length === 0) return { releases: [], next: null };
  const found = new Map((await findOwners(app.db, shown)).map((owner) => [owner.id, owner]));
  return {
    releases: await shownAll(
      app,
      shown.flatMap((id) => found.get(id) ?? []),
    ),
    next: ids.length > releasesPerPage ? (shown.at(-1) ?? null) : null,
  };
}

/** The release of one account, whether or not one is open. Null if no account has this address. */
export async function releaseOfAccount(app: App, email: string): Promise<Page['releases'][number] | null> {
  const owner = await findOwnerByEmail(app.db, email.trim().toLowerCase());
  if (!owner) return null;
  const [shown] = await shownAll(app, [owner]);
  return shown ?? null;
}

async function shownAll(app: App, owners: readonly OwnerRow[]): Promise<Page['releases']> {
  const ids = owners.map(({ id }) => id);
  const at = await app.clock.now();
  const worlds = await readWorlds(app, app.db, { owners, at });
  const failing = await countFailing(app.db, ids);
  const replied = await newestReplies(app.db, { userIds: ids, kinds: answeredKinds });
  return worlds.map((loaded) => {
    const { id } = loaded.owner;
    return shownOf(loaded, { at, failing: failing.get(id) ?? 0, repliedAt: replied.get(id) ?? null });
  });
}

/** Rows that do not fit together hide no other account. */
function shownOf(loaded: LoadedWorld, facts: Found): Page['releases'][number] {
  try {
    return underWay(loaded, facts);
  } catch {
    const { owner, rows } = loaded;
    return {
      ...{ id: owner.id, account: owner.email, state: rows.request?.phase ?? 'reminded' },
      how: 'This release can’t be read, because its rows do not fit together',
      since: rows.request?.openedAt ?? rows.silence?.openedAt ?? null,
      waits: [{ what: 'A repair. See the log of the worker', until: null }],
    };
  }
}

function underWay(loaded: LoadedWorld, { at, failing, repliedAt }: Found): Page['releases'][number] {
  const { owner, world, reading, rows } = loaded;
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
