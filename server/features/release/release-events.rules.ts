import {
  countedConfirmations,
  hasCancelled,
  invitationOfRound,
  isRoundStopped,
  liveInvitation,
  quorumOf,
  requiredConfirmations,
} from './release-answers.rules.ts';
import { invited, needsNewLink, newCycle, opensRequest, withdrawn, withRoundEnded } from './release-cycle.rules.ts';
import {
  answerDaysOf,
  type CycleFacts,
  contactProbationMs,
  type InvitationFacts,
  type Mark,
  type ReleaseFacts,
  type Sent,
  waitingDaysOf,
} from './release-facts.rules.ts';

/** What a change asks of the world; carried out in the transaction that writes the state. */
export type Effect =
  | { kind: 'nudge_owner'; sequence: number }
  | { kind: 'remind_owner'; which: 'first' | 'last' }
  /** `contactId`: whose request or cancel it is about. The owner is told of each, also of a second one within a round. */
  | { kind: 'tell_owner'; about: OwnerNotice; contactId?: string }
  /** Each restore is told of anew. */
  | { kind: 'tell_of_restore'; restore: { atMs: number; backupAtMs: number } }
  /** Gives each of them a link of this round and sends it. `isInTheirName`: because of a request that says it is theirs. */
  | { kind: 'ask_contacts'; contactIds: readonly string[]; isInTheirName?: true }
  /** Gives each of them a new link of this round: what they answered to the old one may be forgotten. */
  | { kind: 'ask_after_restore'; contactIds: readonly string[]; restore: { atMs: number; backupAtMs: number } }
  /** `by`: whose cancel it is about. Everybody is told of each, also of a second one within a round. */
  | {
      kind: 'tell_contacts';
      about: ContactNotice;
      contactIds: readonly string[];
      by?: string;
      /** Also whoever a mail has told how the delivery goes, or that it is done; only the mails themselves know who. */
      andWhoHeard?: true;
      /** How far the letters had come, where a halt in the same breath does not say. */
      sent?: Sent;
    }
  | { kind: 'record_decision'; contactId: string; decision: 'confirmed' | 'cancelled' }
  /** Every link that nobody has used dies, and mails that still carry one are taken back. */
  | { kind: 'withdraw_links' }
  /** The same for one contact, who has left the role. */
  | { kind: 'withdraw_link'; contactId: string; round: number; tries: number }
  /** A last reminder that has not left: it was written too soon, and another one follows. */
  | { kind: 'withdraw_reminder' }
  /** The mail that says when the letters go, where it has not left: they do not go then. */
  | { kind: 'withdraw_holding_notice' }
  | { kind: 'cancel_notifications' }
  | { kind: 'create_deliveries' }
  /** `isBack`: the owner is; then recipients are told, too. */
  | { kind: 'halt_deliveries'; isBack: boolean }
  /** Nobody waits any more for who signed in: mails that say so are taken back, and what was held may leave. */
  | { kind: 'end_question' }
  /** Tells the contacts whom a mail has told of a sign-in that it was not the owner; only the mails themselves know who. */
  | { kind: 'tell_who_heard_of_question' };

export type OwnerNotice =
  | 'asked'
  | 'emergency'
  | 'trustee'
  | 'paused'
  | 'holding'
  | 'releasing'
  | 'welcome_back'
  | 'halted'
  | 'question'
  | 'not_owner';
export type ContactNotice = 'paused' | 'stopped' | 'closed' | 'released' | 'question' | 'not_owner' | 'left';

export type Ignored =
  | 'nothing_open'
  | 'out_of_date'
  | 'link_dead'
  | 'already_decided'
  | 'already_asked'
  | 'too_late'
  | 'paused'
  | 'frozen'
  | 'not_verified'
  | 'no_ready_message'
  | 'not_a_contact'
  | 'contact_too_new'
  | 'budget_spent';

export type EventResult = {
  cycle: CycleFacts | null;
  closedAs: 'watching' | 'halted' | 'released' | null;
  effects: readonly Effect[];
  /** Why nothing came of it; `null` when something did. */
  ignored: Ignored | null;
};

/**
 * The owner showed life, or pressed Stop. Before the first dispatch everything is undone; afterwards what can still be
 * stopped is stopped. This event is never refused.
 */
export function ownerReturns({ cycle }: Pick<ReleaseFacts, 'cycle'>): EventResult {
  if (!cycle) return { cycle, closedAs: null, effects: [], ignored: 'nothing_open' };
  const told = toldContacts(cycle);
  const common: Effect[] = [{ kind: 'cancel_notifications' }, { kind: 'withdraw_links' }];

  if (cycle.state === 'releasing' || cycle.state === 'released') {
    const effects: Effect[] = [
      { kind: 'halt_deliveries', isBack: true },
      ...common,
      { kind: 'tell_owner', about: 'halted' },
      { kind: 'tell_contacts', about: 'stopped', contactIds: told, andWhoHeard: true },
    ];
    return { cycle: null, closedAs: 'halted', effects, ignored: null };
  }
  const wasAsked = cycle.round > 0;
  const stopped: Effect[] = told.length > 0 ? [{ kind: 'tell_contacts', about: 'stopped', contactIds: told }] : [];
  const welcome: Effect[] = wasAsked ? [{ kind: 'tell_owner', about: 'welcome_back' }] : [];
  return { cycle: null, closedAs: 'watching', effects: [...common, ...welcome, ...stopped], ignored: null };
}

