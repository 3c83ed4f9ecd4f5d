import type { Command, Event, Refusal } from '#server/features/release-core/events.rules.ts';
import type { DeliverOn } from '#shared/rules/deliver-on.ts';
import { dueAt } from './own-days.ts';

/**
 * Checks a simulated run against the page "Release: from silence to delivery". It knows people's actions, their
 * notices with the time of acceptance, and the departures of letters. It never reads the core's world, and takes
 * every number from the page.
 */
const hour = 3_600_000;
const day = 24 * hour;
/** Whole milliseconds are compared; a second is no fault. */
const second = 1000;

export class Fault extends Error {
  readonly code: string;
  readonly atMs: number;
  constructor(code: string, atMs: number, text: string) {
    super(`${code}: ${text}`);
    this.code = code;
    this.atMs = atMs;
  }
}

/** Facts independent of the core, updated by the driver. */
export type Facts = {
  nowMs: number;
  lastActivityMs: number;
  awayUntilMs: number | null;
  inactivityDays: number;
  method: 'inactivity' | 'trusted_contact';
  quorum: number;
  answerDays: number;
  waitingDays: number;
  isFrozen: boolean;
  isSilenceStopped: boolean;
  contacts: Map<string, { confirmedMs: number }>;
  ready: Set<string>;
  /** Chosen days of letters with a day of their own. */
  ownDays: ReadonlyMap<string, DeliverOn>;
  /** Letters whose reader wants no more of them at the moment. */
  declined: Set<string>;
  documents: number;
  /** Mail that isn't taken at the moment: ours, the owner's, or a contact's. */
  isMailDown: boolean;
  isOwnerInTrouble: boolean;
  /** No channel of the owner takes anything permanently, now or since their last activity. */
  wasOwnerClosed: boolean;
  wasContactInTrouble: boolean;
  /** The end of the last thing that went wrong or was changed from outside. */
  disturbedMs: number;
};

type Told = {
  id: number;
  to: string;
  topic: string;
  writtenMs: number;
  accepted: { email: number | null; text: number | null };
  tried: { email: number | null; text: number | null };
  bouncedMs: number | null;
  isWithdrawn: boolean;
};

type OpenRequest = {
  cause: 'silence' | 'emergency' | 'trustee';
  askedBy: string | null;
  openedMs: number;
  /** People are asked since then: the opening, or the end of a pause. */
  phaseMs: number;
  needed: number;
  waitingDays: number;
  answerDays: number;
  /** D days were over and both reminders had reached the owner when it opened or was taken over. */
  isOver: boolean;
  takenOverMs: number | null;
  /** `namesDay`: both reminders had reached the owner, or were tried, when it was written. */
  questions: { told: Told; contactId: string; isRepeat: boolean; namesDay: boolean }[];
  yes: Map<string, number>;
  nos: Map<string, number>;
  /** Contacts who have answered their last question. */
  answered: Set<string>;
  tookBack: Set<string>;
  firstNoMs: number | null;
  /** Contacts whose latest answer is that the owner is alive, and its time; and how often each has said so. */
  alive: Map<string, number>;
  aliveTimes: Map<string, number>;
  isPaused: boolean;
  hadFirstYes: boolean;
  enoughSinceMs: number | null;
  heldMs: number | null;
  waits: Told[];
  waitTold: number;
  fewerSinceMs: number | null;
  fewerNotices: Told[];
};

type Silence = { inactivityDays: number; quorum: number; answerDays: number; waitingDays: number };
type Early = { openedMs: number; askedBy: string; wasForeign: boolean };

export class Judge {
  readonly facts: Facts;
  readonly notices = new Map<number, Told>();
  /** Periods in which no person could have answered. */
  private readonly unhealthy: { fromMs: number; toMs: number }[] = [];
  private silence: Silence | null = null;
  private firsts: Told[] = [];
  private lasts: Told[] = [];
  private request: OpenRequest | null = null;
  private early: Early[] = [];
  private stops = new Map<string, number>();
  private lastQuestion = new Map<string, Told>();
  private lastReminder: Told | null = null;
  private toldNow = new Set<string>();
  private endedNow: { request: OpenRequest; why: string } | null = null;
  private releasedSinceActivity = false;
  private anewMs: number | null = null;
  private sawBounce = false;
  private release: {
    letters: Set<string>;
    left: Set<string>;
    ended: Set<string>;
    by: OpenRequest;
    byYes: boolean;
    atMs: number;
    isDone: boolean;
    /** The owner has said who they are: whatever comes of its letters, it is over. */
    isClosed: boolean;
  } | null = null;
  private mustNotLeave: string | null = 'nothing was released';
  private questionMs: number | null = null;
  private wasAway = false;
  private deletedMs: number | null = null;

  /** Known faults, ignored to find faults behind them. */
  private readonly forgiven: Pick<ReadonlySet<string>, 'has'>;

  constructor(facts: Facts, forgiven: Pick<ReadonlySet<string>, 'has'>) {
    this.facts = facts;
    this.forgiven = forgiven;
  }

  private fail(code: string, text: string): never {
    throw new Fault(code, this.facts.nowMs, text);
  }
  private must(isSo: boolean, code: string, text: string): void {
    if (!isSo && !this.forgiven.has(code)) this.fail(code, text);
  }

  // ---- time

  /** Time in which mail was due and none was taken: marks that were made in it lie ahead. */
  takenBack(fromMs: number, toMs: number): void {
    this.hasLost = true;
    this.lost(fromMs, toMs);
  }
  private hasLost = false;
  private waitLeftMs = Number.NEGATIVE_INFINITY;
  lost(fromMs: number, toMs: number): void {
    // Lost time is not subtracted twice: an outage may overlap a time without mail.
    let from = fromMs;
    let to = toMs;
    for (let index = this.unhealthy.length - 1; index >= 0; index -= 1) {
      const other = this.unhealthy[index];
      if (!other || other.toMs < from || other.fromMs > to) continue;
      from = Math.min(from, other.fromMs);
      to = Math.max(to, other.toMs);
      this.unhealthy.splice(index, 1);
    }
    this.unhealthy.push({ fromMs: from, toMs: to });
  }
  /** Healthy time between two moments, as is known now. */
  healthy(fromMs: number, toMs: number): number {
    let span = toMs - fromMs;
    for (const bad of this.unhealthy) {
      const overlap = Math.min(bad.toMs, toMs) - Math.max(bad.fromMs, fromMs);
      if (overlap > 0) span -= overlap;
    }
    return span;
  }
  private past(fromMs: number, days: number): boolean {
    return this.healthy(fromMs, this.facts.nowMs) >= days * day - second;
  }
  private silentSinceMs(): number {
    return Math.max(this.facts.lastActivityMs, this.facts.awayUntilMs ?? 0);
  }

  // ---- mails

