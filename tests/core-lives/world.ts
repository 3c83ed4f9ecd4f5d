import type { Command, Decision, Event } from '#server/features/release-core/events.rules.ts';
import type { Contact, Letter, Mark, World } from '#server/features/release-core/model.rules.ts';
import type { DeliverOn } from '#shared/rules/deliver-on.ts';
import { type Facts, Fault, Judge } from './judge.ts';
import type { Act, Deed, Life } from './life.ts';
import { lotFor } from './lots.ts';
import { chosenDay } from './own-days.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const startMs = Date.UTC(2030, 0, 1);

/** Functions under test: the core's, or ones with a planted mistake. */
export type Core = {
  decide(world: World, command: Command, now: Mark): Decision;
  visit(world: World, now: Mark): { events: readonly Event[]; lookAgainAtMs: number };
  evolve(world: World, events: readonly Event[], at: Mark): World;
  forecast(world: World, now: Mark): readonly { kind: Event['kind']; atMs: number }[];
  mayLettersLeave(world: World): boolean;
  /** Production's guard between a decision and its transaction. It must forbid no lawful step. */
  brokenPromise(before: World, events: readonly Event[], now: Mark): string | null;
};

/** The guard of production forbids a decision. */
export const guardForbids = 'guard-forbids';
/** Faults that are let pass, to find what hides behind them. */
export type Forgiven = Pick<ReadonlySet<string>, 'has'>;

/**
 * Far above the healthy time of a run. While no mail leaves, healthy time is paused, and so is a window with less
 * than a minute left. Such a window is checked each minute until mail leaves again.
 */
const stepsMax = 20_000;

type Channel = 'email' | 'text';
type Posted = { id: number; to: string; topic: string; channel: Channel; triedSinceMs: number };
type Task = { atMs: number; order: number; run: () => void };

const nothing: Forgiven = new Set();
export type Watching = {
  log?: ((line: string) => void) | undefined;
  forgiven?: Forgiven;
  /** Day after which no person acts and every mail is accepted immediately: the forecast must then come true. */
  quietFromDay?: number;
};
/** Steps for which a forecast gives dates. */
const foretold: ReadonlySet<string> = new Set([
  'first_reminder_written',
  'last_reminder_written',
  'request_opened',
  'request_taken_over',
  'asked_anew',
  'wait_began',
  'request_ended',
  'released',
]);

/** Lives through one life. Throws a `Fault` where the core breaks a promise. */
export function live(
  life: Life,
  core: Core,
  { log, forgiven = nothing, quietFromDay }: Watching = {},
): { days: number; steps: number; released: boolean } {
  return new Drive(life, core, log, forgiven, quietFromDay).run();
}

class Drive {
  private readonly life: Life;
  private readonly core: Core;
  private readonly log: ((line: string) => void) | undefined;
  private readonly forgiven: Forgiven;
  private world: World;
  private readonly facts: Facts;
  private readonly judge: Judge;
  private readonly tasks: Task[] = [];
  private order = 0;
  private steps = 0;
  private stepsInHealthyTime = 0;
  private wallMs = startMs;
  private healthyMs = startMs;
  private isStalled = false;
  private visitOrder = 0;
  private readonly waiting = new Map<string, Posted>();
  private readonly withdrawn = new Set<number>();
  private readonly bounceable: { posted: Posted; atMs: number }[] = [];
  private readonly replied = new Map<string, number>();
  private ownerMails = 0;
  private mailDown: { due: Mark | null; untilMs: number; stalledFromMs: number | null } | null = null;
  private readonly troubleUntil = new Map<string, number>();
  private readonly closedSince = new Map<string, number>();
  private textsFailUntilMs = 0;
  private lettersFailUntilMs = 0;
  private letterCount = 0;
  private readonly ownDays = new Map<string, DeliverOn>();
  private hasLeft = false;
  private isClosed = false;
  private endMs: number;
  private released = false;

