import type { OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import type { ConfirmedContact } from '#server/features/contacts/confirmed-contacts.ts';
import { answerTo } from '#server/features/release-core/facts.rules.ts';
import { missingOf } from '#server/features/release-core/forecast.rules.ts';
import type { Answer } from '#server/features/release-core/model.rules.ts';
import { countsFrom } from '#server/features/release-core/notice-facts.rules.ts';
import { dateOf, type RequestRow } from '#server/features/release-state/release.rows.ts';
import type { LoadedWorld } from '#server/features/release-state/release.store.ts';
import type { getPortal } from '#shared/contract/release/portal.ts';
import type { RouteAnswer } from '#shared/contract/route.ts';
import { afterNo, ownersDays } from './portal.forecast.ts';
import { documentsUntilMs, heldBy, type Link, type Outlook, type Shown } from './portal.rules.ts';
import type { Outcome } from './portal.words.ts';

/** A page that was opened by its link. */
export type Opened = {
  at: Date;
  owner: OwnerRow;
  contact: ConfirmedContact;
  situation: LoadedWorld;
  row: RequestRow;
  link: Link;
  shown: Shown;
  /** Readers who want no more letters now. Empty before the release. */
  declining: readonly { id: string; since: Date }[];
  /** Null if the request has ended. */
  outlook: Outlook | null;
  /** Time of the first question to this contact in the request of their link. */
  askedAt: Date;
};

/** True if the owner chose this contact to see the page for the first weeks, for as long as visible documents. */
export function canSeeFirstWeeks({ at, contact, link }: Pick<Opened, 'at' | 'contact' | 'link'>): boolean {
  return contact.seesFirstWeeks && documentsUntilMs(link, at.getTime()) !== null;
}

type Step = RouteAnswer<typeof getPortal>['history'][number];

/** Past steps, oldest first. Skipped steps, as in an emergency, are not listed. */
export function historyOf({ at, owner, situation, row, outlook, askedAt }: Opened): Step[] {
  const { world } = situation;
  const silence = outlook && world.silence;
  const held = outlook && heldBy(outlook);
  const steps: [Step['what'], Date | null][] = [
    ['last_activity', owner.lastCheckinAt],
    ['first_reminder', silence && endedAt(situation, silence.firstNotice)],
    ['last_reminder', silence && endedAt(situation, silence.lastNotice)],
    ['contacts_asked', askedAt],
    ['holding_until', held?.by === 'waiting_time' ? dateOf(held.untilMs) : null],
    ['delivered', row.doneAt],
  ];
  return steps.flatMap(([what, when]) => (when ? [{ what, at: when, isPast: when <= at }] : []));
}

/** Time at which a reminder was accepted, or had been tried by every channel. */
function endedAt({ world }: LoadedWorld, notice: number | null): Date | null {
  return notice === null ? null : dateOf(countsFrom(world, notice)?.atMs);
}

/** Outcome for the page or for the answer to a press. Null if the question is still open. */
export function outcomeOf({ at, owner, situation, row, link, shown, outlook }: Opened): Outcome | null {
  const { state, stoppedBy } = shown;
  if (state === 'open') return null;
  const { request, ask } = link;
  const { world } = situation;
  const now = { atMs: at.getTime(), healthyMs: situation.reading.healthyMs };
  const answer = answerTo(request, ask);
  return {
    state,
    stoppedBy,
    firstName: owner.firstName || owner.email,
    stage: stageOf(link),
    answered: answeredBy(answer),
    isCurrent: !ask.isRevoked,
    isEarly: request.cause !== 'silence',
    isInTheirName: request.askedBy === link.contactId,
    isBySilenceToo: request.cause === 'silence' && world.owner.method === 'inactivity',
    pause: outlook ? afterNo(world, now) : { askAgainDays: null, canOthersConfirm: false },
    missing: missingOf(world, request),
    waitingDays: outlook ? ownersDays(outlook) : 0,
    held: outlook && heldBy(outlook),
    beganAt: row.releasedAt,
    doneAt: row.doneAt,
    now: at,
  };
}

function stageOf({ release, ended, request }: Link): Outcome['stage'] {
  if (release) return 'releasing';
  if (ended) return 'over';
  return request.phase.name === 'paused' ? 'paused' : 'asking';
}

function answeredBy(answer: Answer | undefined): Outcome['answered'] {
  if (!answer) return null;
  return answer.says === 'yes' && answer.isVoid ? 'taken_back' : answer.says;
}
