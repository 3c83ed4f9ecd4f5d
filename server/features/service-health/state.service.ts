import type { Administration, Administrator } from '#server/features/admin/administrator.service.ts';
import type { Audit } from '#server/features/audit/audit.service.ts';
import type { Notifications } from '#server/features/notifications/notifications.service.ts';
import type { Releases } from '#server/features/release/release.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { Database } from '#server/platform/db/database.ts';
import type { getAdminState } from '#shared/contract/admin-state.ts';
import type { RouteAnswer } from '#shared/contract/route.ts';
import type { Alerts } from './alerts.service.ts';
import { readSite } from './site-watch.repository.ts';
import { askGapMs, type SiteRecord } from './site-watch.rules.ts';
import { type Found, findState } from './state.repository.ts';
import { clockDifferenceMaxMs, isBackupLate, isBehind, isCheckLate, isMailLate } from './state.rules.ts';
import { workerSilentMs } from './worker-watch.rules.ts';

type State = RouteAnswer<typeof getAdminState>;

export type ServiceState = {
  /** How the service itself stands. Counts and times alone: nothing of any vault, and nobody by name. */
  read(administrator: Administrator): Promise<State>;
};

export type ServiceStateDependencies = {
  db: Database;
  clock: Clock;
  administration: Pick<Administration, 'requireAdministrator'>;
  alerts: Pick<Alerts, 'open'>;
  releases: Pick<Releases, 'freezes'>;
  audit: Pick<Audit, 'lastAnchor'>;
  notifications: Pick<Notifications, 'mailTrouble'>;
  baseUrl: string;
  adminEmail: string | null;
  isMailSetUp: boolean;
  isTextingSetUp: boolean;
  /** Whether a backup is made every night. */
  isBackupSetUp: boolean;
};

export function createServiceState(deps: ServiceStateDependencies): ServiceState {
  const { db, clock, administration, alerts, releases, audit, notifications, baseUrl } = deps;
  return {
    async read(administrator) {
      administration.requireAdministrator(administrator);
      const at = await clock.now();
      const before = Date.now();
      const found = await findState(db, at);
      const hereMs = (before + Date.now()) / 2;
      const [site, freezes, anchor, open, refusedBy] = await Promise.all([
        readSite(db),
        releases.freezes(),
        audit.lastAnchor(db),
        alerts.open(),
        notifications.mailTrouble(db),
      ]);
      return {
        at,
        isOperatorSet: deps.adminEmail !== null,
        worker: workerOf(found, at),
        site: siteOf(site, baseUrl, at),
        clock: clockOf(found, { hereMs, at }),
        mail: {
          ...found.post.email,
          isSetUp: deps.isMailSetUp,
          troubledSince: troubleOf(found, at),
          refusedBy,
        },
        texts: { ...found.post.sms, isSetUp: deps.isTextingSetUp, troubledSince: null },
        releases: { open: found.open, ...stopsOf(freezes) },
        seals: {
          checkedAt: found.checkedAt,
          isLate: isCheckLate(msOf(found.checkedAt), at.getTime()),
          broken: found.broken,
        },
        backup: backupOf(found, { isSetUp: deps.isBackupSetUp, at }),
        log: { anchoredOn: anchor?.day ?? null },
        alerts: open.flatMap(({ trouble, sinceMs, isTold, toldAtMs }) => {
          if (sinceMs === null) return [];
          return { trouble, since: new Date(sinceMs), toldAt: isTold && toldAtMs !== null ? new Date(toldAtMs) : null };
        }),
      };
    },
  };
}

function workerOf({ lastBeatAt }: Found, at: Date): State['worker'] {
  if (lastBeatAt === null) return { state: 'never', lastBeatAt };
  const isSilent = at.getTime() - lastBeatAt.getTime() >= workerSilentMs;
  return { state: isSilent ? 'silent' : 'runs', lastBeatAt };
}

function siteOf(record: SiteRecord | null, address: string, at: Date): State['site'] {
  const unknown = { state: 'unknown', address, answeredAt: null, silentSince: null, reason: null } as const;
  if (record?.address !== address) return unknown;
  const { answeredAtMs, failingSinceMs, askedAtMs, reason } = record;
  if (answeredAtMs === null) return { ...unknown, reason };
  const answeredAt = new Date(answeredAtMs);
  // While no worker asks, nobody knows.
  if (at.getTime() - askedAtMs > askGapMs) return { ...unknown, answeredAt };
  return failingSinceMs === null
    ? { ...unknown, state: 'answers', answeredAt }
    : { ...unknown, state: 'silent', answeredAt, silentSince: new Date(failingSinceMs), reason };
}

function clockOf({ databaseMs, highestSeenAt }: Found, { hereMs, at }: { hereMs: number; at: Date }): State['clock'] {
  const differenceMs = Math.abs(Math.round(databaseMs - hereMs));
  const behindUntil = isBehind(msOf(highestSeenAt), at.getTime()) ? highestSeenAt : null;
  return { differenceMs, isRight: differenceMs <= clockDifferenceMaxMs && behindUntil === null, behindUntil };
}

function backupOf({ backup }: Found, { isSetUp, at }: { isSetUp: boolean; at: Date }): State['backup'] {
  const unread = { practisedAt: null, lettersOpened: null };
  const nothing = { ...unread, madeAt: null, sizeBytes: null, failingSince: null, reason: null };
  const known = isSetUp ? backup : nothing;
  return { isSetUp, ...known, isLate: isBackupLate(msOf(known.madeAt), at.getTime()) };
}

function troubleOf({ mailTroubledSince }: Found, at: Date): Date | null {
  return isMailLate(msOf(mailTroubledSince), at.getTime()) ? mailTroubledSince : null;
}

function msOf(at: Date | null): number | null {
  return at?.getTime() ?? null;
}

function stopsOf(freezes: Awaited<ReturnType<Releases['freezes']>>) {
  const { frozenAt, reason, restored, silenceStoppedAt, frozenOwners, heldMailboxes, earlyReviews } = freezes;
  const by = restored ? ('restore' as const) : ('operator' as const);
  return {
    frozen: frozenAt && { since: frozenAt, by, reason: reason ?? '' },
    silenceStoppedAt,
    frozenOwners,
    heldMailboxes: heldMailboxes.length,
    earlyReviews: earlyReviews.length,
  };
}