/**
 * The account is to be deleted, by its owner or somebody else: everything stops as when they return, but nobody says
 * that they are well, and it is the deletion itself that they are told of.
 */
export function accountCloses(facts: Pick<ReleaseFacts, 'cycle'>): EventResult {
  const { effects, ...event } = ownerReturns(facts);
  const kept = effects.filter(({ kind }) => kind !== 'tell_owner');
  const told = kept.map((effect): Effect => {
    if (effect.kind === 'halt_deliveries') return { ...effect, isBack: false };
    return effect.kind === 'tell_contacts' ? { ...effect, about: 'closed' } : effect;
  });
  return { ...event, effects: told };
}

/** Contacts whom an asking mail has reached; one that is still on its way is taken back instead. */
export function toldContacts(cycle: CycleFacts): string[] {
  const reached = cycle.invitations.filter(({ asking, decision }) => asking.outcome === 'reached' || decision !== null);
  return [...new Set(reached.map((invitation) => invitation.contactId))];
}

/** A contact's answer on the link of the current round. */
export function contactConfirms(facts: ReleaseFacts, contactId: string): EventResult {
  const { cycle } = facts;
  const refusal = refusedDecision(facts, contactId);
  if (!cycle || refusal) return ignored(facts, refusal ?? 'nothing_open');
  return changed(decided(cycle, contactId, 'confirmed'), [
    { kind: 'record_decision', contactId, decision: 'confirmed' },
  ]);
}

/**
 * A contact's "no". It pauses everything. The first one of a contact also kills the links of the others for this
 * round; a repeated one leaves them, so that enough others can still say what they know.
 */
export function contactCancels(facts: ReleaseFacts, contactId: string, mark: Mark): EventResult {
  const { cycle } = facts;
  const refusal = refusedDecision(facts, contactId);
  if (!cycle || refusal) return ignored(facts, refusal ?? 'nothing_open');

  const isRepeated = hasCancelled(cycle, contactId);
  const answered = decided(cycle, contactId, 'cancelled');
  const others = toldContacts(cycle).filter((id) => id !== contactId);
  const paused: CycleFacts = {
    ...answered,
    state: 'paused',
    // A repeated cancel must not push the end of a pause further and further away.
    paused: isRepeated && cycle.paused ? cycle.paused : mark,
    asked: null,
    ownerNotice: null,
    invitations: isRepeated ? answered.invitations : withdrawn(answered),
  };
  return changed(paused, [
    { kind: 'record_decision', contactId, decision: 'cancelled' },
    ...(isRepeated ? [] : [{ kind: 'withdraw_links' } as const]),
    ...(cycle.state === 'holding' ? [{ kind: 'withdraw_holding_notice' } as const] : []),
    { kind: 'tell_owner', about: 'paused', contactId },
    ...(others.length > 0
      ? [{ kind: 'tell_contacts', about: 'paused', contactIds: others, by: contactId } as const]
      : []),
  ]);
}

function refusedDecision({ cycle, contacts }: ReleaseFacts, contactId: string): Ignored | null {
  if (!cycle) return 'nothing_open';
  if (cycle.state === 'releasing' || cycle.state === 'released') return 'too_late';
  if (!contacts.some((contact) => contact.id === contactId)) return 'not_a_contact';
  const ofRound = invitationOfRound(cycle, contactId);
  if (ofRound && ofRound.decision !== null) return 'already_decided';
  return liveInvitation(cycle, contactId) ? null : 'link_dead';
}

function decided(cycle: CycleFacts, contactId: string, decision: 'confirmed' | 'cancelled'): CycleFacts {
  const live = liveInvitation(cycle, contactId);
  return { ...cycle, invitations: cycle.invitations.map((each) => (each === live ? { ...each, decision } : each)) };
}

/**
 * A contact took back their yes to the role, and is none of `contacts` any more. Their link dies, and the round goes on
 * with those who are left, so that nobody waits for somebody who is gone.
 */
export function contactStepsDown(
  facts: ReleaseFacts,
  contactId: string,
  known: { isMailHealthy: boolean; mark: Mark },
): EventResult {
  const { cycle } = facts;
  if (!cycle) return ignored(facts, 'nothing_open');
  if (cycle.state === 'releasing' || cycle.state === 'released') return ignored(facts, 'too_late');
  const live = liveInvitation(cycle, contactId);
  // Leaving is how a yes is taken back: it dies with the role, and who comes back is asked anew. A no stays.
  const isTheirs = (each: InvitationFacts) =>
    each === live || (each.contactId === contactId && each.decision === 'confirmed' && !each.isWithdrawn);
  const ending = cycle.invitations.filter(isTheirs);
  if (ending.length === 0) return ignored(facts, 'link_dead');

  const invitations = cycle.invitations.map((each) => (isTheirs(each) ? { ...each, isWithdrawn: true } : each));
  return changed(
    withRoundEnded({ ...facts, cycle: { ...cycle, invitations } }, known),
    ending.map(({ round, tries }) => ({ kind: 'withdraw_link', contactId, round, tries })),
  );
}

