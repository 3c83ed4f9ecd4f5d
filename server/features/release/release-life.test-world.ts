import { dayMs } from '#shared/rules/inactivity.ts';
import { decide } from './release.rules.ts';
import type { Decision } from './release-decision.rules.ts';
import {
  contactCancels,
  contactConfirms,
  contactStepsDown,
  type Effect,
  type EventResult,
  emergencyRequested,
  ownerReturns,
  trusteePressed,
} from './release-events.rules.ts';
import type { CycleFacts, OwnerFacts, ReleaseFacts } from './release-facts.rules.ts';
import { brokenInvariant } from './release-invariants.rules.ts';
import { ownerMailTries } from './release-keys.rules.ts';
import { askEnded, deliveriesEnded, noticeEnded, reminderEnded } from './release-outcomes.rules.ts';

/** A life that the pure rules live through: everything in days since its beginning. */
export type Life = {
  owner: Pick<
    OwnerFacts,
    'inactivityDays' | 'releaseMethod' | 'quorum' | 'waitingDays' | 'answerDays' | 'checkinIntervalDays'
  >;
  contactDays: readonly number[];
  readyMessages: number;
  days: number;
  /** The owner's mailbox refuses everything for good, from this day on. */
  mailboxClosedDay: number | null;
  /** Times in which the service is down; nothing happens, and nothing counts as healthy. */
  outages: readonly { day: number; days: number }[];
  /** Times in which no mail gets through. Time counts until that has lasted for a day; then it is taken back. */
  mailOutages?: readonly { day: number; days: number }[];
  happenings: readonly Happening[];
  /** What contacts do when they are asked, one after the other. */
  answers: readonly Answer[];
  /** How long the mail server lets a question to a contact wait, in days, one after the other; at once when left out. */
  askDelays?: readonly number[];
};

export type Answer = { afterDays: number; says: 'confirms' | 'cancels' | 'nothing' };

export type Happening = { day: number } & (
  | { kind: 'activity' }
  | { kind: 'confirms' | 'cancels' | 'emergency' | 'trustee'; contact: number }
  | { kind: 'leaves' | 'returns'; contact: number }
  | { kind: 'freeze_owner' | 'thaw_owner' | 'freeze_all' | 'thaw_all' }
);

/** What an onlooker writes down, apart from the rules, to hold them to their promise. */
export type Chronicle = {
  broken: string[];
  /** Wall time in days of every release, and whether enough people had said so. */
  releases: { day: number; healthyDay: number; byPeople: boolean }[];
  steps: { day: number; step: string }[];
  visits: number;
  /** How long this life was. */
  days: number;
};

const mailDelayMs = 20_000;
const refusalMs = 2 * dayMs;
const visitsMax = 20_000;

type Planned = { atMs: number; run: () => void };

