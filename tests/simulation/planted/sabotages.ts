import type { Scenario } from '#tests/simulation/scenario.ts';

/** A one-line mistake that a developer could make, and that must be found. */
export type Sabotage = {
  name: string;
  file: string;
  /** Stands in the file exactly once. */
  find: string;
  put: string;
  /** The cheapest check that finds it: a test file, in which at least one test then fails, or lives that break a promise. */
  caughtBy: string | Scenario;
  /** With it the check never ends: that it has to be killed is how the mistake shows. */
  isEndless?: true;
};

const core = 'server/features/release-core';
const coreTest = `${core}/release-core.rules.test.ts`;
const healthRules = 'server/features/release-health/health.rules.ts';
const healthTest = 'server/features/release-health/health.rules.test.ts';

export const sabotages: readonly Sabotage[] = [
  {
    name: 'the first reminder a day early',
    file: 'shared/rules/inactivity.ts',
    find: 'firstReminderDay: Math.ceil(inactivityDays / 2)',
    put: 'firstReminderDay: Math.ceil(inactivityDays / 2) - 1',
    caughtBy: coreTest,
  },
  {
    name: 'the last reminder a day late',
    file: 'shared/rules/inactivity.ts',
    find: 'lastReminderDay: inactivityDays - lastReminderLeadDays',
    put: 'lastReminderDay: inactivityDays - lastReminderLeadDays + 1',
    caughtBy: coreTest,
  },
  {
    name: 'contacts asked a day late',
    file: 'shared/rules/inactivity.ts',
    find: 'contactsAskedDay: inactivityDays,',
    put: 'contactsAskedDay: inactivityDays + 1,',
    caughtBy: coreTest,
  },
  {
    name: 'windows in wall time',
    file: `${core}/model.rules.ts`,
    find: 'return now.atMs + Math.max(0, days * dayMs - (now.healthyMs - from.healthyMs));',
    put: 'return Math.max(now.atMs, from.atMs + days * dayMs);',
    caughtBy: coreTest,
  },
  {
    name: 'a journey is silence',
    file: `${core}/facts.rules.ts`,
    find: 'return Math.max(lastActivityMs, awayUntilMs ?? 0);',
    put: 'return Math.max(lastActivityMs, awayUntilMs ? 0 : 0);',
    caughtBy: coreTest,
  },
  {
    name: 'the gap between the reminders left out',
    file: `${core}/facts.rules.ts`,
    find: 'const lastAtMs = Math.max(sinceMs + schedule.lastReminderDay * dayMs, gapEndsMs);',
    put: 'const lastAtMs = Math.min(sinceMs + schedule.lastReminderDay * dayMs, gapEndsMs);',
    caughtBy: coreTest,
  },
  {
    name: 'the gap before asking left out',
    file: `${core}/facts.rules.ts`,
    find: 'Math.max(sinceMs + schedule.contactsAskedDay * dayMs, overAtMs)',
    put: 'Math.min(sinceMs + schedule.contactsAskedDay * dayMs, overAtMs)',
    caughtBy: coreTest,
  },
  {
    name: 'a bounce counted as an acceptance',
    file: `${core}/notice-facts.rules.ts`,
    find: ".filter(({ kind, isBounced }) => kind === 'accepted' && !isBounced)",
    put: ".filter(({ kind }) => kind === 'accepted')",
    caughtBy: coreTest,
  },
  {
    name: 'a closed mailbox keeps letters for ever',
    file: `${core}/notice-facts.rules.ts`,
    find: 'return acceptedAt(notice) ?? triedAt(notice);',
    put: 'return acceptedAt(notice);',
    caughtBy: coreTest,
  },
  {
    name: 'an owner whom nothing reached gets no time more',
    file: `${core}/delay.rules.ts`,
    find: 'days: answerDaysOf(world, request) + extraDaysOf(world)',
    put: 'days: answerDaysOf(world, request)',
    caughtBy: coreTest,
  },
  {
    name: 'quorum ignored',
    file: `${core}/facts.rules.ts`,
    find: 'return counted.length >= request.terms.needed;',
    put: 'return counted.length >= Math.min(1, request.terms.needed);',
    caughtBy: coreTest,
  },
  {
    name: 'leaving lowers the quorum at once',
    file: `${core}/request-steps.rules.ts`,
    find: 'const window = { from: since, days: pauseDays };',
    put: 'const window = { from: since, days: 0 };',
    caughtBy: coreTest,
  },
  {
    name: 'a yes outlives the role',
    file: `${core}/decide.rules.ts`,
    find: "draft.happen({ kind: 'answer_voided', contactId, isGone: true });",
    put: '',
    caughtBy: coreTest,
  },
  {
    name: 'a cancel ignored',
    file: `${core}/contact-answers.rules.ts`,
    find: "draft.happen({ kind: 'paused', by: contactId });",
    put: '',
    caughtBy: coreTest,
  },
  {
    name: 'one contact pauses again and again',
    file: `${core}/contact-answers.rules.ts`,
    find: 'if (!isFirst) return;',
    put: '',
    caughtBy: coreTest,
  },
  {
    name: 'a no against silence is over at once',
    file: `${core}/delay.rules.ts`,
    find: 'const noes = request.answers.filter(isNo)',
    put: 'const noes = request.answers.filter(() => false)',
    caughtBy: coreTest,
  },
  {
    name: 'an early request outlives a no',
    file: `${core}/contact-answers.rules.ts`,
    find: 'draft.endRequest(says);',
    put: '',
    caughtBy: coreTest,
  },
  {
    name: 'a new contact counts at once',
    file: `${core}/model.rules.ts`,
    find: 'export const newContactDays = 3;',
    put: 'export const newContactDays = 0;',
    caughtBy: coreTest,
  },
  {
    name: 'the waiting time left out',
    file: `${core}/request-steps.rules.ts`,
    find: ': waitingDaysOf(world, request, now);',
    put: ': 0;',
    caughtBy: coreTest,
  },
  {
    name: 'the wait begins before the owner was told',
    file: `${core}/request-steps.rules.ts`,
    find: "const needsNotice = request.cause !== 'silence';",
    put: 'const needsNotice = false;',
    caughtBy: coreTest,
  },
  {
    name: 'a wait cut short by the end of the silence',
    file: `${core}/visit.rules.ts`,
    find: "const keepsWait = phase.name === 'holding' && acceptedAt(noticeOf(draft.world, phase.notice)) !== null;",
    put: 'const keepsWait = phase.name === terms.needed;',
    caughtBy: coreTest,
  },
  {
    name: 'a day of which contacts alone were told is forgotten',
    file: `${core}/visit.rules.ts`,
    find: 'contactsToldFrom(draft.world, phase);',
    put: 'null;',
    caughtBy: `${core}/told-days.rules.test.ts`,
  },
  {
    name: 'early requests without limit',
    file: `${core}/decide.rules.ts`,
    find: "if (earlyRequestsOfWeek(world, now).length >= earlyRequestsMax) return 'budget_spent';",
    put: '',
    caughtBy: coreTest,
  },
  {
    name: 'a stop is forgotten',
    file: `${core}/decide.rules.ts`,
    find: "return wasStopped ? 'stopped_before' : null;",
    put: 'return null;',
    caughtBy: coreTest,
  },
  {
    name: 'asked twice on one day',
    file: `${core}/questions.rules.ts`,
    find: 'return last ? last.written.atMs + dayMs : Number.NEGATIVE_INFINITY;',
    put: 'return Number.NEGATIVE_INFINITY;',
    caughtBy: coreTest,
  },
  {
    name: 'a method of people releases by itself',
    file: `${core}/request-steps.rules.ts`,
    find: "if (world.owner.method !== 'inactivity') return false;",
    put: '',
    caughtBy: coreTest,
  },
  {
    name: 'frozen means nothing',
    file: `${core}/request-steps.rules.ts`,
    find: "return draft.block('no_contact');\n  if (stops.isFrozen) return draft.block('frozen');",
    put: "return draft.block('no_contact');",
    caughtBy: coreTest,
  },
  {
    name: 'the breaker stops nothing that silence does',
    file: `${core}/request-steps.rules.ts`,
    find: "if (world.stops.isSilenceStopped) return draft.block('breaker');",
    put: '',
    caughtBy: coreTest,
  },
  {
    name: 'what was held counts as refused',
    file: `${core}/questions.rules.ts`,
    find: '.some((notice) => isFrozen || isSilenceStopped || !isOver(refusalWindow(world, notice), now));',
    put: '.some((notice) => !isOver({ from: notice.written, days: refusedQuestionDays }, now));',
    caughtBy: coreTest,
  },
  {
    name: 'letters leave behind a restore at once',
    file: `${core}/facts.rules.ts`,
    find: ' && restart === null',
    put: '',
    caughtBy: coreTest,
  },
  {
    name: 'an outage counts as time',
    file: healthRules,
    find: 'const addedMs = isOutage || isMailOut ? 0 :',
    put: 'const addedMs = isMailOut ? 0 :',
    caughtBy: healthTest,
  },
  {
    name: 'a clock that jumped counts as time',
    file: healthRules,
    find: 'beat.wallMs - reachableFromMs - Math.max(0, beat.jumpMs)',
    put: 'beat.wallMs - reachableFromMs',
    caughtBy: healthTest,
  },
  {
    name: 'a clock that went back is believed',
    file: healthRules,
    find: 'return highestSeenMs !== null && wallMs < highestSeenMs - clockToleranceMs;',
    put: 'return highestSeenMs === null && wallMs < clockToleranceMs;',
    caughtBy: healthTest,
  },
  {
    name: 'mail that is out counts as healthy',
    file: healthRules,
    find: 'return troubledMs(mailTroubledSinceMs, wallMs) < mailOutageMs;',
    put: 'return troubledMs(mailTroubledSinceMs, wallMs) < Number.POSITIVE_INFINITY;',
    caughtBy: healthTest,
  },
  {
    name: 'the breaker off',
    file: healthRules,
    find: 'export const breakerOwnersMin = 10;',
    put: 'export const breakerOwnersMin = 1_000_000;',
    caughtBy: healthTest,
  },
  {
    name: 'a refusal counted as accepted',
    file: 'server/features/delivery/delivery.rules.ts',
    find: "return outcome === 'accepted' ? 'accepted' : 'bounced';",
    put: "return outcome === 'dead' ? 'bounced' : 'accepted';",
    caughtBy: 'server/features/delivery/delivery.rules.test.ts',
  },
  {
    name: 'what is on its way is not stopped',
    file: 'server/features/delivery/delivery.rules.ts',
    find: "if (delivery.status === 'pending' || delivery.status === 'waiting') return 'cancelled';",
    put: "if (delivery.status === 'pending') return null;",
    caughtBy: 'server/features/delivery/delivery.rules.test.ts',
  },
  {
    name: 'a refused mail tried for ever at once',
    file: 'server/features/notifications/notifications.retry.rules.ts',
    find: 'export const shortestWaitMs = minuteMs;',
    put: 'export const shortestWaitMs = 1;',
    caughtBy: 'server/features/notifications/notifications.retry.rules.test.ts',
  },
];