  private write(id: number, to: string, topic: string): Told {
    const known = this.notices.get(id);
    if (known) return known;
    const told: Told = {
      id,
      to,
      topic,
      writtenMs: this.facts.nowMs,
      accepted: { email: null, text: null },
      tried: { email: null, text: null },
      bouncedMs: null,
      isWithdrawn: false,
    };
    this.notices.set(id, told);
    return told;
  }
  outcome(id: number, channel: 'email' | 'text', kind: 'accepted' | 'tried'): void {
    const told = this.notices.get(id);
    if (told) told[kind][channel] = this.facts.nowMs;
  }
  bounced(id: number): void {
    const told = this.notices.get(id);
    if (told) told.bouncedMs = this.facts.nowMs;
    this.sawBounce = true;
    if (told && this.isNewestReminder(told) && this.reachedMs(told) === null) this.answerTimeStops();
  }
  /** True if silence alone waits for a reminder, so that no day of its delivery is known. */
  private isReminderOpen({ cause }: OpenRequest): boolean {
    if (cause !== 'silence' || this.facts.method !== 'inactivity') return false;
    return [this.firsts.at(-1), this.lasts.at(-1)].some((told) => told && !told.isWithdrawn && !this.hasEnded(told));
  }
  /** A channel accepted it, or every channel of it was tried. */
  private hasEnded(told: Told): boolean {
    return this.stepMs(told) !== null;
  }
  private isNewestReminder(told: Told): boolean {
    return told === this.firsts.at(-1) || told === this.lasts.at(-1);
  }
  /** A reminder bounced while contacts are asked: the answer time stops. */
  private answerTimeStops(): void {
    if (this.request?.cause !== 'silence' || this.stoodStill.at(-1)?.toMs === null) return;
    this.stoodStill.push({ fromMs: this.facts.nowMs, toMs: null });
  }
  /** The reminder was accepted again, and 10 days have passed. */
  private answerTimeGoesOn(): void {
    const still = this.stoodStill.at(-1);
    if (still?.toMs === null && this.isSilenceOver()) still.toMs = this.facts.nowMs;
  }
  private readonly stoodStill: { fromMs: number; toMs: number | null }[] = [];
  /** Part of the healthy time since then in which the answer time was paused. A visit may see its end an hour late. */
  private stillMs(sinceMs: number): number {
    const spans = this.stoodStill.map(({ fromMs, toMs }) => {
      const from = Math.max(fromMs, sinceMs);
      const to = toMs ?? this.facts.nowMs;
      return to > from ? Math.max(0, this.healthy(from, to) - hour) : 0;
    });
    return spans.reduce((sum, span) => sum + span, 0);
  }
  private isAnswerTimeOver(sinceMs: number, days: number): boolean {
    return this.healthy(sinceMs, this.facts.nowMs) - this.stillMs(sinceMs) >= days * day - second;
  }
  /** Time when the person was notified: the first acceptance that counts. */
  private reachedMs(told: Told): number | null {
    const email = told.bouncedMs === null ? told.accepted.email : null;
    const { text } = told.accepted;
    if (email === null || text === null) return email ?? text;
    return Math.min(email, text);
  }
  private stepMs(told: Told): number | null {
    const reached = this.reachedMs(told);
    if (reached !== null) return reached;
    const { email, text } = told.tried;
    if (email === null || text === null) return email ?? text;
    return Math.min(email, text);
  }
  /** Both reminders were accepted or tried, seven healthy days apart, and ten have passed. */
  private isWarned(): boolean {
    for (const first of this.firsts) {
      const firstMs = this.stepMs(first);
      if (firstMs === null) continue;
      for (const last of this.lasts) {
        const lastMs = this.stepMs(last);
        if (lastMs === null || this.healthy(firstMs, lastMs) < 7 * day - second) continue;
        if (this.anewMs !== null && lastMs < this.anewMs) continue;
        if (this.past(lastMs, 10)) return true;
      }
    }
    return false;
  }
  private areDaysOver(): boolean {
    const days = this.silence?.inactivityDays ?? this.facts.inactivityDays;
    return this.facts.nowMs - this.silentSinceMs() >= days * day - second;
  }
  private isSilenceOver(): boolean {
    return this.areDaysOver() && this.isWarned();
  }
  private validYes(request: OpenRequest): number {
    let count = 0;
    for (const contactId of request.yes.keys()) {
      const contact = this.facts.contacts.get(contactId);
      if (!contact) continue;
      if (request.cause !== 'silence' && !this.past(contact.confirmedMs, 3)) continue;
      count += 1;
    }
    return count;
  }

  // ---- what people do

  /** Before the core is asked. */
  private isAsked(request: OpenRequest, contactId: string): boolean {
    const sinceMs = Math.max(request.phaseMs, this.facts.contacts.get(contactId)?.confirmedMs ?? 0);
    return request.questions.some(
      ({ told, contactId: to }) =>
        to === contactId && told.writtenMs >= sinceMs && told.accepted.email !== null && told.bouncedMs === null,
    );
  }

  command(command: Command, refused: Refusal | null): void {
    const { facts } = this;
    switch (command.kind) {
      case 'life':
      case 'close':
      case 'is_owner': {
        if (refused && command.kind === 'is_owner') return;
        const stopped = this.request ?? this.underWay()?.by;
        if (command.kind === 'life' && command.isStop && stopped?.askedBy) this.stops.set(stopped.askedBy, facts.nowMs);
        const takesBack = command.kind !== 'is_owner' || command.takesBack;
        const underWay = this.underWay();
        if (command.kind !== 'is_owner' && underWay && !underWay.isDone) this.backFrom = underWay.by;
        if (takesBack) this.mustNotLeave = `the owner was back (${command.kind})`;
        if (command.kind === 'is_owner') this.questionMs = null;
        if (command.kind === 'close') this.deletedMs = facts.nowMs;
        this.activity();
        return;
      }
      case 'signed_in':
        if (!refused) this.questionMs = facts.nowMs;
        return;
      case 'is_not_owner':
        if (!refused) this.questionMs = null;
        return;
      case 'answer':
        this.answer(command.contactId, command.says, refused);
        return;
      case 'take_back':
        this.takeBack(command.contactId, refused);
        return;
      case 'did_not_ask': {
        if (refused) return;
        const last = this.early.at(-1);
        if (last && this.request?.askedBy === command.contactId) last.wasForeign = true;
        return;
      }
      case 'left':
        this.request?.yes.delete(command.contactId);
        this.request?.answered.delete(command.contactId);
        this.countAgain();
        return;
      case 'emergency':
      case 'trustee':
        this.asksEarly(command.kind, command.contactId, refused);
        return;
      case 'begin_anew':
        this.anewMs = facts.nowMs;
        this.restoredMs = facts.nowMs;
        return;
      default:
        return;
    }
  }

  private activity(): void {
    this.silence = null;
    this.firsts = [];
    this.lasts = [];
    this.anewMs = null;
    this.sawBounce = false;
    this.releasedSinceActivity = false;
    this.wasAway = false;
  }

  private hasLeft(): boolean {
    return (this.release?.left.size ?? 0) > 0;
  }

  /** The request that is open, or whose release could still be stopped since no letter has left. */
  private stoppable(): OpenRequest | null {
    if (this.request) return this.request;
    const release = this.underWay();
    return release && !release.isDone && !this.hasLeft() ? release.by : null;
  }

  /** A release that has not been ended. */
  private underWay(): typeof this.release {
    return this.release && !this.release.isClosed && this.mustNotLeave === null ? this.release : null;
  }

  private answer(contactId: string, says: 'yes' | 'no' | 'alive', refused: Refusal | null): void {
    const request = this.stoppable();
    if (!request) return;
    const isReleasing = request !== this.request;
    const isAsked = this.facts.contacts.has(contactId) && this.isAsked(request, contactId);
    const isFirst = !request.answered.has(contactId);
    if (refused) {
      if (!isAsked || !isFirst || request.tookBack.has(contactId)) return;
      if (says !== 'yes' && isReleasing)
        this.must(
          request.nos.has(contactId),
          'no-before-dispatch-refused',
          `${contactId} says ${says} before the first letter has left and is refused (${refused})`,
        );
      else if (says !== 'yes')
        this.must(false, 'no-refused', `${contactId} was asked, says ${says}, and is refused (${refused})`);
      else
        this.must(
          request.isPaused || isReleasing,
          'yes-refused',
          `${contactId} was asked, says yes, and is refused (${refused})`,
        );
      return;
    }
    this.must(isFirst, 'answers-twice', `${contactId} answers again and is heard`);
    request.answered.add(contactId);
    if (says === 'yes') request.yes.set(contactId, this.facts.nowMs);
    else {
      const isFirstNo = !request.nos.has(contactId);
      if (says === 'alive') this.saidAlive(request, contactId);
      else request.alive.delete(contactId);
      request.nos.set(contactId, this.facts.nowMs);
      if (isFirstNo) {
        request.firstNoMs = this.facts.nowMs;
        request.isPaused = true;
        request.yes.clear();
        if (isReleasing) this.mustNotLeave = `${contactId} said no before the first letter had left`;
      }
    }
    request.hadFirstYes ||= says === 'yes';
    this.countAgain();
  }

