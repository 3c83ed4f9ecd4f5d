import { createHmac } from 'node:crypto';
import type { Machine } from '#tests/simulation/machine.ts';
import type { OwnerNotes } from '#tests/simulation/people/notes.ts';
import type { Handed } from '#tests/simulation/people/post.ts';
import type { WorldTime } from '#tests/simulation/time.ts';
import { createLiveness, type Waiting } from './liveness.ts';
import { createWatcher, type UnderWay } from './watcher.ts';

const dayMs = 86_400_000;

type Seen = {
  due_ms: string | null;
  frozen: boolean;
  stopped: boolean;
  queued: boolean;
  open: UnderWay[];
  /** Number of links by which contacts answer. */
  asks: number;
};

type Options = {
  machine: Machine;
  owners: readonly OwnerNotes[];
  time: WorldTime;
  handed: readonly Handed[];
  /** True if the post as a whole is in trouble. */
  isStormy: () => boolean;
  /** True if contacts who would confirm are waited for too, and the service's own time has to go on. */
  watchesClosely: boolean;
  /** True to also check mail that is queued during a freeze. */
  watchesHeld: boolean;
  /** The last moment in which a process died. */
  diedIn: () => number;
  complain: (what: string) => void;
};

/** Mails that advance a release, which must not leave during a freeze. */
const carriesOn = `kind in ('release.contact_asked', 'release.new-address', 'delivery.letter', 'delivery.reminder', 'delivery.renewal')`;

/** Reads the database after every moment for the oracles, and knows the faults of the service. */
export function createLookout(options: Options) {
  const { machine, owners, time, handed, isStormy, watchesClosely, watchesHeld, diedIn, complain } = options;
  let frozen: number | null = null;
  /** The breaker has stopped what silence alone would do; what people say goes on. */
  let isStopped = false;
  let calmSinceMs = time.trueMs;
  let waitedForMs = time.trueMs;
  let nextDueMs = 0;
  let hasQueued = false;
  let wasBehind = false;
  /** Request that a link answers, by the link's hash. */
  const links = new Map<string, string>();
  /** Frozen work is not due, so no visit is needed meanwhile. */
  const isHeld = watchesHeld
    ? `(${carriesOn} and accepted_at is null and (
        exists (select from service_health where frozen_at is not null or silence_stopped_at is not null
          and user_id in (select user_id from release_requests where by_silence and closed_at is null))
        or user_id in (select id from users where release_frozen_at is not null or release_restart_notice is not null)
        or user_id in (select user_id from release_requests where closed_at is null and question_at is not null)))`
    : 'false';
  const { answerDaysDefault } = machine;
  const watcher = createWatcher({
    owners,
    time,
    handed,
    frozenSince: (owner) => earliest(frozen, owner?.frozen?.moment ?? null),
    watchesHeld,
    answerDaysDefault,
    diedIn,
    complain,
  });
  const watchLiveness = createLiveness({
    owners,
    time,
    handed,
    calmSinceMs: () => calmSinceMs,
    answerDaysDefault,
    watchesClosely,
    complain,
  });

  async function learnLinks(): Promise<void> {
    const rows = await machine.ask<{ hash: string; id: string }>(
      'links',
      'select token_hash as hash, request_id as id from release_asks',
    );
    links.clear();
    for (const { hash, id } of rows) links.set(hash, id);
  }

  /** Waits last days, so a daily check is enough. */
  async function lookForWaiting(): Promise<void> {
    waitedForMs = time.trueMs;
    watchLiveness(
      await machine.ask<Waiting>(
        'waiting',
        `
        select id as "userId", (select count(*)::int from messages where user_id = users.id and status = 'ready') as ready,
          (select min(created_at) from message_deliveries where user_id = users.id and status = 'pending')
            as "pendingSince",
          (select healthy_ms::float8 from service_health) as "healthyMs"
        from users`,
      ),
    );
  }

  return {
    /** @returns whether the service has stopped something by itself, just now. */
    async look(): Promise<{ hasFrozen: boolean }> {
      const [seen] = await machine.ask<Seen>(
        'look',
        `
        select extract(epoch from least(
            (select min(next_step_at) from users),
            (select min(next_attempt_at) from notifications where status in ('pending', 'sending') and not ${isHeld}))) * 1000 as due_ms,
          exists (select from notifications where status = 'pending' and ${carriesOn}) as queued,
          (select frozen_at is not null from service_health) as frozen,
          (select silence_stopped_at is not null from service_health) as stopped,
          (select count(*)::int from release_asks) as asks,
          (select coalesce(jsonb_agg(jsonb_build_object('requestId', id, 'userId', user_id,
              'isOpen', closed_at is null, 'isBySilence', cause = 'silence', 'isReleased', released_at is not null,
              'releases', (select count(*)::int from audit_logs where chain = user_id::text and action = 'release.release'
                and resource_id = release_requests.id::text),
              'asked', (select count(*)::int from release_asks where request_id = release_requests.id))
              order by user_id, opened_at), '[]')
            from release_requests where closed_at is null or released_at is not null) as open`,
      );
      watcher.look(seen?.open ?? []);
      if ((seen?.asks ?? 0) !== links.size) await learnLinks();
      nextDueMs = Number(seen?.due_ms ?? Number.POSITIVE_INFINITY);
      hasQueued = seen?.queued ?? false;
      const hasFrozen = Boolean(seen?.frozen) && frozen === null;
      if (hasFrozen) frozen = time.moment;
      const hasStopped = Boolean(seen?.stopped) && !isStopped;
      isStopped = Boolean(seen?.stopped);
      // No visit happened in the minute in which a clock caught up.
      if (isStormy() || isStopped || frozen !== null || time.isBehind() || wasBehind) calmSinceMs = time.trueMs;
      wasBehind = time.isBehind();
      if (time.trueMs - waitedForMs >= dayMs) await lookForWaiting();
      return { hasFrozen: hasFrozen || hasStopped };
    },
    /** True if something waits that carries a release on. */
    hasQueued: () => hasQueued,
    /** The operator has received the answer that all is frozen, and relies on it. */
    noteFreeze(): void {
      frozen ??= time.moment;
    },
    noteResume(): void {
      frozen = null;
    },
    /** Knowledge of the database is as old as the backup. */
    noteRestore(): void {
      links.clear();
      calmSinceMs = time.trueMs;
    },
    /** Something went wrong, or has just been put right. */
    noteTrouble(): void {
      calmSinceMs = time.trueMs;
    },
    /** Time when the service has something to do, in true time. Behind a clock that went back it waits. */
    dueMs: () => time.trueMs + (nextDueMs - time.wallMs()),
    releases: watcher.releases,
    requestOf: (token: string): string | null =>
      links.get(createHmac('sha256', machine.keys.token).update(token).digest('base64url')) ?? null,
  };
}

function earliest(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}
