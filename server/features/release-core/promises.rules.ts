import type { DeliverOn } from '#shared/rules/deliver-on.ts';
import { dayMs, firstToLastReminderDays, lastReminderToAskingDays } from '#shared/rules/inactivity.ts';
import type { Event } from './events.rules.ts';
import { evolve } from './evolve.rules.ts';
import type { Mark, Notice, Request, WaitingLetter, World } from './model.rules.ts';

/** The rules have these numbers too. This check has its own, so that a mistake there does not change it. */
const noCountsDays = 30;
const refusedQuestionDays = 7;

/**
 * Returns in words the first promise that the events would break. Null if they keep all. Repeats the check in separate
 * arithmetic. The caller rolls back a broken step, because a late release can be repaired and a wrong one can't.
 */
export function brokenPromise(before: World, events: readonly Event[], now: Mark): string | null {
  for (const [index, event] of events.entries()) {
    if (!isForwardStep(event)) continue;
    const world = evolve(before, events.slice(0, index), now);
    const broken = brokenByAnyStep(world, event) ?? brokenByStep(world, event, now);
    if (broken) return broken;
  }
  return null;
}

const forwardKinds = ['contact_asked', 'released', 'letters_due'] as const;
type ForwardStep = Extract<Event, { kind: (typeof forwardKinds)[number] }>;
type Released = Extract<Event, { kind: 'released' }>;
type LettersDue = Extract<Event, { kind: 'letters_due' }>;

const isForwardStep = (event: Event): event is ForwardStep => forwardKinds.some((kind) => kind === event.kind);

/** Promises of every forward step. Letters with a day of their own leave even while the account is being deleted. */
function brokenByAnyStep({ owner, stops }: World, { kind }: ForwardStep): string | null {
  if (kind !== 'letters_due' && !owner.isVerified) return 'nothing is sent for an owner whose address is not verified';
  if (stops.isFrozen || (kind !== 'letters_due' && stops.isClosing)) return 'frozen means no forward step';
  return null;
}

function brokenByStep(world: World, event: ForwardStep, now: Mark): string | null {
  switch (event.kind) {
    case 'contact_asked':
      return null;
    case 'released':
      return brokenByRelease(world, now) ?? brokenByChoice(world, event, now);
    case 'letters_due':
      return brokenByDay(world, event, now);
  }
}

/** Promise for letters with a day of their own: none leaves before its day, while it is frozen, or if it is declined. */
function brokenByDay({ release, waitingLetters, restart }: World, event: LettersDue, now: Mark): string | null {
  if (release?.question || restart !== null) return 'a frozen letter does not leave on its day';
  const leaving = [...waitingLetters, ...(release?.letters ?? [])].flatMap((letter) =>
    letter.state === 'later' && event.letters.includes(letter.id) ? letter : [],
  );
  if (leaving.length < event.letters.length) return 'only a letter that waits for its day leaves on it';
  if (leaving.some(({ isDeclined }) => isDeclined)) return 'a reader who wants no more letters gets none';
  return Math.max(...leaving.map(({ dueAtMs }) => dueAtMs)) > now.atMs ? 'no letter leaves before its day' : null;
}

/**
 * Promise for the choice of letters: every ready letter leaves once, and those with a day of their own on that day at
 * its hour.
 */
function brokenByChoice(world: World, { letters, later }: Released, now: Mark): string | null {
  const chosen = [...letters, ...later.map(({ id }) => id)].toSorted();
  if (chosen.join() !== world.readyLetters.toSorted().join())
    return 'every letter that is ready goes, or waits for its day';
  if (letters.some((id) => isAhead(world.ownDays?.get(id) ?? null, now)))
    return 'a letter with a day of its own waits for it';
  const isOnItsDay = ({ id, dueAtMs }: WaitingLetter) =>
    dueAtMs > now.atMs && isDayOf(world.ownDays?.get(id) ?? null, dueAtMs, now.atMs);
  return later.every(isOnItsDay) ? null : 'a letter waits for the day that was chosen for it';
}

const londonForm = new Intl.DateTimeFormat('sv-SE', {
  timeZone: 'Europe/London',
  dateStyle: 'short',
  timeStyle: 'short',
});
/** As a clock in London shows it: `2031-05-04 08:00`. */
const inLondon = (ms: number) => londonForm.format(ms);
const hourOfDays = ' 08:00';

/** True if the chosen day is still to come. A number of months after the release always is. */
function isAhead(chosen: DeliverOn, now: Mark): boolean {
  return typeof chosen === 'string' ? `${chosen}${hourOfDays}` > inLondon(now.atMs) : chosen !== null;
}