  /** From the second time on, the owner and every other contact hear of it. */
  private saidAlive(request: OpenRequest, contactId: string): void {
    const times = (request.aliveTimes.get(contactId) ?? 0) + 1;
    request.alive.set(contactId, this.facts.nowMs);
    request.aliveTimes.set(contactId, times);
    if (times < 2 || request.cause !== 'silence') return;
    for (const each of this.facts.contacts.keys())
      if (each !== contactId) this.expected.push({ contactId: each, code: 'alive-again-untold' });
    this.isAliveAgain = true;
  }
  private isAliveAgain = false;

  private takeBack(contactId: string, refused: Refusal | null): void {
    const by = this.stoppable();
    if (!by) return;
    if (refused) {
      const couldBe = by.yes.has(contactId) && this.facts.contacts.has(contactId);
      this.must(
        !couldBe,
        'take-back-refused',
        `${contactId} takes their yes back before a letter has left and is refused (${refused})`,
      );
      return;
    }
    by.yes.delete(contactId);
    // The page does not say if a link can give the same answer twice.
    by.answered.delete(contactId);
    by.tookBack.add(contactId);
    // A trustee who had no question gets their first one now, and the whole time to answer it.
    if (!by.questions.some((question) => question.contactId === contactId)) this.waitLeftMs = this.facts.nowMs;
    this.countAgain();
    if (by !== this.request && this.release?.byYes && by.yes.size < by.needed)
      this.mustNotLeave = 'too few yeses were left before the first letter had left';
  }

  private countAgain(): void {
    const request = this.request;
    if (!request) return;
    if (this.validYes(request) >= request.needed) request.enoughSinceMs ??= this.facts.nowMs;
    else request.enoughSinceMs = null;
  }

  private asksEarly(kind: 'emergency' | 'trustee', contactId: string, refused: Refusal | null): void {
    const { facts } = this;
    const contact = facts.contacts.get(contactId);
    const isOld = contact !== undefined && this.past(contact.confirmedMs, 3);
    const stopped = this.stops.get(contactId);
    const isStopped = stopped !== undefined && !this.past(stopped, 30);
    const recent = this.early.filter(
      ({ openedMs, wasForeign }) => !wasForeign && facts.nowMs - openedMs < 7 * day,
    ).length;
    const hasReady = facts.ready.size > 0 || facts.documents > 0;
    if (refused) {
      if (refused === 'contact_too_new')
        this.must(
          !isOld && this.request?.cause !== 'silence',
          'new-contact-wrongly',
          `${contactId} accepted more than 72 healthy hours ago, or silence asks, and is refused as new`,
        );
      if (refused === 'budget_spent')
        this.must(
          recent >= 3,
          'budget-wrongly',
          `only ${recent} early requests were opened in a week, and another is refused`,
        );
      if (refused === 'stopped_before')
        this.must(
          isStopped,
          'stop-wrongly',
          `no Stop in the last 30 healthy days, and ${contactId} is refused for one`,
        );
      if (refused === 'nothing_ready')
        this.must(
          !hasReady || this.releasedSinceActivity,
          'ready-wrongly',
          'something is ready, and nothing is said to be',
        );
      if (refused === 'frozen') this.must(facts.isFrozen, 'frozen-wrongly', 'nothing is frozen');
      return;
    }
    if (kind === 'trustee') this.pressed = contactId;
    else this.asking = contactId;
    if (this.request) return;
    this.must(
      isOld,
      'new-contact',
      `${contactId} accepted the role less than 72 healthy hours ago and opens a request`,
    );
    this.must(!isStopped, 'after-stop', `${contactId} asks again within 30 healthy days of the Stop`);
    this.must(recent < 3, 'budget', 'a fourth early request within a week');
    this.must(hasReady, 'nothing-ready', 'a request is opened with nothing ready');
  }
  /** The request of a release that the owner has just come back from. */
  private backFrom: OpenRequest | null = null;
  private pressed: string | null = null;
  private asking: string | null = null;

  // ---- what the core says has happened