/** Lives a life and tells what was broken. Deterministic. */
export function liveThrough(life: Life): Chronicle {
  const chronicle: Chronicle = { broken: [], releases: [], steps: [], visits: 0, days: 0 };
  const endMs = life.days * dayMs;
  let nowMs = 0;
  let healthyMs = 0;
  let cycle: CycleFacts | null = null;
  let lastActivityMs = 0;
  let isFrozen = false;
  let isInstallationFrozen = false;
  let planned: Planned[] = [];
  let asks = 0;
  const standing = new Map(life.contactDays.map((day, index) => [String(index), day * dayMs]));
  /** Mails to contacts that were taken back before they had left. */
  const takenBack = new Set<string>();
  /** Mails to the owner that were written: one with a key that is there already is written to nobody. */
  const written = new Set<string>();
  /** Notices that a wait begins with, and whose outcome is still to come. */
  let noticesUnderWay = 0;
  // The onlooker's own notes about the open cycle.
  let notes = freshNotes();

  const facts = (): ReleaseFacts => ({
    owner: { ...life.owner, lastActivityMs, isVerified: true, isFrozen },
    isInstallationFrozen,
    readyMessages: chronicle.releases.length > 0 ? 0 : life.readyMessages,
    contacts: [...standing]
      .map(([id, confirmedAtMs]) => ({ id, confirmedAtMs }))
      .filter(({ confirmedAtMs }) => confirmedAtMs <= nowMs),
    cycle,
  });
  const complain = (what: string) => chronicle.broken.push(`day ${(nowMs / dayMs).toFixed(3)}: ${what}`);
  const mark = () => ({ atMs: nowMs, healthyMs });
  const plan = (afterMs: number, run: () => void) => planned.push({ atMs: nowMs + afterMs, run });
  const mailOutages = (life.mailOutages ?? []).map(({ day, days }) => ({
    fromMs: msOf(day),
    untilMs: msOf(day) + msOf(days),
  }));
  /** How long a mail takes that would take so long if all were well: it waits for the post. */
  function untilTaken(delayMs: number): number {
    const isOut = ({ fromMs, untilMs }: { fromMs: number; untilMs: number }) =>
      fromMs <= nowMs + delayMs && nowMs + delayMs < untilMs;
    const outage = mailOutages.find(isOut);
    return outage ? untilTaken(outage.untilMs - nowMs + mailDelayMs) : delayMs;
  }
  /** Whether mail has been out for a day, so that no time counts. */
  let isMailOut = false;

  function take(result: Pick<EventResult, 'cycle' | 'closedAs' | 'effects'>): void {
    const broken = brokenInvariant(facts(), result, { now: nowMs, healthyMs });
    if (broken) complain(`the service would have refused: ${broken}`);
    watch(result.effects, result.cycle);
    cycle = result.closedAs ? null : result.cycle;
    if (result.closedAs) notes = freshNotes();
    // A link that takes the place of another gives nobody more time.
    const renewed = result.effects.flatMap((effect) => (effect.kind === 'withdraw_link' ? [effect.contactId] : []));
    for (const effect of result.effects) answerMail(effect, cycle, renewed);
  }

  /** The mail server answers each mail of a step a moment later, or refuses it after three tries. */
  function answerMail(effect: Effect, of: CycleFacts | null, renewed: readonly string[]): void {
    const isClosed = life.mailboxClosedDay !== null && nowMs >= life.mailboxClosedDay * dayMs;
    const outcome = isClosed ? ('failed' as const) : ('accepted' as const);
    const ownerDelayMs = untilTaken(isClosed ? refusalMs : mailDelayMs);
    const isSame = () => cycle !== null && cycle.openedAtMs === of?.openedAtMs;
    const apply = (event: () => EventResult) => {
      if (!isSame()) return;
      const result = event();
      if (!result.ignored) take(result);
    };
    const mailResult = () => ({ outcome, isMailHealthy: true, mark: mark() });
    if (effect.kind === 'remind_owner') {
      plan(ownerDelayMs, () => {
        if (isSame()) notes[effect.which] = healthyMs;
        if (isSame() && isClosed) notes.factor = 2;
        apply(() => reminderEnded(facts(), effect.which, mailResult()));
      });
    }
    if (effect.kind === 'tell_owner' && (effect.about === 'holding' || effect.about === 'asked')) {
      const { about } = effect;
      const tries = of ? ownerMailTries(of, `owner_${about}`) : 0;
      const key = `${of?.openedAtMs} ${about} ${of?.round} ${tries}`;
      if (written.has(key)) return;
      written.add(key);
      noticesUnderWay += 1;
      plan(ownerDelayMs, () => {
        noticesUnderWay -= 1;
        if (!isSame() || !cycle || ownerMailTries(cycle, `owner_${about}`) !== tries) return;
        if (about === 'holding') notes.noticeAtHealthyMs = healthyMs;
        apply(() => noticeEnded(facts(), about, mailResult()));
      });
    }
    if (effect.kind === 'ask_contacts') {
      const round = of?.round ?? 0;
      for (const contactId of effect.contactIds) {
        const answer = life.answers[asks % Math.max(1, life.answers.length)];
        const delayMs = msOf(life.askDelays?.[asks % Math.max(1, life.askDelays.length)] ?? 0);
        const askMs = untilTaken(Math.max(mailDelayMs, delayMs));
        asks += 1;
        const says = answer?.says ?? 'nothing';
        if (answer && says !== 'nothing')
          plan(askMs + msOf(answer.afterDays) + mailDelayMs, () => decideAs(says, contactId));
        const accepted = () => ({ outcome: 'accepted' as const, isMailHealthy: true, mark: mark() });
        const tries = of?.invitations.find((each) => each.contactId === contactId && each.round === round)?.tries ?? 0;
        plan(askMs, () => {
          if (takenBack.has(`${contactId} ${round} ${tries}`)) return;
          if (!renewed.includes(contactId)) notes.askedAtHealthyMs = healthyMs;
          apply(() => askEnded(facts(), { contactId, round, tries }, accepted()));
        });
      }
    }
    if (effect.kind === 'withdraw_link') takenBack.add(`${effect.contactId} ${effect.round} ${effect.tries}`);
    if (effect.kind === 'create_deliveries') plan(untilTaken(mailDelayMs), () => apply(() => deliveriesEnded(facts())));
  }

  /** Holds an effect to the promises, by the notes alone. */
  function watch(effects: readonly Effect[], next: CycleFacts | null): void {
    if (next && next.round > 0) watchQuorum(next.round, effects);
    for (const { kind } of effects) {
      const isBySilence = kind === 'ask_contacts' && next?.cause === 'silence' && cycle?.cause === 'silence';
      if (isBySilence && nowMs - lastActivityMs < life.owner.inactivityDays * dayMs) complain('asked too early');
      if (kind === 'ask_contacts' && healthyMs - notes.firstCancelAtHealthyMs < 30 * dayMs) {
        complain('somebody was asked during a pause');
      }
      const reaches = kind === 'ask_contacts' || kind === 'create_deliveries';
      if (reaches && (isFrozen || isInstallationFrozen)) complain(`${kind} while frozen`);
      if (kind === 'create_deliveries') watchRelease();
    }
  }

  /** As many as there were when people of this round were asked: who leaves makes nobody else's word enough. */
  function watchQuorum(round: number, effects: readonly Effect[]): void {
    const reckoned = Math.max(1, Math.min(life.owner.quorum, facts().contacts.length));
    const isAsked = effects.some(({ kind }) => kind === 'ask_contacts');
    if (notes.round !== round) notes.needed = reckoned;
    else if (isAsked) notes.needed = Math.max(notes.needed, reckoned);
    notes.round = round;
  }

  function watchRelease(): void {
    const { inactivityDays, quorum, waitingDays, answerDays, releaseMethod } = life.owner;
    const contacts = facts().contacts.length;
    const needed = Math.max(notes.needed, Math.min(quorum, contacts));
    const byPeople = confirmedContacts().length >= needed;
    chronicle.releases.push({ day: nowMs / dayMs, healthyDay: healthyMs / dayMs, byPeople });
    const { first, last, factor } = notes;
    const silentDays = (nowMs - lastActivityMs) / dayMs;
    const wasReminded =
      first !== null && last !== null && last - first >= 7 * dayMs && healthyMs - last >= 10 * dayMs * factor;
    const wasSilent = silentDays >= inactivityDays && wasReminded;
    if (chronicle.releases.length > 1) complain('released twice');
    if (releaseMethod === 'trusted_contact' && !byPeople) complain('released without its people');
    if (!byPeople && !wasSilent) complain('released by silence without both reminders and their gaps');
    if (!byPeople && contacts > 0) {
      const answeredMs = healthyMs - (notes.askedAtHealthyMs ?? Number.POSITIVE_INFINITY);
      if (answeredMs < answerDays * dayMs * factor) complain('the time to answer was cut short');
    }
    if (!wasSilent && confirmedContacts().filter(isOldEnough).length < needed) {
      complain('an early release counted somebody who had just become a contact');
    }
    if (byPeople && !wasSilent && waitingDays > 0) {
      const waitedMs = healthyMs - (notes.noticeAtHealthyMs ?? Number.POSITIVE_INFINITY);
      if (waitedMs < waitingDays * dayMs) complain('the waiting period was cut short');
    }
    if (healthyMs - notes.firstCancelAtHealthyMs < 30 * dayMs) complain('a cancel lost against a release');
  }

  const confirmedContacts = () => [...notes.confirmed].filter((id) => facts().contacts.some((each) => each.id === id));

  function isOldEnough(contactId: string): boolean {
    return nowMs - (standing.get(contactId) ?? Number.POSITIVE_INFINITY) >= 3 * dayMs;
  }

  /** An owner whose days have not begun is about to be told of them, or they would never begin. */
  function watchNotice(): void {
    const isUntold = cycle?.state === 'holding' && !cycle.ownerNotice && life.owner.waitingDays > 0;
    if (isUntold && noticesUnderWay === 0) complain('the waiting period never begins');
  }

  /** Whatever else is under way or stopped: an owner who is silent hears of it at its time. */
  function watchReminders(): void {
    if (isFrozen || cycle?.state === 'releasing' || cycle?.state === 'released') return;
    const { inactivityDays } = life.owner;
    const silentMs = nowMs - lastActivityMs;
    const isFirstDue = silentMs >= Math.ceil(inactivityDays / 2) * dayMs;
    if (isFirstDue && (cycle?.first.sentAtMs ?? null) === null) complain('the first reminder is late');
    const sinceFirst = healthyMs - (cycle?.first.ended?.healthyMs ?? Number.POSITIVE_INFINITY);
    const isLastDue = silentMs >= (inactivityDays - 10) * dayMs && sinceFirst >= 7 * dayMs * notes.factor;
    if (isLastDue && cycle?.last.sentAtMs === null) complain('the last reminder is late');
  }

  function visit(): number {
    for (;;) {
      chronicle.visits += 1;
      if (chronicle.visits > visitsMax) throw new Error('This life never comes to rest.');
      const before = facts();
      const decision: Decision = decide(before, nowMs, healthyMs);
      if (decision.step === null) {
        checkHint(before, decision.nextStepAtMs);
        watchReminders();
        watchNotice();
        return decision.nextStepAtMs;
      }
      chronicle.steps.push({ day: nowMs / dayMs, step: decision.step });
      take(decision);
      if (decision.step === 'nudge') return decision.nextStepAtMs;
    }
  }

  /** Before the hint, nothing may be due: else the sweep would come too late. */
  function checkHint(before: ReleaseFacts, hintMs: number): void {
    if (hintMs <= nowMs) complain('the hint would have the sweep run in circles');
    for (const part of [0.5, 1]) {
      const atMs = Math.floor(nowMs + (hintMs - 1 - nowMs) * part);
      const early = decide(before, atMs, healthyMs + (atMs - nowMs));
      if (early.step !== null && early.step !== 'nudge') complain(`the hint is later than the truth: ${early.step}`);
    }
  }

  function happen(happening: Happening): void {
    if (happening.kind === 'activity') {
      lastActivityMs = nowMs;
      const result = ownerReturns(facts());
      if (!result.ignored) take(result);
      return;
    }
    if (happening.kind === 'freeze_owner' || happening.kind === 'thaw_owner')
      isFrozen = happening.kind === 'freeze_owner';
    if (happening.kind === 'freeze_all' || happening.kind === 'thaw_all') {
      isInstallationFrozen = happening.kind === 'freeze_all';
    }
    if (happening.kind === 'leaves' || happening.kind === 'returns') {
      changeRole(happening.kind, String(happening.contact));
    } else if ('contact' in happening) decideAs(happening.kind, String(happening.contact));
  }

  function changeRole(kind: 'leaves' | 'returns', contactId: string): void {
    const since = standing.get(contactId);
    if (since === undefined || since > nowMs) {
      if (kind === 'returns' && since === Number.POSITIVE_INFINITY) standing.set(contactId, nowMs);
      return;
    }
    if (kind === 'returns') return;
    standing.set(contactId, Number.POSITIVE_INFINITY);
    const result = contactStepsDown(facts(), contactId, { isMailHealthy: true, mark: mark() });
    if (!result.ignored) take(result);
  }

  function decideAs(kind: 'confirms' | 'cancels' | 'emergency' | 'trustee', contactId: string): void {
    const results = {
      confirms: () => contactConfirms(facts(), contactId),
      cancels: () => contactCancels(facts(), contactId, mark()),
      emergency: () => emergencyRequested(facts(), contactId, nowMs),
      trustee: () => trusteePressed(facts(), contactId, nowMs),
    };
    const result = results[kind]();
    if (result.ignored) return;
    if (kind === 'confirms' || kind === 'trustee') notes.confirmed.add(contactId);
    if (kind === 'cancels') {
      notes.confirmed.delete(contactId);
      if (!notes.cancelled.has(contactId)) {
        notes.firstCancelAtHealthyMs = healthyMs;
        notes.confirmed.clear();
      }
      // Against an early request it is not the only one that stops everything.
      if (cycle?.cause === 'silence') notes.cancelled.add(contactId);
    }
    take(result);
  }

  for (const happening of life.happenings) planned.push({ atMs: msOf(happening.day), run: () => happen(happening) });
  for (const { fromMs, untilMs } of mailOutages) {
    if (untilMs - fromMs < dayMs) continue;
    let healthyBeforeMs = 0;
    const begin = () => {
      healthyBeforeMs = healthyMs;
    };
    const comeOut = () => {
      healthyMs = healthyBeforeMs;
      isMailOut = true;
    };
    const end = () => {
      isMailOut = false;
    };
    planned.push({ atMs: fromMs, run: begin }, { atMs: fromMs + dayMs, run: comeOut }, { atMs: untilMs, run: end });
  }
  const outages = life.outages
    .map(({ day, days }) => ({ fromMs: msOf(day), untilMs: msOf(day) + msOf(days) }))
    .sort((one, other) => one.fromMs - other.fromMs);

  let hintMs = visit();
  while (nowMs < endMs) {
    planned = planned.sort((one, other) => one.atMs - other.atMs);
    const nextMs = Math.min(endMs, Math.max(nowMs, Math.min(hintMs, planned[0]?.atMs ?? endMs)));
    const outage = outages.find(({ fromMs, untilMs }) => fromMs < nextMs && untilMs > nowMs);
    if (outage && outage.fromMs <= nowMs) {
      // Down: time passes, nothing counts, and everything that should have happened waits.
      nowMs = Math.min(endMs, outage.untilMs);
      outages.splice(outages.indexOf(outage), 1);
    } else {
      const untilMs = outage ? outage.fromMs : nextMs;
      if (!isMailOut) healthyMs += untilMs - nowMs;
      nowMs = untilMs;
      if (outage) continue;
    }
    const due = planned.filter(({ atMs }) => atMs <= nowMs);
    planned = planned.filter(({ atMs }) => atMs > nowMs);
    for (const { run } of due) run();
    if (due.length > 0 || hintMs <= nowMs) hintMs = visit();
  }
  chronicle.days = nowMs / dayMs;
  return chronicle;
}

/** Time is in whole milliseconds, as the clocks give it. */
function msOf(days: number): number {
  return Math.round(days * dayMs);
}

function freshNotes() {
  return {
    first: null as number | null,
    last: null as number | null,
    factor: 1,
    askedAtHealthyMs: null as number | null,
    noticeAtHealthyMs: null as number | null,
    firstCancelAtHealthyMs: Number.NEGATIVE_INFINITY,
    confirmed: new Set<string>(),
    round: 0,
    needed: 1,
    cancelled: new Set<string>(),
  };
}
