import type { Sabotage } from './sabotages.ts';

const core = 'server/features/release-core';
const coreTest = `${core}/release-core.rules.test.ts`;
const answersTest = `${core}/answers.rules.test.ts`;
const earlyTest = `${core}/early-requests.rules.test.ts`;
const returnsTest = `${core}/owner-returns.rules.test.ts`;
const toldTest = `${core}/told-days.rules.test.ts`;
const promisesTest = `${core}/promises.rules.test.ts`;
const deliveryTest = 'server/features/delivery/delivery.rules.test.ts';

/** Mistakes in release decisions that only the page's own rules detect quickly. */
export const coreSabotages: readonly Sabotage[] = [
  {
    name: 'a cancel does not undo what was confirmed',
    file: `${core}/contact-answers.rules.ts`,
    find: "if (release && !isFirstNo) return 'too_late';\n  if (release) undo(draft);",
    put: "if (release && !isFirstNo) return 'too_late';",
    caughtBy: answersTest,
  },
  {
    name: 'a pause leaves the yeses from before it',
    file: `${core}/evolve.rules.ts`,
    find: 'answers: request.answers.map((answer) => ({ ...answer, isVoid: true })),',
    put: 'answers: request.answers,',
    caughtBy: answersTest,
  },
  {
    name: 'an outage makes a contact older',
    file: `${core}/facts.rules.ts`,
    find: 'return endOf({ from: confirmed, days: newContactDays }, now);',
    put: 'return confirmed.atMs + newContactDays * dayMs;',
    caughtBy: earlyTest,
  },
  {
    name: 'a link answers twice',
    file: `${core}/facts.rules.ts`,
    find: 'return ask && !answerTo(request, ask) ? ask : undefined;',
    put: 'return ask;',
    caughtBy: answersTest,
  },
  {
    name: 'fewer days to answer count at once',
    file: `${core}/facts.rules.ts`,
    find: 'return Math.max(owner.answerDays, terms.answerDays);',
    put: 'return owner.answerDays;',
    caughtBy: toldTest,
  },
  {
    name: 'more days to answer count for nobody',
    file: `${core}/facts.rules.ts`,
    find: 'return Math.max(owner.answerDays, terms.answerDays);',
    put: 'return terms.answerDays;',
    caughtBy: toldTest,
  },
  {
    name: 'fewer days to wait count at once',
    file: `${core}/facts.rules.ts`,
    find: 'const days = Math.max(world.owner.waitingDays, terms.waitingDays);',
    put: 'const days = world.owner.waitingDays;',
    caughtBy: toldTest,
  },
  {
    name: 'a shorter silence counts at once',
    file: `${core}/facts.rules.ts`,
    find: 'return Math.max(owner.inactivityDays, silence?.terms.inactivityDays ?? 0);',
    put: 'return owner.inactivityDays;',
    caughtBy: toldTest,
  },
  {
    name: 'letters leave although somebody has signed in',
    file: `${core}/facts.rules.ts`,
    find: '!stops.isFrozen && !release.question &&',
    put: '!stops.isFrozen &&',
    caughtBy: returnsTest,
  },
  {
    name: 'letters leave although all is frozen',
    file: `${core}/facts.rules.ts`,
    find: 'return release !== null && !stops.isFrozen &&',
    put: 'return release !== null &&',
    caughtBy: returnsTest,
  },
  {
    name: 'a sign of life that met no listener',
    file: `${core}/visit.rules.ts`,
    find: '  returned(draft);',
    put: '',
    caughtBy: returnsTest,
  },
  {
    name: 'queued counted as accepted',
    file: `${core}/notice-facts.rules.ts`,
    find: 'return acceptedAt(notice) ?? triedAt(notice);',
    put: 'return acceptedAt(notice) ?? triedAt(notice) ?? notice.written;',
    caughtBy: coreTest,
  },
  {
    name: 'an early request never ends',
    file: `${core}/request-steps.rules.ts`,
    find: "if (isOver(window, now)) return draft.endRequest('nobody_answered');",
    put: '',
    caughtBy: coreTest,
  },
  {
    name: 'the owner is not written to while letters wait',
    file: `${core}/request-steps.rules.ts`,
    find: "if (nextAtMs <= draft.now.atMs) return draft.tellOwner('wait_goes_on');",
    put: '',
    caughtBy: coreTest,
  },
  {
    name: 'reminders to an address that is not verified',
    file: `${core}/visit.rules.ts`,
    find: "if (!world.owner.isVerified) return draft.block('not_verified');",
    put: '',
    caughtBy: toldTest,
  },
  {
    name: 'anybody can say that they did not ask',
    file: `${core}/contact-answers.rules.ts`,
    find: " || request.askedBy !== contactId) return 'nothing_open';",
    put: ") return 'nothing_open';",
    caughtBy: earlyTest,
  },
  {
    name: 'a yes that is taken back undoes nothing',
    file: `${core}/contact-answers.rules.ts`,
    find: "if (release) undo(draft);\n  draft.happen({ kind: 'answer_voided', contactId, isGone: false });",
    put: "draft.happen({ kind: 'answer_voided', contactId, isGone: false });",
    caughtBy: answersTest,
  },
  {
    name: 'leaving the role takes a no along',
    file: `${core}/evolve.rules.ts`,
    find: "answer.contactId === event.contactId && answer.says === 'yes' ?",
    put: 'answer.contactId === event.contactId ?',
    caughtBy: answersTest,
  },
  {
    name: 'a cancel counts although a letter was opened',
    file: `${core}/contact-answers.rules.ts`,
    find: "return isDone || letters.some(({ state }) => state === 'accepted' || state === 'opened');",
    put: "return isDone || letters.some(({ state }) => state === 'accepted');",
    caughtBy: answersTest,
  },
  {
    name: 'who has heard of a letter is not told that the owner is back',
    file: `${core}/owner-back.rules.ts`,
    find: '...release.heard, ',
    put: '',
    caughtBy: returnsTest,
  },
  {
    name: 'a second sign-in holds nothing longer',
    file: `${core}/decide.rules.ts`,
    find: "const isOpen = release.question !== null;\n  draft.happen({ kind: 'question_opened' });\n  if (isOpen) return null;",
    put: "const isOpen = release.question !== null;\n  if (isOpen) return null;\n  draft.happen({ kind: 'question_opened' });",
    caughtBy: returnsTest,
  },
  {
    name: 'a restore ends a pause',
    file: `${core}/decide.rules.ts`,
    find: "if (request && request.phase.name !== 'paused') draft.endRequest('begun_anew');",
    put: "if (request) draft.endRequest('begun_anew');",
    caughtBy: returnsTest,
  },
  {
    name: 'a stop keeps every contact from asking',
    file: `${core}/decide.rules.ts`,
    find: '(past) => past.contactId === contactId && past.stopped',
    put: '(past) => past.stopped',
    caughtBy: earlyTest,
  },
  {
    name: 'a mailbox that is held for the operator counts',
    file: `${core}/facts.rules.ts`,
    find: 'return contact !== undefined && !contact.isHeld && countsEarlyFrom',
    put: 'return contact !== undefined && countsEarlyFrom',
    caughtBy: earlyTest,
  },
  {
    name: 'fewer are enough although the owner was not told',
    file: `${core}/request-steps.rules.ts`,
    find: "return notice !== null && countsFrom(world, notice) ? draft.happen({ kind: 'needed_lowered', to: left }) : false;",
    put: "return draft.happen({ kind: 'needed_lowered', to: left });",
    caughtBy: answersTest,
  },
  {
    name: 'a yes counts at once although the owner was told of nothing when it opened',
    file: `${core}/request-steps.rules.ts`,
    find: "if (request.cause === 'silence' && request.isSilenceOver && isSilenceOver(world, now)) return release(draft);",
    put: "if (request.cause === 'silence' && isSilenceOver(world, now)) return release(draft);",
    caughtBy: answersTest,
  },
  {
    name: 'the wait goes on without the yes',
    file: `${core}/request-steps.rules.ts`,
    find: `if (!isConfirmed(world, request, now)) {
    draft.happen({ kind: 'wait_left' });
    draft.tellWhoConfirmed();
    return true;
  }`,
    put: '',
    caughtBy: answersTest,
  },
  {
    name: 'a wait goes on behind a notice that came back',
    file: `${core}/request-steps.rules.ts`,
    find: 'if (request.phase.from === null && wasInVain(noticeOf(world, id))) {',
    put: 'if (false) {',
    caughtBy: earlyTest,
  },
  {
    name: 'an emergency asks everybody at once',
    file: `${core}/request-steps.rules.ts`,
    find: "const hasYes = request.answers.some(({ says, isVoid }) => says === 'yes' && !isVoid);",
    put: 'const hasYes = true;',
    caughtBy: earlyTest,
  },
  {
    name: 'the owner is not told that letters are on their way',
    file: `${core}/request-steps.rules.ts`,
    find: "return draft.tellOwner('releasing');",
    put: 'return true;',
    caughtBy: earlyTest,
  },
  {
    name: 'one channel in vain is enough',
    file: `${core}/notice-facts.rules.ts`,
    find: "if (ends.some((end) => !end || end.kind === 'withdrawn' || end.isBounced)) return null;",
    put: "if (ends.every((end) => !end || end.kind === 'withdrawn' || end.isBounced)) return null;",
    caughtBy: toldTest,
  },
  {
    name: 'the guard lets frozen steps pass',
    file: `${core}/promises.rules.ts`,
    find: 'if (stops.isFrozen || (kind',
    put: 'if ((kind',
    caughtBy: promisesTest,
  },
  {
    name: 'the guard counts a yes that was taken back',
    file: `${core}/promises.rules.ts`,
    find: "says === 'yes' && !isVoid).map",
    put: "says === 'yes').map",
    caughtBy: promisesTest,
  },
  {
    name: 'the guard counts who is no contact',
    file: `${core}/promises.rules.ts`,
    find: "return contacts.filter(({ id, isHeld }) => yes.has(id) && (cause === 'silence' || !isHeld)).length;",
    put: 'return yes.size;',
    caughtBy: promisesTest,
  },
  {
    name: 'the guard lets a wait be short',
    file: `${core}/promises.rules.ts`,
    find: 'return hasPassed(from, phase.days, now) ? null',
    put: 'return hasPassed(from, 0, now) ? null',
    caughtBy: promisesTest,
  },
  {
    name: 'the guard takes one channel in vain for both',
    file: `${core}/promises.rules.ts`,
    find: 'if (tried.length < channels.length) return null;',
    put: '',
    caughtBy: promisesTest,
  },
  {
    name: 'the guard overlooks a no',
    file: `${core}/promises.rules.ts`,
    find: "if (request.cause !== 'silence' && request.answers.some(({ says }) => says !== 'yes'))\n    return 'any no ends an early request';",
    put: '',
    caughtBy: promisesTest,
  },
  {
    name: 'an opened letter is over unopened',
    file: 'server/features/delivery/delivery.rules.ts',
    find: "return status === 'accepted' && !isOpened && beganHealthyMs !== null && now.atMs",
    put: "return status === 'accepted' && beganHealthyMs !== null && now.atMs",
    caughtBy: deliveryTest,
  },
  {
    name: 'a reminder of a letter that may not have arrived',
    file: 'server/features/delivery/delivery.rules.ts',
    find: '|| delivery.isOpened || beganHealthyMs === null) return null;',
    put: '|| delivery.isOpened) return null;\n  if (beganHealthyMs === null) return 2;',
    caughtBy: deliveryTest,
  },
  {
    name: 'silence releases before every contact was asked',
    file: `${core}/request-steps.rules.ts`,
    find: 'if (unasked(world, request).length > 0) return false;',
    put: '',
    caughtBy: `${core}/asked-first.rules.test.ts`,
  },
  {
    name: 'the guard does not know who was asked',
    file: `${core}/promises.rules.ts`,
    find: "if (!isEveryContactAsked(world, request)) return 'silence alone releases only after every contact was asked';",
    put: '',
    caughtBy: `${core}/asked-first.rules.test.ts`,
  },
  {
    name: 'an outage eats the days after which fewer contacts are enough',
    file: `${core}/request-steps.rules.ts`,
    find: `if (!isOver(window, now)) {
    draft.lookAt(endOf(window, now));
    return false;
  }
  return notice !== null`,
    put: `if (now.atMs - since.atMs < pauseDays * dayMs) {
    draft.lookAt(since.atMs + pauseDays * dayMs);
    return false;
  }
  return notice !== null`,
    caughtBy: answersTest,
  },
  {
    name: 'a wait whose notice failed is never told again',
    file: `${core}/request-steps.rules.ts`,
    find: 'wasInVain(noticeOf(world, id))',
    put: 'hasBounced(noticeOf(world, id))',
    caughtBy: earlyTest,
  },
  {
    name: 'the gap between the reminders a day shorter',
    file: 'shared/rules/inactivity.ts',
    find: 'export const firstToLastReminderDays = 7;',
    put: 'export const firstToLastReminderDays = 6;',
    caughtBy: 'tests/core-lives/boundaries.unit.test.ts',
  },
  {
    name: 'contacts who confirmed are not told of the wait',
    file: `${core}/request-steps.rules.ts`,
    find: "draft.happen({ kind: 'wait_began', notice: draft.newNotice(), days, needsNotice });\n  draft.tellWhoConfirmed();",
    put: "draft.happen({ kind: 'wait_began', notice: draft.newNotice(), days, needsNotice });",
    caughtBy: earlyTest,
  },
  {
    name: 'the answer time runs on while a reminder bounced',
    file: `${core}/visit.rules.ts`,
    find: 'if (stopAnswerTime(draft) || remind(draft)',
    put: 'if (remind(draft)',
    caughtBy: `${core}/answer-time.rules.test.ts`,
  },
  {
    name: 'the answer time begins anew after each bounce',
    file: `${core}/answer-time.rules.ts`,
    find: 'usedMs: isSame ? usedMs : 0',
    put: 'usedMs: 0',
    caughtBy: `${core}/answer-time.rules.test.ts`,
  },
  {
    name: 'the guard lets a stopped answer time pass',
    file: `${core}/promises.rules.ts`,
    find: "request.answerTime?.name === 'stopped'",
    put: "request.answerTime?.name === 'stopped' && now.atMs < 0",
    caughtBy: `${core}/answer-time.rules.test.ts`,
  },
  {
    name: 'a new contact is refused although silence asks',
    file: `${core}/decide.rules.ts`,
    find: "if (request?.cause !== 'silence' && countsEarlyFrom",
    put: 'if (countsEarlyFrom',
    caughtBy: earlyTest,
  },
  {
    name: 'nobody is told that the delivery is later than they were told',
    file: `${core}/request-steps.rules.ts`,
    find: 'releaseBySilence(draft, request) || tellOfDelay(draft, request) ||',
    put: 'releaseBySilence(draft, request) ||',
    caughtBy: `${core}/delay.rules.test.ts`,
  },
  {
    name: 'a question that named no day counts as one that named it',
    file: `${core}/delay.rules.ts`,
    find: 'return notice.isDayless ? null : acceptedAt(notice);',
    put: 'return acceptedAt(notice);',
    caughtBy: `${core}/delay.rules.test.ts`,
  },
  {
    name: 'a day that the owner was told is forgotten if a question comes back',
    file: `${core}/delay.rules.ts`,
    find: 'earliest(ownersNotice ? [...asked, ownersNotice] : asked)',
    put: 'earliest(asked) ?? ownersNotice',
    caughtBy: `${core}/delay.rules.test.ts`,
  },
  {
    name: 'a visit that comes to no end',
    file: `${core}/visit.rules.ts`,
    find: 'takeStep(draft); steps += 1) {',
    put: 'takeStep(draft) || draft.events.length > 0; steps += 0) {',
    caughtBy: coreTest,
    isEndless: true,
  },
];