  event(event: Event): void {
    const { facts } = this;
    const { nowMs } = facts;
    const silentMs = nowMs - this.silentSinceMs();
    switch (event.kind) {
      case 'owner_told': {
        const told = this.write(event.notice, 'owner', event.topic);
        this.toldNow.add(`owner/${event.topic}`);
        if (event.topic === 'wait' || event.topic === 'wait_goes_on') this.request?.waits.push(told);
        if (event.topic === 'fewer_contacts') this.request?.fewerNotices.push(told);
        return;
      }
      case 'contact_told':
        if (event.topic === 'delayed') this.delayOfKnownDay(event.contactId);
        this.write(event.notice, event.contactId, event.topic);
        this.toldNow.add(`${event.contactId}/told`);
        return;
      case 'first_reminder_written': {
        const days = this.silence?.inactivityDays ?? facts.inactivityDays;
        this.must(
          silentMs >= Math.ceil(days / 2) * day - second,
          'first-too-early',
          `first reminder after ${inDays(silentMs)} of ${days}`,
        );
        const { terms } = event;
        this.silence ??= { ...facts };
        this.must(
          terms.inactivityDays >= this.silence.inactivityDays &&
            terms.answerDays >= this.silence.answerDays &&
            terms.waitingDays >= this.silence.waitingDays,
          'terms-of-silence',
          `terms ${JSON.stringify(terms)} are less than what was so when the first reminder was written`,
        );
        this.reminder(event.notice, 'first_reminder', this.firsts);
        return;
      }
      case 'last_reminder_written': {
        const days = this.silence?.inactivityDays ?? facts.inactivityDays;
        this.must(
          silentMs >= (days - 10) * day - second,
          'last-too-early',
          `last reminder after ${inDays(silentMs)} of ${days}`,
        );
        const hasGap = this.firsts.some((first) => {
          const ms = this.stepMs(first);
          return ms !== null && this.past(ms, 7);
        });
        this.must(
          hasGap,
          'last-without-gap',
          'the last reminder is written less than 7 healthy days after the first was accepted',
        );
        this.reminder(event.notice, 'last_reminder', this.lasts);
        return;
      }
      case 'notice_withdrawn': {
        const told = this.notices.get(event.notice);
        if (told) told.isWithdrawn = true;
        return;
      }
      case 'request_opened':
        this.opened(event);
        return;
      case 'request_taken_over': {
        const request = this.request;
        if (!request) this.fail('taken-over-nothing', 'a silence takes over a request that is not open');
        this.must(!facts.isFrozen, 'frozen-take-over', 'a silence takes a request over while frozen');
        this.must(
          !facts.isSilenceStopped,
          'breaker-take-over',
          'a silence takes a request over while the breaker holds',
        );
        this.must(
          this.areDaysOver(),
          'taken-over-too-early',
          `a silence takes a request over after ${inDays(silentMs)}`,
        );
        request.isOver ||= this.isSilenceOver();
        if (!this.isWarned()) this.mayAskInTrouble();
        request.cause = 'silence';
        request.takenOverMs = nowMs;
        request.phaseMs = Math.min(request.phaseMs, nowMs);
        this.takenOver(request, event);
        this.countAgain();
        return;
      }
      case 'contact_asked':
        this.asked(event);
        return;
      case 'answer_given':
        if (this.pressed === event.contactId && this.request) {
          this.request.yes.set(event.contactId, nowMs);
          this.request.answered.add(event.contactId);
          this.request.hadFirstYes = true;
          this.countAgain();
        }
        return;
      case 'asking_told':
        this.write(event.notice, 'owner', 'asked');
        return;
      case 'paused': {
        const request = this.request;
        if (request) {
          request.isPaused = true;
          request.yes.clear();
        }
        return;
      }
      case 'asked_anew': {
        const request = this.request;
        if (!request) this.fail('asked-anew-nothing', 'no request is open');
        this.must(
          request.firstNoMs !== null && this.past(request.firstNoMs, 30),
          'pause-too-short',
          'contacts are asked anew within 30 healthy days of a first no',
        );
        this.must(!facts.isFrozen, 'frozen-step', 'contacts are asked anew while frozen');
        request.isPaused = false;
        request.phaseMs = nowMs;
        request.yes.clear();
        request.answered.clear();
        request.alive.clear();
        request.tookBack.clear();
        this.countAgain();
        return;
      }
      case 'contacts_fewer':
        if (event.notice !== null) this.request?.fewerNotices.push(this.write(event.notice, 'owner', 'fewer_contacts'));
        return;
      case 'needed_lowered':
        this.lowered(event.to);
        return;
      case 'wait_began': {
        const request = this.request;
        if (!request) this.fail('wait-of-nothing', 'no request is open');
        const told = this.write(event.notice, 'owner', 'wait');
        this.must(
          this.validYes(request) >= request.needed,
          'wait-without-quorum',
          `${this.validYes(request)} of ${request.needed} yeses, and the waiting period begins`,
        );
        // If the notice of a wait failed, the owner is notified again; contacts know of the wait already.
        for (const contactId of request.heldMs === null ? request.yes.keys() : [])
          if (facts.contacts.has(contactId)) this.expected.push({ contactId, code: 'wait-untold-contact' });
        request.heldMs = nowMs;
        request.waits.push(told);
        request.waitTold = event.days;
        const least = Math.max(request.waitingDays, facts.awayUntilMs !== null && facts.awayUntilMs > nowMs ? 14 : 0);
        this.must(
          request.isOver || event.days >= least,
          'wait-too-short',
          `a wait of ${event.days} days is told where ${least} are due`,
        );
        return;
      }
      case 'wait_left':
        if (this.request) this.request.heldMs = null;
        // A yes was withdrawn: contacts asked now have their whole time.
        this.waitLeftMs = this.facts.nowMs;
        return;
      case 'request_ended':
        this.requestEnded(event.why);
        return;
      case 'released':
        this.released(event.letters, event.later);
        return;
      case 'release_undone': {
        const { release } = this;
        if (!release || this.hasLeft()) this.fail('undone-too-late', 'a release is undone after a letter has left');
        this.must(
          !release.isDone,
          'undone-after-done',
          'a release is undone after everything had ended and contacts were told so',
        );
        this.request = release.by;
        this.release = null;
        this.takenBackFromWaiting();
        this.mustNotLeave = 'the release was undone';
        this.releasedSinceActivity = false;
        return;
      }
      case 'release_done':
        this.done();
        return;
      case 'release_closed':
        if (event.takesBack) this.mustNotLeave ??= 'the release was closed';
        if (event.takesBack) this.takenBackFromWaiting();
        for (const waiting of this.waiting.values()) waiting.isOfRelease = false;
        if (this.release) this.release.isClosed = true;
        return;
      case 'letters_due':
        for (const id of event.letters) this.due(id);
        return;
      case 'letters_held':
        this.write(event.notice, 'owner', 'letters_wait');
        return;
      default:
        return;
    }
  }

  private reminder(id: number, topic: string, list: Told[]): void {
    const told = this.write(id, 'owner', topic);
    const before = this.lastReminder;
    this.must(
      before === null || before.isWithdrawn || told.writtenMs - before.writtenMs >= day - second || before.id === id,
      'two-reminders-a-day',
      `${topic} ${inHours(told.writtenMs - (before?.writtenMs ?? 0))} after ${before?.topic}`,
    );
    this.lastReminder = told;
    list.push(told);
  }

  /** If the owner was not reached, contacts are asked only after 30 healthy days of trouble. */
  private mayAskInTrouble(): void {
    const isLong = [...this.firsts, ...this.lasts].some((told) => this.past(told.writtenMs, 30));
    this.must(
      isLong,
      'asked-unwarned',
      'contacts are asked by a silence whose reminders were not accepted with their gaps, and no trouble has lasted for 30 days',
    );
  }

  /** The terms that people were notified of, by either process, are a minimum from now on. */
  private takenOver(request: OpenRequest, event: Extract<Event, { kind: 'request_taken_over' }>): void {
    const { silence, facts } = this;
    request.needed = Math.max(request.needed, Math.min(silence?.quorum ?? 0, facts.contacts.size));
    request.answerDays = Math.max(request.answerDays, silence?.answerDays ?? 0);
    request.waitingDays = Math.max(request.waitingDays, silence?.waitingDays ?? 0);
    const { needed, answerDays, waitingDays } = request;
    this.must(
      event.terms.needed >= needed && event.terms.answerDays >= answerDays && event.terms.waitingDays >= waitingDays,
      'terms-taken-over',
      `terms ${JSON.stringify(event.terms)} are less than ${needed} people, ${answerDays} and ${waitingDays} days`,
    );
  }

  private opened(event: Extract<Event, { kind: 'request_opened' }>): void {
    const { facts } = this;
    this.must(this.request === null, 'two-requests', 'a request is opened while one is open');
    this.must(!facts.isFrozen, 'frozen-step', `a request by ${event.cause} is opened while frozen`);
    const isBySilence = event.cause === 'silence';
    const isOver = this.isSilenceOver();
    const terms = isBySilence && this.silence ? this.silence : facts;
    const isForgiven = this.forgiven.has('terms-of-request');
    const needed = isForgiven ? event.terms.needed : Math.max(1, Math.min(terms.quorum, facts.contacts.size));
    if (isBySilence) {
      this.must(!facts.isSilenceStopped, 'breaker-step', 'a silence opens a request while the breaker holds');
      this.must(
        this.areDaysOver(),
        'asked-too-early',
        `contacts are asked after ${inDays(facts.nowMs - this.silentSinceMs())}`,
      );
      this.must(
        facts.ready.size > 0 || facts.documents > 0,
        'asked-for-nothing',
        'contacts are asked with nothing ready',
      );
      this.must(
        facts.method === 'inactivity' || facts.contacts.size > 0,
        'asked-nobody',
        'method trusted_contact without a contact goes on',
      );
      if (!isOver) this.mayAskInTrouble();
    } else if (event.askedBy !== null) {
      this.early.push({ openedMs: facts.nowMs, askedBy: event.askedBy, wasForeign: false });
      this.must(facts.contacts.has(event.askedBy), 'asked-by-nobody', `${event.askedBy} is no contact`);
    }
    if (event.cause !== 'silence')
      this.must(
        !event.isSilenceOver || isOver,
        'over-wrongly',
        'a request counts as one after a silence that is not over',
      );
    this.must(
      event.terms.needed >= needed &&
        event.terms.answerDays >= terms.answerDays &&
        event.terms.waitingDays >= terms.waitingDays,
      'terms-of-request',
      `terms ${JSON.stringify(event.terms)} are less than ${needed} people, ${terms.answerDays} and ${terms.waitingDays} days`,
    );
    this.request = {
      cause: event.cause,
      askedBy: event.askedBy,
      openedMs: facts.nowMs,
      phaseMs: facts.nowMs,
      needed,
      waitingDays: terms.waitingDays,
      answerDays: terms.answerDays,
      isOver,
      takenOverMs: null,
      questions: [],
      yes: new Map(),
      nos: new Map(),
      answered: new Set(),
      tookBack: new Set(),
      firstNoMs: null,
      alive: new Map(),
      aliveTimes: new Map(),
      isPaused: false,
      hadFirstYes: false,
      enoughSinceMs: null,
      heldMs: null,
      waits: [],
      waitTold: 0,
      fewerSinceMs: null,
      fewerNotices: [],
    };
    if (facts.awayUntilMs !== null && facts.awayUntilMs > facts.nowMs) this.wasAway = true;
  }

