import type { Scenario } from '#tests/simulation/scenario.ts';

/** A mistake of one line that somebody could make, and that has to be found. */
export type Sabotage = {
  name: string;
  file: string;
  /** Stands in the file exactly once. */
  find: string;
  put: string;
  /** The cheapest check that finds it: a test file, in which at least one test then fails, or lives that break a promise. */
  caughtBy: string | Scenario;
};

const release = 'server/features/release';
const rules = `${release}/release.rules.test.ts`;
const life = `${release}/release-life.rules.test.ts`;
const health = `${release}/health.rules.test.ts`;

export const sabotages: readonly Sabotage[] = [
  {
    name: 'the first reminder a day early',
    file: 'shared/rules/inactivity.ts',
    find: 'firstReminderDay: Math.ceil(inactivityDays / 2)',
    put: 'firstReminderDay: Math.ceil(inactivityDays / 2) - 1',
    caughtBy: life,
  },
  {
    name: 'the last reminder a day late',
    file: 'shared/rules/inactivity.ts',
    find: 'lastReminderDay: inactivityDays - lastReminderLeadDays',
    put: 'lastReminderDay: inactivityDays - lastReminderLeadDays + 1',
    caughtBy: life,
  },
  {
    name: 'contacts asked a day late',
    file: 'shared/rules/inactivity.ts',
    find: 'contactsAskedDay: inactivityDays,',
    put: 'contactsAskedDay: inactivityDays + 1,',
    caughtBy: life,
  },
  {
    name: 'windows in wall time',
    file: `${release}/health.rules.ts`,
    find: 'const addedMs = isOutage || isMailOut ? 0 :',
    put: 'const addedMs = isMailOut ? 0 :',
    caughtBy: health,
  },
  {
    name: 'a clock that jumped counts as time',
    file: `${release}/health.rules.ts`,
    find: 'beat.wallMs - reachableFromMs - Math.max(0, beat.jumpMs)',
    put: 'beat.wallMs - reachableFromMs',
    caughtBy: health,
  },
  {
    name: 'a clock that went back is believed',
    file: `${release}/health.rules.ts`,
    find: 'return highestSeenMs !== null && wallMs < highestSeenMs - clockToleranceMs;',
    put: 'return highestSeenMs === null && wallMs < clockToleranceMs;',
    caughtBy: health,
  },
  {
    name: 'mail that is out counts as healthy',
    file: `${release}/health.rules.ts`,
    find: 'return troubledMs(mailTroubledSinceMs, wallMs) < mailOutageMs;',
    put: 'return troubledMs(mailTroubledSinceMs, wallMs) < Number.POSITIVE_INFINITY;',
    caughtBy: health,
  },
  {
    name: 'the breaker off',
    file: `${release}/health.rules.ts`,
    find: 'export const breakerOwnersMin = 10;',
    put: 'export const breakerOwnersMin = 1_000_000;',
    caughtBy: health,
  },
  {
    name: 'queued counted as accepted',
    file: `${release}/release-facts.rules.ts`,
    find: 'if (!cycle.first.ended) return { due: null, atMs: null };',
    put: 'if (!cycle.first.ended) return { due: "last_reminder" };',
    caughtBy: rules,
  },
  {
    name: 'the gap before asking left out',
    file: `${release}/release-facts.rules.ts`,
    find: "return dueAt('ask', Math.max(moments.askMs, now + gapMs), now);",
    put: "return dueAt('ask', moments.askMs, now);",
    caughtBy: life,
  },
  {
    name: 'quorum ignored',
    file: `${release}/release-answers.rules.ts`,
    find: 'return Math.max(1, Math.min(owner.quorum, contacts.length));',
    put: 'return Math.min(1, owner.quorum, contacts.length + 1);',
    caughtBy: life,
  },
  {
    name: 'a cancel does not undo what was confirmed',
    file: `${release}/release-answers.rules.ts`,
    find: "return latest?.decision === 'confirmed' && !latest.isWithdrawn && latest.round > stoppedRound;",
    put: "return latest?.decision === 'confirmed' && !latest.isWithdrawn && stoppedRound >= 0;",
    caughtBy: life,
  },
  {
    name: 'a yes outlives the role',
    file: `${release}/release-answers.rules.ts`,
    find: "=== 'confirmed' && !latest.isWithdrawn && latest.round",
    put: "=== 'confirmed' && latest.round",
    caughtBy: rules,
  },
  {
    name: 'a cancel ignored',
    file: `${release}/release-events.rules.ts`,
    find: "    state: 'paused',\n",
    put: '    state: answered.state,\n',
    caughtBy: life,
  },
  {
    name: 'a new contact counts at once',
    file: `${release}/release-facts.rules.ts`,
    find: 'export const contactProbationMs = 3 * dayMs;',
    put: 'export const contactProbationMs = 0;',
    caughtBy: life,
  },
  {
    name: 'the waiting period left out',
    file: `${release}/release.rules.ts`,
    find: 'if (waitingDays === 0) return release(facts, now);',
    put: 'if (waitingDays >= 0) return release(facts, now);',
    caughtBy: life,
  },
  {
    name: 'a wait cut short by the end of the silence',
    file: `${release}/release-facts.rules.ts`,
    find: "return state === 'holding' || cause !== 'silence' || !isSilenceComplete(facts, now, healthyMs);",
    put: 'return !isSilenceComplete(facts, now, healthyMs);',
    caughtBy: `${release}/release-waiting.rules.test.ts`,
  },
  {
    name: 'a second hold has no notice of its own',
    file: `${release}/release.rules.ts`,
    find: 'const noticeTries = cycle.noticeTries + 1;',
    put: 'const { noticeTries } = cycle;',
    caughtBy: life,
  },
  {
    name: 'fewer days to answer count at once',
    file: `${release}/release-facts.rules.ts`,
    find: 'return Math.max(owner.answerDays, cycle?.answerDays ?? 0);',
    put: 'return Math.min(owner.answerDays, cycle?.answerDays ?? owner.answerDays);',
    caughtBy: rules,
  },
  {
    name: 'frozen means nothing',
    file: `${release}/release.rules.ts`,
    find: "if (owner.isFrozen) return blocked(facts, now, 'frozen');",
    put: "if (owner.isFrozen && !cycle) return blocked(facts, now, 'frozen');",
    caughtBy: life,
  },
  {
    name: 'a method of people releases by itself',
    file: `${release}/release.rules.ts`,
    find: "if (owner.releaseMethod !== 'inactivity') return askedAgain(facts, now, healthyMs);",
    put: 'if (cycle.round > 1) return askedAgain(facts, now, healthyMs);',
    caughtBy: life,
  },
  {
    name: 'a round waits for a contact who has left',
    file: `${release}/release-events.rules.ts`,
    find: 'withRoundEnded({ ...facts, cycle: { ...cycle, invitations } }, known),\n    ending',
    put: '{ ...cycle, invitations },\n    ending',
    caughtBy: rules,
  },
  {
    name: 'whoever is asked late has what is left of the time of others',
    file: `${release}/release.rules.ts`,
    find: 'cycle: { ...cycle, asked: null, ...told, invitations',
    put: 'cycle: { ...cycle, ...told, invitations',
    caughtBy: life,
  },
  {
    name: 'a bounce counted as accepted',
    file: 'server/features/delivery/delivery.rules.ts',
    find: "return outcome === 'accepted' ? 'accepted' : 'bounced';",
    put: "return outcome === 'dead' ? 'bounced' : 'accepted';",
    caughtBy: 'server/features/delivery/delivery.rules.test.ts',
  },
  {
    name: 'what is on its way is not stopped',
    file: 'server/features/delivery/delivery.rules.ts',
    find: "if (delivery.status === 'pending') return 'cancelled';",
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
