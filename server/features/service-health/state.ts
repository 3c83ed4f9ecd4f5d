import type { App } from '#server/app.ts';
import { requireAdministrator } from '#server/features/admin/administrator.ts';
import { findLastAnchor } from '#server/features/audit/audit-anchors.ts';
import { readMailTrouble } from '#server/features/notifications/refusals/mail-trouble.ts';
import { type Freezes, listFreezes } from '#server/features/release/release-freeze.ts';
import type { Call } from '#server/http/bind.ts';
import type * as contract from '#shared/contract/admin-state.ts';
import type { RouteAnswer } from '#shared/contract/route.ts';
import { openAlerts } from './alerts.ts';
import { readSite } from './site-watch.repository.ts';
import { askGapMs, type SiteRecord } from './site-watch.rules.ts';
import { type Found, findState } from './state.repository.ts';
import { clockDifferenceMaxMs, isBackupLate, isBehind, isCheckLate, isMailLate } from './state.rules.ts';
import { workerSilentMs } from './worker-watch.rules.ts';

type State = RouteAnswer<typeof contract.getAdminState>;

/** Returns the state of the service in counts and times, without contents of a vault and without names. */
export async function getAdminState(app: App, call: Call<typeof contract.getAdminState>): Promise<State> {
  requireAdministrator(call);
  const { db, clock, baseUrl, settings, mailer, texter, webhook } = app;
  const at = await clock.now();
  const before = Date.now();
  const found = await findState(db, at);
  const hereMs = (before + Date.now()) / 2;
  const [site, freezes, anchor, open, refusedBy] = await Promise.all([
    readSite(db),
    listFreezes(app),
    findLastAnchor(db),
    openAlerts(app),
    readMailTrouble(app, db, { at }),
  ]);
  return {
    at,
    isOperatorSet: settings.adminEmail !== undefined,
    worker: workerOf(found, at),
    site: siteOf(site, baseUrl, at),
    clock: clockOf(found, { hereMs, at }),
    mail: {
      ...found.post.email,
      isSetUp: mailer.kind === 'smtp',
      troubledSince: troubleOf(found, at),
      refusedBy,
    },
    texts: { ...found.post.sms, isSetUp: texter.kind !== 'outbox', troubledSince: null },
    webhook: { ...found.post.webhook, isSetUp: webhook !== null, troubledSince: null },
    releases: { open: found.open, ...stopsOf(freezes) },
    seals: {
      checkedAt: found.checkedAt,
      isLate: isCheckLate(msOf(found.checkedAt), at.getTime()),
      broken: found.broken,
    },
    backup: backupOf(found, { isSetUp: settings.backups.to !== undefined, at }),
    log: { anchoredOn: anchor?.day ?? null },
    alerts: open.flatMap(({ trouble, sinceMs, isTold, toldAtMs }) => {
      if (sinceMs === null) return [];
      return { trouble, since: new Date(sinceMs), toldAt: isTold && toldAtMs !== null ? new Date(toldAtMs) : null };
    }),
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
  // The state is unknown while no worker asks.
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

function stopsOf(freezes: Freezes) {
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