  private asked({ contactId, notice, isRepeat }: Extract<Event, { kind: 'contact_asked' }>): void {
    const { facts, request } = this;
    if (!request) this.fail('asked-without-request', `${contactId} is asked while no request is open`);
    this.must(facts.contacts.has(contactId), 'asked-a-stranger', `${contactId} is no contact`);
    this.must(!request.isPaused, 'asked-in-pause', `${contactId} is asked in a pause`);
    const before = this.lastQuestion.get(contactId);
    const told = this.write(notice, contactId, 'question');
    this.must(
      before === undefined || before.isWithdrawn || told.writtenMs - before.writtenMs >= day - second,
      'two-questions-a-day',
      `${contactId} is asked ${inHours(told.writtenMs - (before?.writtenMs ?? 0))} after the last question`,
    );
    if (
      request.cause === 'emergency' &&
      contactId !== request.askedBy &&
      contactId !== this.asking &&
      this.pressed === null &&
      !request.questions.some((question) => question.contactId === contactId)
    )
      this.must(
        request.hadFirstYes,
        'asked-before-first-yes',
        `${contactId} is asked by an emergency request before its first yes`,
      );
    const aliveMs = request.alive.get(contactId);
    if (aliveMs !== undefined) {
      this.must(
        this.past(aliveMs, 30) || request.cause !== 'silence',
        'news-too-early',
        `${contactId} said that the owner is alive, and is asked for news within 30 healthy days`,
      );
      request.alive.delete(contactId);
      request.answered.delete(contactId);
    }
    this.lastQuestion.set(contactId, told);
    request.questions.push({ told, contactId, isRepeat, namesDay: !this.isReminderOpen(request) });
  }

  private lowered(to: number): void {
    const { facts, request } = this;
    if (!request) this.fail('lowered-nothing', 'no request is open');
    this.must(
      request.cause === 'silence',
      'lowered-early',
      'an early request goes on with fewer people than its terms need',
    );
    this.must(
      request.fewerSinceMs !== null && this.past(request.fewerSinceMs, 30),
      'lowered-too-early',
      'fewer must confirm within 30 healthy days of the leaving',
    );
    const isTold = request.fewerNotices.some((told) => this.stepMs(told) !== null);
    this.must(isTold, 'lowered-untold', 'fewer must confirm, and the owner was not told');
    this.must(
      to >= Math.max(1, Math.min(facts.contacts.size, request.needed)),
      'lowered-too-far',
      `${to} must confirm where ${facts.contacts.size} are left`,
    );
    request.needed = to;
    this.countAgain();
  }

  private requestEnded(why: string): void {
    const request = this.request;
    if (!request) this.fail('ended-nothing', 'no request is open');
    if (why === 'nobody_answered') {
      this.must(
        request.cause !== 'silence',
        'silence-request-ended',
        'a request by silence ends because nobody answered',
      );
      this.must(
        this.past(request.openedMs, 14),
        'early-ended-too-early',
        'an early request ends within 14 healthy days',
      );
    }
    if (why === 'no' || why === 'alive')
      this.must(request.cause !== 'silence', 'silence-request-ended', 'a request by silence ends by a no');
    if (why === 'too_few_contacts')
      this.must(
        request.cause !== 'silence' && this.facts.contacts.size < request.needed,
        'too-few-wrongly',
        'enough contacts are left',
      );
    this.request = null;
    this.endedNow = { request, why };
  }

  private released(letters: readonly string[], later: readonly { id: string; dueAtMs: number }[]): void {
    const { facts } = this;
    const { nowMs } = facts;
    const { request } = this;
    this.must(!facts.isFrozen, 'frozen-step', 'released while frozen');
    if (!request) this.fail('released-unasked', 'released without an open request');
    this.must(facts.lastActivityMs <= request.openedMs, 'released-after-activity', 'released after activity');
    this.must(this.deletedMs === null, 'released-after-deletion', 'released after the account was deleted');
    const days = new Map([...facts.ready].map((id) => [id, dueAt(facts.ownDays.get(id) ?? null, nowMs)]));
    const isOnDay = later.every(({ id, dueAtMs }) => days.get(id) === dueAtMs);
    this.must(
      isOnDay && letters.every((id) => days.get(id) === null) && letters.length + later.length === days.size,
      'wrong-letters',
      `released ${letters.join()} and ${JSON.stringify(later)} where ${JSON.stringify([...days])} are ready`,
    );
    for (const { id, dueAtMs } of later) this.waiting.set(id, { dueMs: dueAtMs, sinceMs: nowMs, isOfRelease: true });
    const yes = this.validYes(request);
    const byYes = yes >= request.needed;
    if (request.cause !== 'silence') {
      this.must(request.nos.size === 0, 'no-lost', 'an early request releases after a no');
      this.must(byYes, 'without-quorum', `an early request releases with ${yes} of ${request.needed} yeses`);
    } else {
      if (request.firstNoMs !== null)
        this.must(this.past(request.firstNoMs, 30), 'pause-too-short', 'released within 30 healthy days of a first no');
      this.must(!request.isPaused, 'released-in-pause', 'released in a pause');
    }
    if (facts.method === 'trusted_contact')
      this.must(byYes, 'without-quorum', `method trusted_contact releases with ${yes} of ${request.needed} yeses`);

    if (byYes) this.releasedByPeople(request);
    else this.releasedBySilence(request);

    this.release = {
      letters: new Set(letters),
      left: new Set(),
      ended: new Set(),
      by: request,
      byYes,
      atMs: nowMs,
      isDone: false,
      isClosed: false,
    };
    this.request = null;
    this.mustNotLeave = null;
    this.questionMs = null;
    this.releasedSinceActivity = true;
  }