/** Somebody filled in the emergency form with the address of this contact: the contact alone gets a link. */
export function emergencyRequested(facts: ReleaseFacts, contactId: string, now: number): EventResult {
  const refusal = refusedEarlyRelease(facts, contactId, now);
  if (refusal) return ignored(facts, refusal);
  if (countedConfirmations(facts, now).includes(contactId)) return ignored(facts, 'already_decided');
  const cycle = earlyCycle(facts, 'emergency', now);
  const before = invitationOfRound(cycle, contactId);
  if (before && !needsNewLink(facts, before, now)) return ignored(facts, 'already_asked');
  const told: Effect[] = [
    { kind: 'ask_contacts', contactIds: [contactId], isInTheirName: true },
    { kind: 'tell_owner', about: 'emergency', contactId },
  ];
  const asked = { ...cycle, invitations: invited(cycle, [contactId]) };
  // Whoever is asked while a round goes on has the whole time to answer, so it begins again behind their mail.
  if (!before) return changed({ ...asked, asked: null }, told);
  const { round, tries } = before;
  // Nobody's time to answer begins again: else a form that is filled in each day would keep a release waiting for ever.
  return changed(asked, [{ kind: 'withdraw_link', contactId, round, tries }, ...told]);
}

/** A trustee pressed release: it counts as that contact's confirmation. */
export function trusteePressed(facts: ReleaseFacts, contactId: string, now: number): EventResult {
  const refusal = refusedEarlyRelease(facts, contactId, now);
  if (refusal) return ignored(facts, refusal);
  const cycle = earlyCycle(facts, 'trustee', now);
  const ofContact = invitationOfRound(cycle, contactId);
  if (ofContact && ofContact.decision !== null) return ignored(facts, 'already_decided');

  const invitations = ofContact ? cycle.invitations : invited(cycle, [contactId]);
  const pressed = decided({ ...cycle, invitations }, contactId, 'confirmed');
  return changed(pressed, [
    { kind: 'record_decision', contactId, decision: 'confirmed' },
    { kind: 'tell_owner', about: 'trustee', contactId },
  ]);
}

function refusedEarlyRelease(facts: ReleaseFacts, contactId: string, now: number): Ignored | null {
  const { owner, cycle } = facts;
  if (!owner.isVerified) return 'not_verified';
  if (owner.isFrozen || facts.isInstallationFrozen) return 'frozen';
  const contact = facts.contacts.find((each) => each.id === contactId);
  if (!contact) return 'not_a_contact';
  if (now - contact.confirmedAtMs < contactProbationMs) return 'contact_too_new';
  if (facts.readyMessages === 0) return 'no_ready_message';
  if (cycle?.state === 'releasing' || cycle?.state === 'released') return 'too_late';
  // A cancel that was answered wins: until the pause is over, nothing begins beside it.
  if (cycle?.state === 'paused' && (isRoundStopped(cycle) || cycle.cause !== 'silence')) return 'paused';
  return null;
}

/** The cycle that takes an early request: the open one, or a new one; asking begins a round of its own. */
function earlyCycle(facts: ReleaseFacts, cause: 'emergency' | 'trustee', now: number): CycleFacts {
  const { cycle } = facts;
  if (cycle && !opensRequest(facts)) {
    return withTold(facts, { ...cycle, neededConfirmations: requiredConfirmations(facts) });
  }
  const before = cycle ?? newCycle(now, cause, 'asking');
  const begun = { ...before, cause, state: 'asking' as const, round: before.round + 1, asked: null };
  return withTold(facts, { ...begun, neededConfirmations: quorumOf(facts) });
}

/** Keeps the days that the mails of this request name: those to answer in a silence, and the owner's own before its end. */
function withTold({ owner }: ReleaseFacts, cycle: CycleFacts): CycleFacts {
  if (cycle.cause === 'silence') return { ...cycle, answerDays: answerDaysOf({ owner, cycle }) };
  // What is held has told its days in a notice of its own, and tells them again where there are some now.
  return cycle.state === 'holding' ? cycle : { ...cycle, waitingDays: waitingDaysOf({ owner, cycle }) };
}

export function changed(cycle: CycleFacts, effects: readonly Effect[]): EventResult {
  return { cycle, closedAs: null, effects, ignored: null };
}

export function ignored({ cycle }: ReleaseFacts, reason: Ignored): EventResult {
  return { cycle, closedAs: null, effects: [], ignored: reason };
}