  constructor(
    life: Life,
    core: Core,
    log: ((line: string) => void) | undefined,
    forgiven: Forgiven,
    quietFromDay: number | undefined,
  ) {
    this.life = life;
    this.core = core;
    this.log = log;
    this.forgiven = forgiven;
    this.endMs = startMs + life.days * day;
    const letters = Array.from({ length: life.letters }, () => this.newLetter());
    const old = { atMs: startMs - 100 * day, healthyMs: startMs - 100 * day };
    const present = life.contacts.flatMap(({ joinsAfterHours }, index) =>
      joinsAfterHours <= 0 ? [{ id: `c${index}`, confirmed: old }] : [],
    );
    this.facts = {
      nowMs: startMs,
      lastActivityMs: startMs,
      awayUntilMs: null,
      inactivityDays: life.inactivityDays,
      method: life.method,
      quorum: life.quorum,
      answerDays: life.answerDays,
      waitingDays: life.waitingDays,
      isFrozen: false,
      isSilenceStopped: false,
      contacts: new Map(present.map(({ id }) => [id, { confirmedMs: old.atMs }])),
      ready: new Set(letters),
      ownDays: this.ownDays,
      declined: new Set(),
      documents: life.documents,
      isMailDown: false,
      isOwnerInTrouble: false,
      wasOwnerClosed: false,
      wasContactInTrouble: false,
      disturbedMs: startMs - day,
    };
    this.judge = new Judge(this.facts, forgiven);
    this.world = {
      owner: {
        lastActivityMs: startMs,
        awayUntilMs: null,
        inactivityDays: life.inactivityDays,
        method: life.method,
        quorum: life.quorum,
        answerDays: life.answerDays,
        waitingDays: life.waitingDays,
        isVerified: true,
        hasPhone: life.hasPhone,
      },
      contacts: present,
      readyLetters: letters,
      ownDays: this.ownDays,
      waitingLetters: [],
      restart: null,
      visibleDocuments: life.documents,
      stops: { isFrozen: false, isSilenceStopped: false },
      silence: null,
      request: null,
      release: null,
      notices: [],
      nextNotice: 1,
      past: [],
    };
    for (const [index, { joinsAfterHours }] of life.contacts.entries())
      if (joinsAfterHours > 0) this.at(startMs + joinsAfterHours * hour, () => this.join(index));
    if (quietFromDay !== undefined) this.at(startMs + quietFromDay * day, () => this.grow());
    for (const act of life.acts) this.at(startMs + act.atHours * hour, () => this.act(act));
    for (const { letter, fromDay, toDay } of life.declines) {
      this.at(startMs + fromDay * day, () => this.decline(`l${letter}`, true));
      if (toDay !== null) this.at(startMs + toDay * day, () => this.decline(`l${letter}`, false));
    }
  }

  run(): { days: number; steps: number; released: boolean } {
    this.look(null);
    for (;;) {
      const next = this.tasks[0];
      if (next === undefined || next.atMs > this.endMs) break;
      this.pop();
      this.advance(next.atMs);
      next.run();
      this.steps += 1;
      if (!this.isStalled) this.stepsInHealthyTime += 1;
      if (this.stepsInHealthyTime > stepsMax)
        throw new Fault('restless', this.wallMs, `more than ${stepsMax} steps in one life`);
    }
    this.advance(this.endMs);
    if (!this.isClosed) this.judge.overdue();
    this.compare();
    return { days: this.life.days, steps: this.steps, released: this.released };
  }

  // ---- time