  private releasedByPeople(request: OpenRequest): void {
    const { facts } = this;
    const waits = request.waits.filter((told) => request.heldMs !== null && told.writtenMs >= request.heldMs);
    const isToldNow = [...this.notices.values()].some(
      (told) => told.to === 'owner' && told.writtenMs >= request.openedMs && this.reachedMs(told) !== null,
    );
    const hasWaited = (days: number) =>
      (days === 0 && isToldNow) ||
      waits.some((told) => {
        const reached = this.reachedMs(told);
        return reached !== null && this.past(reached, days);
      });
    this.must(
      !this.contactsDayIsAhead(request),
      'told-day-shortened',
      `contacts were told of a wait of ${request.waitTold} days, and a silence that took the request over shortened it`,
    );
    if (request.isOver) {
      const isWaitTold = waits.some((told) => told.topic === 'wait' && this.reachedMs(told) !== null);
      if (request.heldMs !== null && request.takenOverMs !== null && request.heldMs < request.takenOverMs && isWaitTold)
        this.must(
          hasWaited(request.waitTold) || this.past(request.heldMs, Math.max(14, request.waitTold)),
          'told-wait-shortened',
          `a wait of ${request.waitTold} days was told before the silence took the request over, and shortened`,
        );
      if (request.takenOverMs === null || request.heldMs === null)
        this.must(
          this.isWarned() || this.sawBounce === false || hasWaited(14) || this.heldFor(request, 14),
          'bounced-reminder',
          'released by people though a reminder had bounced, without a wait of 14 days',
        );
      return;
    }
    const days = Math.max(request.waitingDays, request.waitTold);
    if (hasWaited(days) && request.cause !== 'silence') return;
    if (request.cause === 'silence' && request.takenOverMs !== null && hasWaited(days)) return;
    // The owner was not reached: only after D days, and when everybody had 14 healthy days to say no.
    this.must(
      this.areDaysOver(),
      'owner-untold',
      `released by people, the owner's notice was not accepted ${days} healthy days ago, and D days are not over`,
    );
    this.must(
      this.heldFor(request, 14),
      'untold-wait',
      'the owner was not reached, and contacts had no 14 healthy days to say no',
    );
    for (const contactId of facts.contacts.keys())
      this.must(
        request.questions.some((question) => question.contactId === contactId) || request.yes.has(contactId),
        'untold-contact',
        `${contactId} had no link to say no`,
      );
  }
  /** Last day of a wait that a silence took over, as notified to a contact with a yes, if it is still ahead. */
  private contactsDayIsAhead(request: OpenRequest): boolean {
    const { takenOverMs, waitTold } = request;
    if (takenOverMs === null) return false;
    const newest = new Map<string, Told>();
    for (const told of this.notices.values())
      if (told.topic === 'yes_kept' && told.writtenMs >= request.openedMs) newest.set(told.to, told);
    return [...newest.values()].some((told) => {
      const isOfWait = request.waits.some(({ topic, writtenMs }) => topic === 'wait' && writtenMs === told.writtenMs);
      const hasKept = (request.yes.get(told.to) ?? Number.POSITIVE_INFINITY) <= told.writtenMs;
      const isTold = isOfWait && told.writtenMs < takenOverMs && this.reachedMs(told) !== null;
      return isTold && hasKept && !this.past(told.writtenMs, waitTold);
    });
  }
  private heldFor(request: OpenRequest, days: number): boolean {
    return request.heldMs !== null && this.past(request.heldMs, days);
  }

  private releasedBySilence(request: OpenRequest): void {
    const { facts } = this;
    this.must(request.cause === 'silence', 'without-quorum', 'an early request releases without enough yeses');
    this.must(!facts.isSilenceStopped, 'breaker-step', 'silence alone releases while the breaker holds');
    this.must(
      this.areDaysOver(),
      'silence-too-short',
      `silence alone releases after ${inDays(facts.nowMs - this.silentSinceMs())}`,
    );
    for (const [contactId, atMs] of request.nos)
      this.must(
        this.past(atMs, 30),
        'no-too-young',
        `silence alone releases within 30 healthy days of the no of ${contactId}`,
      );
    for (const contactId of request.alive.keys())
      this.must(
        !facts.contacts.has(contactId),
        'news-not-asked',
        `silence alone releases, and ${contactId}, who said that the owner is alive, was not asked again`,
      );
    this.must(
      this.isWarned(),
      'unwarned',
      'silence alone releases though both reminders were not accepted with their gaps, or one had bounced',
    );
    const questions = request.questions.filter(
      ({ told, contactId, isRepeat }) =>
        !isRepeat && !told.isWithdrawn && told.writtenMs >= request.phaseMs && facts.contacts.has(contactId),
    );
    this.everyContactWasAsked(request);
    let isReached = false;
    for (const { told, contactId } of questions) {
      const reached = this.reachedMs(told);
      const since = reached ?? told.writtenMs;
      if (reached !== null) isReached = true;
      if (told.bouncedMs !== null) continue;
      const days = reached === null ? (told.tried.email === null ? 7 : 0) : request.answerDays;
      this.must(
        reached === null ? this.past(since, days) : this.isAnswerTimeOver(since, days),
        'answer-time',
        `${contactId} was asked ${inDays(this.healthy(since, facts.nowMs))} ago, ${reached === null ? 'not accepted yet' : 'accepted'}, and silence alone releases (${days} days)`,
      );
    }
    this.must(
      this.isAnswerTimeOver(Math.max(request.phaseMs, request.takenOverMs ?? 0), request.answerDays),
      'answer-time',
      `asked for less than ${request.answerDays} healthy days`,
    );
    const isOwnerReached = [...this.firsts, ...this.lasts].some(
      (told) => told.accepted.email !== null || told.accepted.text !== null,
    );
    if (!isOwnerReached)
      this.must(
        this.past(Math.max(request.openedMs, request.takenOverMs ?? 0), 90),
        'unreached',
        'no channel took a reminder, and silence alone does not wait 90 healthy days more',
      );
    else if (!isReached && facts.contacts.size === 0) {
      const asked = [...this.notices.values()].some(
        (told) =>
          told.to === 'owner' &&
          told.topic === 'asked' &&
          told.writtenMs >= request.openedMs &&
          this.isPastStep(told, request.answerDays),
      );
      this.must(
        asked,
        'answer-time-owner',
        "no contact was reached, and the answer time was not counted from the owner's notice",
      );
    }
  }
  /** Each contact has a question of this round, or a yes that counts. */
  private everyContactWasAsked(request: OpenRequest): void {
    for (const [contactId, { confirmedMs }] of this.facts.contacts) {
      const sinceMs = Math.max(request.phaseMs, confirmedMs);
      const isAsked = request.questions.some(
        (question) =>
          question.contactId === contactId && !question.told.isWithdrawn && question.told.writtenMs >= sinceMs,
      );
      this.must(
        isAsked || request.yes.has(contactId),
        'silence-unasked',
        `silence alone releases, and ${contactId} was not asked`,
      );
    }
  }
  private isPastStep(told: Told, days: number): boolean {
    const ms = this.stepMs(told);
    return ms !== null && this.past(ms, days);
  }

  // ---- letters

  /** Letters that wait for their day, of the release that is open or of one that was left as it is. */
  private readonly waiting = new Map<string, { dueMs: number; sinceMs: number; isOfRelease: boolean }>();
  /** Letters of closed releases whose day has come. */
  private readonly byThemselves = new Set<string>();