/** True if this is the chosen day. In a month without that date, it is the last day of the month. */
function isDayOf(chosen: DeliverOn, dueAtMs: number, releasedMs: number): boolean {
  const [due, released, dayAfter] = [dueAtMs, releasedMs, dueAtMs + dayMs].map(inLondon) as [string, string, string];
  if (chosen === null || !due.endsWith(hourOfDays)) return false;
  if (typeof chosen === 'string') return due.startsWith(chosen);
  if (monthOf(due) !== monthOf(released) + chosen.months) return false;
  const isLastOfMonth = monthOf(dayAfter) !== monthOf(due);
  return dateOf(due) === dateOf(released) || (isLastOfMonth && dateOf(due) < dateOf(released));
}

const dateOf = (moment: string) => Number(moment.slice(8, 10));
const monthOf = (moment: string) => Number(moment.slice(0, 4)) * 12 + Number(moment.slice(5, 7));

function brokenByRelease(world: World, now: Mark): string | null {
  const { owner, request, release, stops } = world;
  if (release) return 'a request releases once';
  if (!request) return 'nothing is released without a request';
  if (owner.lastActivityMs > request.opened.atMs) return 'nothing is delivered after activity since it opened';
  if (stops.isEarlyStopped && request.cause !== 'silence') return 'an early release under review does not go';
  if (world.readyLetters.length + world.visibleDocuments === 0) return 'there is nothing to release';
  if (request.phase.name === 'paused') return 'a first no before dispatch wins every race';

  if (countYes(world, request) >= request.terms.needed) return brokenByPeople(world, request, now);
  if (stops.isSilenceStopped) return 'a step that the breaker has stopped does not continue';
  if (owner.method !== 'inactivity') return 'method trusted_contact never releases without its people';
  if (request.cause !== 'silence') return 'silence alone releases only what silence asks';
  if (request.answers.some(({ says, at }) => says !== 'yes' && !hasPassed(at, noCountsDays, now)))
    return 'a no holds for 30 days';
  if (!isEveryContactAsked(world, request)) return 'silence alone releases only after every contact was asked';
  if (!isEveryContactAskedForNews(world, request))
    return 'silence alone releases only after a contact who said “alive” was asked again';
  if (!wasSilent(world, now)) return 'no release by inactivity without both reminders and their gaps';
  if (request.answerTime?.name === 'stopped')
    return 'the answer time stands still until the reminder was accepted again';
  return hasPassed(askedSince(world, request, now), Math.max(owner.answerDays, request.terms.answerDays), now)
    ? null
    : 'the time to answer is not over';
}

function brokenByPeople(world: World, request: Request, now: Mark): string | null {
  const { phase } = request;
  if (request.cause !== 'silence' && request.answers.some(({ says }) => says !== 'yes'))
    return 'any no ends an early request';
  if (request.cause === 'silence' && request.isSilenceOver && phase.name === 'asking') {
    if (!areAnnouncedDaysOver(world, request, now)) return 'a wait that contacts were told of is not shortened';
    return wasSilent(world, now) ? null : 'the silence was not over, so the owner is told first';
  }
  if (phase.name !== 'holding') return 'an early release waits first';
  const from = phase.from ?? acceptedOf(world, phase.notice);
  return hasPassed(from, phase.days, now) ? null : "the owner's waiting period is not over";
}

/**
 * False while waiting days run that a contact was notified of before silence took the request over. Only contacts whose
 * yes still counts matter. Their notice was written in the same moment as the owner's notice of the wait.
 */
function areAnnouncedDaysOver(
  { notices }: World,
  { answers, terms, opened, silenceAsks }: Request,
  now: Mark,
): boolean {
  const takenOverMs = silenceAsks && silenceAsks.atMs > opened.atMs ? silenceAsks.atMs : 0;
  const waits = notices.filter(({ topic, written }) => topic === 'wait' && written.atMs >= opened.atMs);
  return notices
    .filter(({ topic, written }) => topic === 'yes_kept' && written.atMs < takenOverMs)
    .filter(({ written }) => waits.some((wait) => wait.written.atMs === written.atMs))
    .filter(({ to, written }) =>
      answers.some(
        ({ contactId, says, isVoid, at }) => contactId === to && says === 'yes' && !isVoid && at.atMs <= written.atMs,
      ),
    )
    .filter(({ id, to }) => !notices.some((later) => later.topic === 'yes_kept' && later.to === to && later.id > id))
    .filter(({ id }) => acceptedOf({ notices }, id) !== null)
    .every(({ written }) => hasPassed(written, terms.waitingDays, now));
}

function countYes({ contacts }: World, { answers, cause }: Request): number {
  const yes = new Set(
    answers.filter(({ says, isVoid }) => says === 'yes' && !isVoid).map(({ contactId }) => contactId),
  );
  return contacts.filter(({ id, isUnderReview }) => yes.has(id) && (cause === 'silence' || !isUnderReview)).length;
}

