import { dayMs } from '#shared/rules/inactivity.ts';
import type { Blocker, EndOfRequest, Event } from './events.rules.ts';
import { evolve } from './evolve.rules.ts';
import { countsEarlyFrom, knowing, newestAsk, yesesOf } from './facts.rules.ts';
import type { ContactTopic, Mark, OwnerTopic, PastRequest, Request, World } from './model.rules.ts';
import { isUnderWay, noticeOf } from './notice-facts.rules.ts';

/** Longest time until the next visit, also if no event will clear a block. */
export const recheckMs = dayMs;
/** Interval of visits while a reminder waits to leave: healthy time may be subtracted, and then it must not leave. */
export const waitingReminderRecheckMs = dayMs / 24;
export const lookAgainMaxMs = 30 * dayMs;

/** Topics about an open request. They are no longer true once it has ended. */
const ofRequest: ReadonlySet<OwnerTopic | ContactTopic> = new Set([
  'question',
  'yes_kept',
  'asked',
  'early_request',
  'new_request',
  'another_request',
  'fewer_contacts',
  'delayed',
  'paused',
  'alive_again',
  'wait',
  'wait_goes_on',
]);

/** A decision while it is made: the events so far, and the world as it is behind them. */
export class Draft {
  readonly events: Event[] = [];
  readonly now: Mark;
  world: World;
  blockedBy: Blocker | null = null;
  #lookAgainAtMs = Number.POSITIVE_INFINITY;

  constructor(world: World, now: Mark) {
    this.world = world;
    this.now = now;
  }

  get lookAgainAtMs(): number {
    return Math.min(this.#lookAgainAtMs, this.now.atMs + lookAgainMaxMs);
  }

  happen(event: Event): true {
    this.events.push(event);
    this.world = evolve(this.world, [event], this.now);
    return true;
  }

  newNotice(): number {
    return this.world.nextNotice;
  }

  tellOwner(topic: OwnerTopic): true {
    return this.happen({ kind: 'owner_told', notice: this.newNotice(), topic });
  }

  /** A former contact gets no mail. */
  tellContact(contactId: string, topic: Exclude<ContactTopic, 'question'>): void {
    if (!this.world.contacts.some(({ id }) => id === contactId)) return;
    this.happen({ kind: 'contact_told', notice: this.newNotice(), contactId, topic });
  }

  /** Withdraws an unsent question that is void or that a newer one replaces. */
  withdrawQuestion(contactId: string): void {
    const ask = this.world.request && newestAsk(this.world.request, contactId);
    if (ask && isUnderWay(noticeOf(this.world, ask.notice)))
      this.happen({ kind: 'notice_withdrawn', notice: ask.notice });
  }

  /** Tells each contact with a yes that counts on which day the letters go, in place of an earlier mail that has not left. */
  tellWhoConfirmed(): void {
    this.withdrawUnsent('yes_kept');
    const { request } = this.world;
    if (request) for (const id of yesesOf(this.world, request)) this.tellContact(id, 'yes_kept');
  }

  /** Withdraws the mails of this topic that have not left. */
  withdrawUnsent(topic: OwnerTopic | ContactTopic): void {
    for (const notice of this.world.notices) {
      if (notice.topic === topic && isUnderWay(notice)) this.happen({ kind: 'notice_withdrawn', notice: notice.id });
    }
  }

  /** A former contact with a live link or a valid yes has left the request too. */
  voidWhoLeft(): void {
    const { contacts, request } = this.world;
    const living = request?.asks.filter(({ isRevoked }) => !isRevoked) ?? [];
    const yeses = request?.answers.filter(({ says, isVoid }) => says === 'yes' && !isVoid) ?? [];
    for (const contactId of new Set([...living, ...yeses].map((each) => each.contactId))) {
      if (contacts.some(({ id }) => id === contactId)) continue;
      this.withdrawQuestion(contactId);
      this.happen({ kind: 'answer_voided', contactId, isGone: true });
    }
  }

  nothingDueYet(): void {
    this.#lookAgainAtMs = Number.POSITIVE_INFINITY;
    this.blockedBy = null;
  }

  lookAt(atMs: number): void {
    this.#lookAgainAtMs = Math.min(this.#lookAgainAtMs, atMs);
  }

  /** Something is due and may not happen. */
  block(why: Blocker): false {
    this.blockedBy = why;
    this.lookAt(this.now.atMs + recheckMs);
    return false;
  }

  /** Schedules a visit for the time when a new contact's yes starts to count. */
  lookAtNewContacts(): void {
    for (const contact of this.world.contacts) {
      const atMs = countsEarlyFrom(contact, this.now);
      if (atMs > this.now.atMs) this.lookAt(atMs);
    }
  }

  /** Withdraws unsent mails, because their words are no longer true. Keeps the notice that letters wait for. */
  withdrawAll(): void {
    for (const notice of this.world.notices) {
      if (isUnderWay(notice) && notice.id !== this.world.restart)
        this.happen({ kind: 'notice_withdrawn', notice: notice.id });
    }
  }

  /** An early request limits the next ones, however it ended. */
  pastOf(
    { askedBy, opened }: Request,
    { isStop, wasForeign = false }: { isStop: boolean; wasForeign?: boolean },
  ): PastRequest | null {
    return askedBy === null ? null : { contactId: askedBy, opened, wasForeign, stopped: isStop ? this.now : null };
  }

  /**
   * Ends the silence and the request after activity of the owner, or because the account is being deleted. Contacts who
   * knew of the request are notified that nothing was sent.
   */
  ownerIsBack(why: 'owner_back' | 'closed', isStop = false): void {
    const { request } = this.world;
    this.withdrawAll();
    if (request) {
      const told = knowing(this.world, request);
      this.happen({ kind: 'request_ended', why, past: this.pastOf(request, { isStop }) });
      for (const id of told) this.tellContact(id, 'nothing_was_sent');
      if (why === 'owner_back') this.tellOwner('welcome_back');
    }
    if (this.world.silence) this.happen({ kind: 'silence_ended' });
  }

  /** Ends an early request without a release, and notifies its contacts and the owner. */
  endRequest(why: Exclude<EndOfRequest, 'owner_back' | 'closed'>): true {
    const { request } = this.world;
    if (!request) throw new Error('No request is open that could end.');
    const told = knowing(this.world, request);
    for (const notice of this.world.notices) {
      if (ofRequest.has(notice.topic) && isUnderWay(notice))
        this.happen({ kind: 'notice_withdrawn', notice: notice.id });
    }
    const past = this.pastOf(request, { isStop: false, wasForeign: why === 'did_not_ask' });
    this.happen({ kind: 'request_ended', why, past });
    for (const id of told) this.tellContact(id, 'request_ended');
    return this.tellOwner('request_ended');
  }
}