  private takenBackFromWaiting(): void {
    for (const [id, { isOfRelease }] of this.waiting) if (isOfRelease) this.waiting.delete(id);
  }
  /** Time when a restore last forgot the departures; activity does not recover them. */
  private restoredMs: number | null = null;
  /** True if the owner was notified the given days ago of the restore at this moment. */
  private isToldOfRestore(restoredMs: number, days: number): boolean {
    return [...this.notices.values()].some((told) => {
      const step = this.stepMs(told);
      return told.to === 'owner' && told.writtenMs >= restoredMs && step !== null && this.past(step, days);
    });
  }
  private isHeldByRestore({ sinceMs }: { sinceMs: number }, days: number): boolean {
    const { restoredMs } = this;
    return restoredMs !== null && restoredMs > sinceMs && !this.isToldOfRestore(restoredMs, days);
  }
  private due(id: string): void {
    const { facts, waiting, release } = this;
    const own = waiting.get(id);
    if (!own) this.fail('due-unknown', `the day of ${id} comes, which waits for none`);
    this.must(facts.nowMs >= own.dueMs - second, 'before-its-day', `${id} leaves before its day`);
    this.must(!facts.declined.has(id), 'letter-declined', `${id} leaves though its reader wants no more letters`);
    this.must(!facts.isFrozen, 'letter-frozen', `the day of ${id} comes while frozen`);
    this.must(
      this.questionMs === null || this.past(this.questionMs, 30),
      'letter-in-question',
      `the day of ${id} comes while a sign-in is not explained`,
    );
    this.must(
      !this.isHeldByRestore(own, 3),
      'letter-after-restore',
      `the day of ${id} comes after a restore without a notice of 3 days`,
    );
    waiting.delete(id);
    if (own.isOfRelease && release) release.letters.add(id);
    else this.byThemselves.add(id);
  }
  /** A day that falls into trouble comes a day behind it at the latest. */
  private onTheirDays(): void {
    const { facts } = this;
    if (facts.isFrozen || this.questionMs !== null || facts.isMailDown) return;
    for (const [id, own] of this.waiting) {
      if (facts.declined.has(id) || this.isHeldByRestore(own, 5)) continue;
      const late = facts.nowMs - Math.max(own.dueMs, facts.disturbedMs);
      this.must(late < 30 * hour, 'not-on-its-day', `${id} waits on ${inHours(late)} behind its day`);
    }
  }

  letterLeft(id: string): void {
    const { facts, release } = this;
    if (this.byThemselves.delete(id)) {
      this.must(!facts.isFrozen, 'letter-frozen', `${id} leaves while frozen`);
      return;
    }
    if (!release) this.fail('letter-unreleased', `${id} leaves without a release`);
    this.must(this.mustNotLeave === null, 'letter-after-return', `${id} leaves though ${this.mustNotLeave}`);
    this.must(release.letters.has(id), 'letter-unchosen', `${id} was not chosen`);
    this.must(!release.left.has(id), 'letter-twice', `${id} leaves twice`);
    this.must(!facts.isFrozen, 'letter-frozen', `${id} leaves while frozen`);
    this.must(
      this.questionMs === null || this.past(this.questionMs, 30),
      'letter-in-question',
      `${id} leaves while a sign-in is not explained`,
    );
    this.must(
      !this.isHeldByRestore({ sinceMs: release.atMs }, 3),
      'letter-after-restore',
      `${id} leaves after a restore without a notice of 3 days`,
    );
    release.left.add(id);
  }
  letterEnded(id: string): void {
    this.release?.ended.add(id);
  }
  private done(): void {
    const { release, facts } = this;
    if (!release) this.fail('done-nothing', 'a release is done that never began');
    this.must(
      [...release.letters].every((id) => release.ended.has(id)),
      'done-too-early',
      'a release is done before every letter has ended',
    );
    release.isDone = true;
    for (const contactId of this.askedBy(release.by)) {
      if (facts.contacts.has(contactId))
        this.must(
          this.toldInBatch(contactId),
          'done-untold',
          `${contactId} was asked and does not hear how the release ended`,
        );
    }
  }

  // ---- after a moment

  private toldInBatch(contactId: string): boolean {
    return this.expected.push({ contactId, code: 'done-untold' }) > 0;
  }
  private expected: { contactId: string; code: string }[] = [];

  private askedBy(request: OpenRequest): Set<string> {
    const asked = new Set<string>();
    for (const { told, contactId } of request.questions) {
      const isOnItsWay = !told.isWithdrawn && told.accepted.email === null && told.tried.email === null;
      if (this.reachedMs(told) !== null || isOnItsWay) asked.add(contactId);
    }
    return asked;
  }

  /** After a command and the visit that followed it. */
  settled(command: Command | null): void {
    const { facts } = this;
    this.answerTimeGoesOn();
    const isBack = command?.kind === 'life' || command?.kind === 'close';
    if (isBack) this.must(this.request === null, 'request-survives', `a request stays open after ${command.kind}`);
    if (command?.kind === 'answer' && command.says !== 'yes' && this.request && this.request.cause !== 'silence')
      this.must(
        !this.request.nos.has(command.contactId),
        'early-survives-no',
        `an early request stays open after the no of ${command.contactId}`,
      );
    if (this.endedNow) {
      for (const contactId of this.askedBy(this.endedNow.request)) {
        if (facts.contacts.has(contactId))
          this.must(
            this.toldNow.has(`${contactId}/told`),
            'end-untold',
            `${contactId} was asked, the request ended (${this.endedNow.why}), and they hear nothing`,
          );
      }
      this.must(
        this.endedNow.why === 'owner_back' ||
          this.endedNow.why === 'closed' ||
          [...this.toldNow].some((key) => key.startsWith('owner/')),
        'end-untold-owner',
        `the request ended (${this.endedNow.why}) and the owner hears nothing`,
      );
    }
    if (this.backFrom) {
      for (const contactId of this.askedBy(this.backFrom))
        if (facts.contacts.has(contactId))
          this.must(
            this.toldNow.has(`${contactId}/told`),
            'back-untold',
            `${contactId} was asked, the owner came back from the release, and they hear nothing`,
          );
      this.backFrom = null;
    }
    for (const { contactId, code } of this.expected)
      this.must(this.toldNow.has(`${contactId}/told`), code, `${contactId} was asked and does not hear how it ended`);
    if (this.isAliveAgain)
      this.must(
        this.toldNow.has('owner/alive_again'),
        'alive-again-untold',
        'the owner is not told of a repeated “alive”',
      );
    this.isAliveAgain = false;
    if (this.expected.length > 0) this.expected = [];
    this.endedNow = null;
    this.toldNow.clear();
    const request = this.request;
    this.pressed = null;
    this.asking = null;
    if (request) {
      if (facts.contacts.size < request.needed) request.fewerSinceMs ??= facts.nowMs;
      else request.fewerSinceMs = null;
      this.countAgain();
    }
    this.overdue();
  }