  private advance(toMs: number): void {
    if (toMs <= this.wallMs) return;
    if (!this.isStalled) this.healthyMs += toMs - this.wallMs;
    this.wallMs = toMs;
    this.facts.nowMs = toMs;
  }
  private now(): Mark {
    return { atMs: this.wallMs, healthyMs: this.healthyMs };
  }
  private at(atMs: number, run: () => void): number {
    const { tasks } = this;
    const task = { atMs, order: this.order++, run };
    let index = tasks.length;
    tasks.push(task);
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = tasks[parent] as Task;
      if (above.atMs < atMs || (above.atMs === atMs && above.order < task.order)) break;
      tasks[index] = above;
      index = parent;
    }
    tasks[index] = task;
    return task.order;
  }
  private pop(): void {
    const { tasks } = this;
    const last = tasks.pop();
    if (last === undefined || tasks.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= tasks.length) break;
      const right = tasks[child + 1];
      if (right && isBefore(right, tasks[child] as Task)) child += 1;
      const below = tasks[child] as Task;
      if (isBefore(last, below)) break;
      tasks[index] = below;
      index = child;
    }
    tasks[index] = last;
  }
  private lot(a: number, b: number): number {
    return lotFor(this.life.seed, a, b);
  }

  // ---- forecasts and their outcome

  private isQuiet = false;
  private readonly foreseen = new Map<string, number>();
  private readonly happened = new Map<string, number>();

  private grow(): void {
    this.isQuiet = true;
    // A closed mailbox stays closed, and a forecast is of mails that are taken.
    if (this.closedSince.size > 0) return;
    // Sent mails arrive first, and stops end: the forecast knows no delays.
    const { isFrozen, isSilenceStopped } = this.world.stops;
    const isInTrouble = [...this.troubleUntil.values()].some((untilMs) => untilMs > this.wallMs);
    if (this.waiting.size > 0 || isFrozen || isSilenceStopped || isInTrouble || this.mailDown) {
      this.at(this.wallMs + 12 * hour, () => this.grow());
      return;
    }
    for (const { kind, atMs } of this.core.forecast(this.world, this.now()))
      if (foretold.has(kind) && !this.foreseen.has(kind)) this.foreseen.set(kind, atMs);
    this.isForetold = true;
    this.say(
      `from now on nobody does anything; foreseen: ${[...this.foreseen].map(([kind, atMs]) => `${kind} ${((atMs - startMs) / day).toFixed(2)}`).join(', ')}`,
    );
  }
  private isForetold = false;
  private compare(): void {
    if (!this.isForetold) return;
    for (const kind of foretold) {
      const said = this.foreseen.get(kind);
      const was = this.happened.get(kind);
      // A few minutes go by between a hint and the visit, and for each mail.
      if (said !== undefined && said > this.endMs - day) continue;
      if (said === undefined && was === undefined) continue;
      if (said === undefined || was === undefined || Math.abs(said - was) > hour)
        this.fail(
          'not-as-foreseen',
          `${kind} was foreseen ${said === undefined ? 'never' : `for day ${((said - startMs) / day).toFixed(2)}`} and happened ${was === undefined ? 'never' : `on day ${((was - startMs) / day).toFixed(2)}`}`,
        );
    }
  }

  // ---- the core

  private fail(code: string, text: string): void {
    if (!this.forgiven.has(code)) throw new Fault(code, this.wallMs, text);
  }

  private say(line: string): void {
    this.log?.(`${((this.wallMs - startMs) / day).toFixed(3)}  ${line}`);
  }

  private does(command: Command): Decision {
    const now = this.now();
    const decision = this.core.decide(this.world, command, now);
    if (this.log && command.kind !== 'notice_ended')
      this.say(`${JSON.stringify(command)}${decision.refused ? ` refused: ${decision.refused}` : ''}`);
    this.judge.command(command, decision.refused);
    this.apply(decision.events, now);
    this.look(command);
    return decision;
  }

  /** A visit by the clock, and the next one when the core says so. */
  private look(command: Command | null): void {
    const now = this.now();
    const visit = this.core.visit(this.world, now);
    this.apply(visit.events, now);
    this.judge.settled(command);
    const { order } = this;
    this.visitOrder = order;
    const next = Math.max(visit.lookAgainAtMs, now.atMs + minute);
    if (next > this.endMs) return;
    this.at(next, () => {
      if (this.visitOrder === order) this.look(null);
    });
    // The hint may be early, never late: a visit before it must find nothing to do.
    if (next - now.atMs > 2 * hour && this.lot(order, 7) < 0.1) {
      const probe = now.atMs + Math.floor((next - now.atMs) * this.lot(order, 8));
      this.at(probe, () => {
        if (this.visitOrder !== order || this.wallMs >= next) return;
        const found = this.core.visit(this.world, this.now()).events;
        if (found.length > 0)
          this.fail(
            'late-hint',
            `${found.map(({ kind }) => kind).join()} is due ${((next - this.wallMs) / hour).toFixed(1)} hours before the core wants to look again`,
          );
      });
    }
  }

  private apply(events: readonly Event[], at: Mark): void {
    if (events.length === 0) return;
    const forbidden = this.core.brokenPromise(this.world, events, at);
    if (forbidden !== null) throw new Fault(guardForbids, this.wallMs, forbidden);
    this.world = this.withDeclined(this.core.evolve(this.world, events, at));
    for (const event of events) {
      if (this.log && event.kind !== 'notice_ended') this.say(`   ${JSON.stringify(event)}`);
      if (this.isForetold && foretold.has(event.kind) && !this.happened.has(event.kind))
        this.happened.set(event.kind, this.wallMs);
      this.judge.event(event);
      switch (event.kind) {
        case 'owner_told':
          this.post(event.notice, 'owner', event.topic);
          break;
        case 'first_reminder_written':
        case 'last_reminder_written':
          this.post(event.notice, 'owner', event.kind);
          break;
        case 'asking_told':
        case 'wait_began':
          this.post(event.notice, 'owner', event.kind);
          break;
        case 'contacts_fewer':
          if (event.notice !== null) this.post(event.notice, 'owner', event.kind);
          break;
        case 'contact_told':
          this.post(event.notice, event.contactId, event.topic);
          break;
        case 'contact_asked':
          this.post(event.notice, event.contactId, 'question');
          break;
        case 'release_closed':
        case 'release_undone':
          // Letters that did not leave stay ready, except those that wait for their day, as the rows state.
          for (const { id } of this.world.waitingLetters) this.facts.ready.delete(id);
          this.world = { ...this.world, readyLetters: [...this.facts.ready] };
          break;
        case 'letters_due':
          for (const letter of event.letters) {
            const isOfRelease = this.world.release?.letters.some(({ id }) => id === letter);
            const atMs = this.wallMs + 2 * minute;
            if (isOfRelease) this.atLeaving(letter, atMs);
            else this.at(atMs, () => this.leaveByItself(letter));
          }
          break;
        case 'letters_held':
          this.post(event.notice, 'owner', 'letters_wait');
          break;
        case 'notice_withdrawn':
          this.withdrawn.add(event.notice);
          break;
        case 'released':
          this.released = true;
          this.hasLeft = false;
          for (const [index, letter] of event.letters.entries())
            this.atLeaving(letter, this.wallMs + (1 + this.lot(this.order, 3) * (index === 0 ? 30 : 400)) * minute);
          break;
        default:
      }
    }
  }

  // ---- the post

  private post(id: number, to: string, topic: string): void {
    const channels: Channel[] = to === 'owner' && this.life.hasPhone ? ['email', 'text'] : ['email'];
    for (const channel of channels) {
      const key = `${id}/${channel}`;
      if (this.waiting.has(key)) continue;
      const posted = { id, to, topic, channel, triedSinceMs: this.wallMs };
      this.waiting.set(key, posted);
      const drawn = this.lot(id, channel === 'email' ? 1 : 2);
      if (this.isForetold) {
        this.at(this.wallMs, () => this.attempt(posted));
        continue;
      }
      const delay = drawn < 0.9 ? Math.ceil(drawn * 6) * minute : Math.ceil((drawn - 0.9) * 12 * hour);
      this.at(this.wallMs + delay, () => this.attempt(posted));
    }
  }

  private attempt(posted: Posted): void {
    const key = `${posted.id}/${posted.channel}`;
    if (this.withdrawn.has(posted.id)) {
      this.waiting.delete(key);
      return;
    }
    const retry = (atMs: number) =>
      this.at(Math.max(atMs, this.wallMs + minute) + Math.floor(this.lot(posted.id, 5) * 6 * hour), () =>
        this.attempt(posted),
      );
    if (posted.channel === 'text') {
      if (this.wallMs < this.textsFailUntilMs) {
        if (this.lot(this.life.seed, 9) < 0.5) this.ended(posted, 'tried');
        else retry(this.textsFailUntilMs);
      } else this.ended(posted, 'accepted');
      return;
    }
    if (this.mailDown) {
      this.mailDown.due ??= this.markDue();
      retry(this.mailDown.untilMs);
      return;
    }
    const until = this.troubleUntil.get(posted.to) ?? 0;
    if (this.wallMs < until) {
      retry(until);
      return;
    }
    const closed = this.closedSince.get(posted.to);
    if (closed !== undefined) {
      if (this.wallMs - closed < 3 * day) retry(closed + 3 * day);
      else this.ended(posted, 'tried');
      return;
    }
    this.ended(posted, 'accepted');
  }

  private ended(posted: Posted, outcome: 'accepted' | 'tried'): void {
    const { id, to, channel } = posted;
    this.waiting.delete(`${id}/${channel}`);
    this.judge.outcome(id, channel, outcome);
    this.say(`${to} ${outcome} ${posted.topic} ${id} by ${channel}`);
    this.does({ kind: 'notice_ended', notice: id, channel, outcome });
    if (outcome !== 'accepted') return;
    if (channel === 'email') this.bounceable.push({ posted, atMs: this.wallMs });
    if (to === 'owner') {
      if (channel !== 'email') return;
      const number = this.ownerMails++;
      for (const reply of this.life.ownerReplies)
        if (reply.on === number)
          this.at(this.wallMs + reply.afterHours * hour, () => this.act({ atHours: 0, does: reply.does }));
    } else if (posted.topic === 'question') this.replies(to);
  }

  private replies(to: string): void {
    const contact = Number(to.slice(1));
    const count = this.replied.get(to) ?? 0;
    this.replied.set(to, count + 1);
    const reply = this.life.contacts[contact]?.replies[count];
    if (!reply) return;
    const { again } = reply;
    const first = this.wallMs + reply.afterHours * hour + 10 * minute;
    if (reply.says !== 'nothing')
      this.at(first, () => this.act({ atHours: 0, does: reply.says as Deed, who: contact }));
    if (again)
      this.at(first + again.afterHours * hour + 10 * minute, () =>
        this.act({ atHours: 0, does: again.says, who: contact }),
      );
  }

  private markDue(): Mark {
    const due = this.now();
    this.at(this.wallMs + day, () => {
      if (this.mailDown?.due !== due) return;
      this.say('a day of healthy time is taken back');
      this.healthyMs = due.healthyMs;
      this.world = { ...this.world, contacts: this.world.contacts.map((contact) => acceptedBy(contact, due)) };
      this.isStalled = true;
      this.mailDown.stalledFromMs = due.atMs;
      this.judge.takenBack(due.atMs, this.mailDown.untilMs);
      this.look(null);
    });
    return due;
  }

  // ---- letters

  private newLetter(): string {
    const number = this.letterCount++;
    const id = `l${number}`;
    const chosen = chosenDay(this.life.ownDays[number] ?? 0, startMs);
    if (chosen !== null) this.ownDays.set(id, chosen);
    return id;
  }
  /** A reader wants no more letters, or letters again. A press makes the owner due for a visit. */
  private decline(letter: string, isDeclined: boolean): void {
    const { declined } = this.facts;
    this.say(`the reader of ${letter} wants ${isDeclined ? 'no more letters' : 'letters again'}`);
    if (isDeclined) declined.add(letter);
    else declined.delete(letter);
    this.facts.disturbedMs = this.wallMs;
    this.world = this.withDeclined(this.world);
    this.look(null);
  }
  /** World as the rows state it: each waiting letter with the word of its reader. */
  private withDeclined(world: World): World {
    if (this.life.declines.length === 0) return world;
    const told = <Each extends Letter>(letter: Each): Each => {
      if (letter.state !== 'later') return letter;
      const { isDeclined: _, ...waiting } = letter;
      return (this.facts.declined.has(letter.id) ? { ...waiting, isDeclined: true } : waiting) as Each;
    };
    const { release, waitingLetters } = world;
    return {
      ...world,
      waitingLetters: waitingLetters.map(told),
      release: release && { ...release, letters: release.letters.map(told) },
    };
  }
  /** One of a release that was left as it is: it belongs to nothing that is open. */
  private leaveByItself(letter: string): void {
    const { stops, restart, release } = this.world;
    if (stops.isFrozen || restart !== null || release?.question || this.mailDown) {
      this.at(this.wallMs + 6 * hour, () => this.leaveByItself(letter));
      return;
    }
    this.say(`letter ${letter} leaves on its day`);
    this.judge.letterLeft(letter);
  }
  private atLeaving(letter: string, atMs: number): void {
    this.at(atMs, () => this.leave(letter));
  }
  private leave(letter: string): void {
    const { release } = this.world;
    const isWaiting = release?.letters.some(({ id, state }) => id === letter && state === 'waiting');
    if (!release || !isWaiting) return;
    if (!this.core.mayLettersLeave(this.world) || this.mailDown) {
      this.atLeaving(letter, this.wallMs + 6 * hour);
      return;
    }
    if (this.wallMs < this.lettersFailUntilMs) {
      this.judge.letterEnded(letter);
      this.gone(letter);
      this.does({ kind: 'letter_ended', letterId: letter, outcome: 'failed' });
      return;
    }
    this.say(`letter ${letter} leaves`);
    this.judge.letterLeft(letter);
    this.judge.letterEnded(letter);
    this.hasLeft = true;
    this.gone(letter);
    this.does({ kind: 'letter_ended', letterId: letter, outcome: 'accepted' });
    if (this.lot(this.order, 4) < 0.5)
      this.at(this.wallMs + 2 * hour, () => this.does({ kind: 'letter_ended', letterId: letter, outcome: 'opened' }));
  }
  private gone(letter: string): void {
    this.facts.ready.delete(letter);
    this.world = { ...this.world, readyLetters: [...this.facts.ready] };
  }

  // ---- people and weather

  private join(index: number): void {
    const id = `c${index}`;
    if (this.isQuiet || this.facts.contacts.has(id)) return;
    this.facts.contacts.set(id, { confirmedMs: this.wallMs });
    this.world = { ...this.world, contacts: [...this.world.contacts, { id, confirmed: this.now() }] };
    this.say(`${id} accepts the role`);
    this.disturbed();
    this.look(null);
  }
  private disturbed(): void {
    this.facts.disturbedMs = Math.max(this.facts.disturbedMs, this.wallMs);
  }
  private setOwner(change: Partial<World['owner']>): void {
    this.world = { ...this.world, owner: { ...this.world.owner, ...change } };
    Object.assign(this.facts, change);
  }
  private isBack(command: Command): void {
    const { facts } = this;
    this.setOwner({ lastActivityMs: this.wallMs });
    facts.wasOwnerClosed = this.closedSince.has('owner') || this.wallMs < this.textsFailUntilMs;
    facts.wasContactInTrouble = [...this.closedSince.keys(), ...this.troubleUntil.keys()].some((to) => to !== 'owner');
    this.does(command);
    this.hasLeft = false;
  }
  private setStops(change: Partial<World['stops']>): void {
    this.world = { ...this.world, stops: { ...this.world.stops, ...change } };
    Object.assign(this.facts, change);
    this.disturbed();
    this.look(null);
  }
  private setReady(): void {
    this.world = { ...this.world, readyLetters: [...this.facts.ready] };
    this.disturbed();
    this.look(null);
  }

  private act(act: Act): void {
    if (this.isClosed || this.isQuiet) return;
    const { facts } = this;
    const who = act.who ?? -1;
    const contactId = `c${who}`;
    const isContact = who >= 0 && facts.contacts.has(contactId);
    const hours = act.hours ?? 12;
    const untilMs = this.wallMs + hours * hour;
    const person = who < 0 ? 'owner' : contactId;
    const value = act.value ?? 0;
    switch (act.does) {
      case 'life':
        this.isBack({ kind: 'life' });
        return;
      case 'stop':
        this.isBack({ kind: 'life', isStop: true });
        return;
      case 'sign_in':
        if (this.hasLeft) this.does({ kind: 'signed_in' });
        else this.isBack({ kind: 'life' });
        return;
      case 'is_owner_take_back':
      case 'is_owner_leave':
        if (this.hasLeft && this.world.release?.question)
          this.isBack({ kind: 'is_owner', takesBack: act.does === 'is_owner_take_back' });
        return;
      case 'is_not_owner':
        if (this.hasLeft && this.world.release?.question) this.does({ kind: 'is_not_owner' });
        return;
      case 'away':
        if (this.hasLeft) return;
        this.setOwner({ awayUntilMs: this.wallMs + (1 + (value % 180)) * day });
        this.isBack({ kind: 'life' });
        return;
      case 'emergency':
      case 'trustee':
        if (isContact) this.does({ kind: act.does, contactId });
        return;
      case 'yes':
      case 'no':
      case 'alive':
        if (isContact) this.does({ kind: 'answer', contactId, says: act.does });
        return;
      case 'take_back':
        if (isContact) this.does({ kind: 'take_back', contactId });
        return;
      case 'did_not_ask':
        if (isContact) this.does({ kind: 'did_not_ask', contactId });
        return;
      case 'leave':
        if (!isContact) return;
        facts.contacts.delete(contactId);
        this.world = { ...this.world, contacts: this.world.contacts.filter(({ id }) => id !== contactId) };
        this.disturbed();
        this.does({ kind: 'left', contactId });
        return;
      case 'join':
        if (who >= 0) this.join(who);
        return;
      case 'outage': {
        const fromMs = this.wallMs;
        this.say(`nothing runs for ${hours} hours`);
        this.judge.lost(fromMs, untilMs);
        this.wallMs = untilMs;
        facts.nowMs = untilMs;
        this.setStops({ outageEndedMs: untilMs });
        return;
      }
      case 'mail_down':
        if (this.mailDown) return;
        this.say(`no mail leaves for ${hours} hours`);
        this.mailDown = { due: null, untilMs, stalledFromMs: null };
        facts.isMailDown = true;
        this.at(untilMs, () => {
          this.mailDown = null;
          this.isStalled = false;
          facts.isMailDown = false;
          this.say('mail leaves again');
          this.disturbed();
          this.look(null);
        });
        return;
      case 'trouble':
        this.say(`mail to ${person} is refused for ${hours} hours`);
        this.troubleUntil.set(person, untilMs);
        if (who < 0) facts.isOwnerInTrouble = true;
        else facts.wasContactInTrouble = true;
        this.at(untilMs + 6 * hour, () => {
          if ((this.troubleUntil.get(person) ?? 0) > this.wallMs) return;
          this.troubleUntil.delete(person);
          if (who < 0) facts.isOwnerInTrouble = false;
          this.disturbed();
          this.look(null);
        });
        return;
      case 'closed':
        if (this.closedSince.has(person)) return;
        this.say(`the mailbox of ${person} is closed`);
        this.closedSince.set(person, this.wallMs);
        if (who < 0) facts.wasOwnerClosed = true;
        else facts.wasContactInTrouble = true;
        this.disturbed();
        if (hours > 200)
          this.at(untilMs, () => {
            this.closedSince.delete(person);
            this.disturbed();
          });
        return;
      case 'text_fails':
        this.textsFailUntilMs = untilMs;
        facts.wasOwnerClosed = true;
        facts.isOwnerInTrouble = facts.isOwnerInTrouble || false;
        this.at(untilMs + 6 * hour, () => this.disturbed());
        return;
      case 'bounce':
        this.bounce(person);
        return;
      case 'freeze':
        if (facts.isFrozen) return;
        this.say(`frozen for ${hours} hours`);
        this.setStops({ isFrozen: true });
        this.at(untilMs, () => {
          this.say('no longer frozen');
          this.setStops({ isFrozen: false, resumed: this.now() });
        });
        return;
      case 'breaker':
        if (facts.isSilenceStopped) return;
        this.say(`the breaker holds for ${hours} hours`);
        this.setStops({ isSilenceStopped: true });
        this.at(untilMs, () => this.setStops({ isSilenceStopped: false, resumed: this.now() }));
        return;
      case 'restore':
        if (facts.isFrozen) return;
        this.setStops({ isFrozen: true });
        this.at(untilMs, () => {
          this.disturbed();
          this.does({ kind: 'begin_anew' });
          this.setStops({ isFrozen: false });
        });
        return;
      case 'delete_account':
        this.isBack({ kind: 'close' });
        this.setStops({ isClosing: true });
        this.isClosed = true;
        this.endMs = Math.min(this.endMs, this.wallMs + 10 * day);
        return;
      case 'write_letter':
        facts.ready.add(this.newLetter());
        this.setReady();
        return;
      case 'delete_letters':
        if (this.world.release) return;
        facts.ready.clear();
        this.setReady();
        return;
      case 'letters_fail':
        this.lettersFailUntilMs = untilMs;
        return;
      case 'set_answer_days':
        this.setOwner({ answerDays: Math.floor(value * 31) });
        break;
      case 'set_waiting_days':
        this.setOwner({ waitingDays: Math.floor(value * 31) });
        break;
      case 'set_quorum':
        this.setOwner({ quorum: 1 + Math.floor(value * 3) });
        break;
      case 'set_days':
        this.setOwner({ inactivityDays: 90 + Math.floor(value * 276) });
        break;
    }
    this.say(`${act.does} to ${JSON.stringify(this.world.owner)}`);
    this.disturbed();
    this.look(null);
  }

  private bounce(person: string): void {
    for (let index = this.bounceable.length - 1; index >= 0; index -= 1) {
      const entry = this.bounceable[index];
      if (!entry || entry.posted.to !== person || this.wallMs - entry.atMs > 14 * day) continue;
      this.bounceable.splice(index, 1);
      this.disturbed();
      this.judge.bounced(entry.posted.id);
      this.does({ kind: 'notice_bounced', notice: entry.posted.id, channel: 'email' });
      return;
    }
  }
}

function isBefore(a: Task, b: Task): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}

/** As production stores it when healthy time is subtracted: no acceptance lies in a time that does not count. */
function acceptedBy(contact: Contact, { healthyMs }: Mark): Contact {
  const { confirmed } = contact;
  return confirmed.healthyMs > healthyMs ? { ...contact, confirmed: { ...confirmed, healthyMs } } : contact;
}