/** True if each contact has a question that is neither void nor withdrawn, or a yes that counts. */
function isEveryContactAsked(world: World, { asks, answers }: Request): boolean {
  const questions = asks.filter(
    ({ isRevoked, notice }) => !isRevoked && noticeOf(world, notice)?.outcomes.email?.kind !== 'withdrawn',
  );
  const yeses = answers.filter(({ says, isVoid }) => says === 'yes' && !isVoid);
  const known = new Set([...questions, ...yeses].map(({ contactId }) => contactId));
  return world.contacts.every(({ id }) => known.has(id));
}

/** True if no contact's latest word is that the owner is alive: each who said so has a later question. */
function isEveryContactAskedForNews({ contacts }: World, { asks, answers }: Request): boolean {
  return contacts.every(({ id }) => {
    const alive = answers.findLast(({ contactId, says }) => contactId === id && says === 'alive');
    return !alive || asks.some(({ contactId, notice }) => contactId === id && notice > alive.notice);
  });
}

/**
 * Start of the answer time: acceptance of the last question, else of the owner's notice. It is never before silence asks
 * or a stopped answer time resumes. Null while a question younger than seven days has no outcome. A question that
 * was withdrawn, because its contact had already said yes, is ignored.
 */
function askedSince(world: World, request: Request, now: Mark): Mark | null {
  const { asks, answers, ownerNotice, silenceAsks, answerTime } = request;
  const isNeedless = (contactId: string, notice: number) =>
    noticeOf(world, notice)?.outcomes.email?.kind === 'withdrawn' &&
    answers.some((answer) => answer.contactId === contactId && answer.says === 'yes' && !answer.isVoid);
  const ids = asks
    .filter(
      ({ isRepeat, isRevoked, contactId }) =>
        !isRepeat && !isRevoked && world.contacts.some(({ id }) => id === contactId),
    )
    .filter(({ contactId, notice }) => !isNeedless(contactId, notice))
    .map(({ notice }) => notice);
  const isAwaited = ids.some(
    (id) => !endedOf(world, id) && !hasPassed(noticeOf(world, id)?.written ?? null, refusedQuestionDays, now),
  );
  if (isAwaited) return null;
  const taken = ids.flatMap((id) => acceptedOf(world, id) ?? []);
  const told = ownerNotice === null ? null : endedOf(world, ownerNotice);
  const since = taken.length > 0 ? newestOf(taken) : told;
  const resumed = answerTime?.name === 'resumed' ? [answerTime.from] : [];
  return since && newestOf([since, ...(silenceAsks ? [silenceAsks] : []), ...resumed]);
}

function newestOf(marks: readonly Mark[]): Mark | null {
  return marks.toSorted((one, other) => other.healthyMs - one.healthyMs)[0] ?? null;
}

function wasSilent({ owner, silence, ...world }: World, now: Mark): boolean {
  const sinceMs = Math.max(owner.lastActivityMs, owner.awayUntilMs ?? 0);
  if (!silence || silence.lastNotice === null || now.atMs - sinceMs < owner.inactivityDays * dayMs) return false;
  const first = endedOf(world, silence.firstNotice);
  const last = endedOf(world, silence.lastNotice);
  if (!first || !last) return false;
  return (
    last.healthyMs - first.healthyMs >= firstToLastReminderDays * dayMs &&
    hasPassed(last, lastReminderToAskingDays, now)
  );
}

function hasPassed(from: Mark | null, days: number, now: Mark): boolean {
  return from !== null && now.healthyMs - from.healthyMs >= days * dayMs;
}

const noticeOf = ({ notices }: Pick<World, 'notices'>, id: number): Notice | undefined =>
  notices.find((notice) => notice.id === id);

/** Time of the first acceptance that no bounce has revoked. Null if there is none. */
function acceptedOf(world: Pick<World, 'notices'>, id: number): Mark | null {
  const outcomes = Object.values(noticeOf(world, id)?.outcomes ?? {});
  const taken = outcomes.filter(({ kind, isBounced }) => kind === 'accepted' && !isBounced).map(({ at }) => at);
  return taken.sort((one, other) => one.healthyMs - other.healthyMs)[0] ?? null;
}

/** Time of the acceptance, or else the time at which the last channel failed. Null if neither has happened. */
function endedOf(world: Pick<World, 'notices'>, id: number): Mark | null {
  const accepted = acceptedOf(world, id);
  if (accepted) return accepted;
  const { channels = [], outcomes = {} } = noticeOf(world, id) ?? {};
  const tried = channels.flatMap((channel) => {
    const outcome = outcomes[channel];
    return outcome?.kind === 'tried' ? [outcome.at] : [];
  });
  if (tried.length < channels.length) return null;
  return tried.sort((one, other) => other.healthyMs - one.healthyMs)[0] ?? null;
}