  /** Steps that should have happened by now. */
  overdue(): void {
    const { facts, request } = this;
    const { nowMs } = facts;
    if (facts.isFrozen || this.deletedMs !== null) return;
    const isCalmSince = (ms: number) => facts.disturbedMs < ms && !facts.isMailDown;
    if (request && request.cause !== 'silence' && request.enoughSinceMs === null && isCalmSince(request.openedMs))
      this.must(
        this.healthy(request.openedMs, nowMs) < 14 * day + (this.hasLost ? day : 0) + 2 * hour,
        'early-too-long',
        'an early request without enough answers stays open after 14 healthy days',
      );
    if (
      request &&
      !request.isPaused &&
      request.cause === 'silence' &&
      request.isOver &&
      request.takenOverMs === null &&
      request.enoughSinceMs !== null &&
      facts.ready.size > 0 &&
      !this.sawBounce &&
      !this.hasLost &&
      this.anewMs === null &&
      facts.inactivityDays <= (this.silence?.inactivityDays ?? 0)
    )
      this.must(
        nowMs - Math.max(request.enoughSinceMs, facts.disturbedMs) < 2 * hour,
        'not-within-minutes',
        'a silence is over, enough people have confirmed, and nothing is released',
      );
    if (
      request &&
      request.cause !== 'silence' &&
      request.enoughSinceMs !== null &&
      request.heldMs !== null &&
      !this.wasAway &&
      !this.sawBounce &&
      facts.ready.size > 0
    ) {
      const days = Math.max(request.waitingDays, request.waitTold);
      // Notices of an earlier wait that a departure ended.
      const { heldMs } = request;
      const ofThisWait = request.waits.filter(({ writtenMs }) => writtenMs >= heldMs);
      const first = ofThisWait.map((told) => this.reachedMs(told)).find((ms) => ms !== null);
      if (typeof first === 'number') {
        const since = Math.max(first, request.heldMs, facts.disturbedMs);
        // A day that is taken back may have held the acceptance.
        const lostDay = this.hasLost ? day : 0;
        this.must(
          this.healthy(since, nowMs) < days * day + lostDay + 2 * hour,
          'wait-too-long',
          `the owner's ${days} days are over and nothing is released`,
        );
      }
    }
    if (request && !request.isPaused && !facts.isMailDown && (request.cause === 'silence' || request.hadFirstYes)) {
      const since = Math.max(request.phaseMs, request.takenOverMs ?? 0, facts.disturbedMs);
      const hasReady = facts.ready.size > 0 || facts.documents > 0;
      if (request.cause === 'silence' && hasReady && nowMs - since > 26 * hour && request.enoughSinceMs === null)
        for (const [contactId, { confirmedMs }] of facts.contacts)
          if (!request.answered.has(contactId) && !request.tookBack.has(contactId) && nowMs - confirmedMs > 26 * hour)
            this.must(
              request.questions.some(
                ({ told, contactId: to }) => to === contactId && !told.isWithdrawn && told.writtenMs >= confirmedMs,
              ),
              'not-asked',
              `${contactId} is not asked a day after contacts were asked`,
            );
    }
    this.newsOverdue();
    // Without a ready letter or a visible document no contact is asked.
    const hasSomething = facts.ready.size > 0 || facts.documents > 0;
    if (request && !request.isPaused && hasSomething && facts.disturbedMs < nowMs - 30 * hour)
      this.writtenAgain(request);
    this.alive();
    this.onTheirDays();
    this.delayIsTold();
  }

  /** If a delivery is later than the day a contact was notified of, a notice comes before that day. */
  private delayIsTold(): void {
    const { facts, request } = this;
    if (request?.cause !== 'silence' || request.isPaused || facts.method !== 'inactivity') return;
    if (facts.isSilenceStopped || facts.isMailDown || facts.ready.size + facts.documents === 0) return;
    if (this.validYes(request) >= request.needed || request.heldMs !== null) return;
    // While a question is refused and the answer time is 0 days, no day is known.
    const isOpen = ({ told }: { told: Told }) => this.stepMs(told) === null && !this.past(told.writtenMs, 8);
    if (request.answerDays === 0 && request.questions.some(isOpen)) return;
    for (const { told, contactId, isRepeat, namesDay } of request.questions) {
      const reached = this.reachedMs(told);
      // A contact who left and came back is asked again.
      const sinceMs = Math.max(request.phaseMs, facts.contacts.get(contactId)?.confirmedMs ?? Number.POSITIVE_INFINITY);
      if (isRepeat || !namesDay || reached === null || told.writtenMs < sinceMs) continue;
      const extra = this.firsts.concat(this.lasts).some((each) => this.reachedMs(each) !== null) ? 0 : 90;
      const toldMs = Math.max(reached, request.takenOverMs ?? 0) + (request.answerDays + extra) * day;
      if (facts.nowMs - Math.max(toldMs, facts.disturbedMs) < 26 * hour) continue;
      const isTold = [...this.notices.values()].some(
        ({ to, topic, writtenMs }) => to === contactId && topic === 'delayed' && writtenMs >= told.writtenMs,
      );
      // A contact who said that the owner is alive is asked for news, and that question names the later day.
      const isAskedForNews = request.questions.some(
        (later) => later.contactId === contactId && !later.isRepeat && later.told.writtenMs > told.writtenMs,
      );
      if (isAskedForNews) continue;
      this.must(isTold, 'delay-untold', `${contactId} was told of a day that has passed, and hears of no later one`);
    }
  }

  /** A contact hears of a later day only if a question named one. */
  private delayOfKnownDay(contactId: string): void {
    const isKnown = this.request?.questions.some((each) => each.contactId === contactId && each.namesDay) ?? false;
    this.must(isKnown, 'delay-of-no-day', `${contactId} hears that a day is later, and was told of none`);
  }

  /** A bounce takes the acceptance back: the mail is written again, a question to a contact once. */
  private writtenAgain(request: OpenRequest): void {
    const bounced = new Map<string, number>();
    for (const { told, contactId } of request.questions) {
      if (told.writtenMs < request.phaseMs) continue;
      if (told.bouncedMs === null) bounced.set(contactId, Number.NEGATIVE_INFINITY);
      else bounced.set(contactId, (bounced.get(contactId) ?? 0) + 1);
    }
    for (const [contactId, times] of bounced)
      if (times > 0 && !request.answered.has(contactId) && this.facts.contacts.has(contactId))
        this.must(
          times > 1,
          'question-not-again',
          `the question to ${contactId} bounced, and is not written again in 30 hours`,
        );
  }

  /** A contact who said that the owner is alive is asked for news after 30 healthy days, if nothing stands in the way. */
  private newsOverdue(): void {
    const { request, facts } = this;
    if (!request || request.isPaused || request.cause !== 'silence' || request.enoughSinceMs !== null) return;
    if (facts.isMailDown || (facts.ready.size === 0 && facts.documents === 0)) return;
    for (const [contactId, saidMs] of request.alive) {
      if (!facts.contacts.has(contactId)) continue;
      const sinceMs = Math.max(saidMs + 30 * day, facts.disturbedMs, request.phaseMs);
      this.must(
        this.healthy(saidMs, facts.nowMs) < 31 * day + 2 * hour || this.healthy(sinceMs, facts.nowMs) < 26 * hour,
        'news-never-asked',
        `${contactId} said that the owner is alive, and is not asked for news after 30 healthy days`,
      );
    }
  }

  /** Promise 15. */
  private alive(): void {
    const { facts, request } = this;
    if (facts.method !== 'inactivity' || facts.ready.size === 0 || facts.isSilenceStopped || this.releasedSinceActivity)
      return;
    if (facts.isMailDown || facts.isOwnerInTrouble) return;
    if (request && (request.nos.size > 0 || request.isPaused || request.heldMs !== null)) return;
    const silentSince = this.silentSinceMs();
    const days = Math.max(facts.inactivityDays, this.silence?.inactivityDays ?? 0);
    const answer = Math.max(facts.answerDays, this.silence?.answerDays ?? 0, request?.answerDays ?? 0);
    if (facts.nowMs - silentSince < (days + answer) * day + 48 * hour) return;
    const more = (facts.wasOwnerClosed ? 91 : 0) + (facts.wasContactInTrouble ? 8 : 0);
    const isCalm = facts.disturbedMs <= Math.min(silentSince, facts.lastActivityMs);
    const due = Math.max(silentSince + days * day, this.waitLeftMs);
    const from = isCalm ? due : Math.max(due, facts.disturbedMs + 17 * day);
    const span = isCalm ? facts.nowMs - from : this.healthy(from, facts.nowMs);
    this.must(
      span < (answer + more) * day + 48 * hour + hour,
      'not-alive',
      `the owner is gone since ${inDays(facts.nowMs - silentSince)} (D ${days}, answer time ${answer}), the last trouble ended ${inDays(facts.nowMs - facts.disturbedMs)} ago, nobody said no, and nothing is released`,
    );
  }
}

function inDays(ms: number): string {
  return `${(ms / day).toFixed(2)} days`;
}
function inHours(ms: number): string {
  return `${(ms / hour).toFixed(1)} hours`;
}
