import type { Accounts, OwnerRow } from '#server/features/accounts/accounts.service.ts';
import type { RequestOrigin } from '#server/features/audit/audit.service.ts';
import type { Contacts } from '#server/features/contacts/contacts.service.ts';
import type { Documents } from '#server/features/documents/documents.service.ts';
import type { Messages } from '#server/features/messages/messages.service.ts';
import { listInvitations } from '#server/features/release/release.repository.ts';
import type { Releases } from '#server/features/release/release.service.ts';
import {
  countedConfirmations,
  isRoundStopped,
  requiredConfirmations,
} from '#server/features/release/release-answers.rules.ts';
import { pauseProspect, waitsUntilMs } from '#server/features/release/release-prospects.rules.ts';
import { type Contact, contactFacts } from '#server/features/release/release-scene.ts';
import { cycleFacts, dateOf, ownerFacts } from '#server/features/release/release-state.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { HashToken } from '#server/platform/crypto/token.ts';
import type { Database } from '#server/platform/db/database.ts';
import type { OutgoingFile } from '#server/platform/files/incoming.ts';
import { notFound } from '#shared/contract/errors.ts';
import type { confirmRelease, getPortal } from '#shared/contract/release.ts';
import type { RouteAnswer } from '#shared/contract/route.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { findPortalLink, type PortalLink } from './portal.repository.ts';
import {
  askedIds,
  documentsUntilMs,
  heldBy,
  ifCancelled,
  type Outlook,
  ownersDays,
  portalState,
  shownState,
} from './portal.rules.ts';
import { type Outcome, outcomeWords } from './portal.words.ts';

export type PortalDependencies = {
  db: Database;
  clock: Clock;
  hashToken: HashToken;
  accounts: Pick<Accounts, 'ownerOf'>;
  contacts: Pick<Contacts, 'confirmedContacts'>;
  messages: Pick<Messages, 'readyMessages' | 'countReady'>;
  documents: Pick<Documents, 'visibleDocuments' | 'visibleFile'>;
  releases: Pick<Releases, 'decide' | 'health'>;
  answerDaysDefault: number;
};

type PortalAnswer = RouteAnswer<typeof getPortal>;
type Answer = { token: string; confirmed: boolean; reason: string; origin: RequestOrigin };

export type Portals = {
  /** What one contact is asked. Changes nothing. @throws AppError NOT_FOUND for a dead link. */
  read(token: string): Promise<PortalAnswer>;
  /** A visible document, once the release has begun. @throws AppError NOT_FOUND. */
  document(token: string, id: string): Promise<OutgoingFile>;
  /** @throws AppError NOT_FOUND for a dead link, CONFLICT where it was answered before. */
  decide(answer: Answer): Promise<RouteAnswer<typeof confirmRelease>>;
};

/** The page of a trusted contact, and their answer. */
export function createPortals(dependencies: PortalDependencies): Portals {
  const { db, clock, hashToken, accounts, contacts, messages, documents, releases, answerDaysDefault } = dependencies;

  /** The link and everybody it concerns. A contact who was removed or switched off has no page. */
  async function open(token: string) {
    const now = await clock.now();
    const link = await findPortalLink(db, hashToken(token));
    const state = link && portalState(linkFacts(link), now.getTime());
    if (!link || !state) throw dead();

    const owner = await accounts.ownerOf(db, link.cycle.userId);
    if (!owner) throw dead();
    const confirmed: readonly Contact[] = await contacts.confirmedContacts(db, owner.id);
    const contact = confirmed.find(({ id }) => id === link.invitation.contactId);
    if (!contact) throw dead();
    const reading = await releases.health(db, now);
    const facts = {
      owner: ownerFacts(owner, answerDaysDefault),
      isInstallationFrozen: reading.isFrozen,
      readyMessages: await messages.countReady(db, owner.id),
      contacts: confirmed.map((each) => contactFacts(each, now, reading)),
      cycle: cycleFacts(link.cycle, await listInvitations(db, link.cycle.id)),
    };
    const counted = countedConfirmations(facts, now.getTime());
    const quorum = requiredConfirmations(facts);
    const time = { now: now.getTime(), healthyMs: reading.healthyMs };
    const outlook: Outlook = { facts, contactId: contact.id, time, health: reading };
    const shown = shownState(state, link.invitation, { cycle: facts.cycle, counted });
    return { now, link, state: shown, owner, contact, confirmed, counted, quorum, outlook, mark: reading.mark };
  }

  return {
    async read(token) {
      const opened = await open(token);
      const { now, link, state, owner, contact, confirmed, counted, quorum, outlook } = opened;
      const { facts, time } = outlook;
      const others = confirmed.filter(({ id }) => id !== contact.id);
      const ready = await messages.readyMessages(db, owner.id);
      const visible = ready.filter(({ visibleToTrustedContact }) => visibleToTrustedContact);
      const held = heldBy(outlook);
      const cancelled = state === 'open' ? ifCancelled(outlook, opened.mark) : null;
      return {
        user: { firstName: owner.firstName ?? '', lastName: owner.lastName ?? '', email: owner.email },
        contact: { name: contact.name, email: contact.email },
        token,
        inactivityDays: owner.inactivityDays,
        messages: visible.map(({ id, title, recipientEmail, createdAt }) => ({
          id,
          title,
          recipientEmail,
          createdAt,
          isVisible: true as const,
        })),
        privateMessageCount: ready.length - visible.length,
        documents: await documents.visibleDocuments(db, owner.id),
        documentsUntil: untilOf(link, now),
        state,
        lastActivityAt: owner.lastCheckinAt,
        silentDays: Math.max(0, Math.floor((now.getTime() - owner.lastCheckinAt.getTime()) / dayMs)),
        history: historyOf(link, dateOf(waitsUntilMs(facts, time)), { owner, now }),
        otherContactNames: namesOf(others),
        askedNames: namesOf(others, askedIds(facts)),
        quorum,
        confirmations: counted.length,
        releaseMethod: owner.releaseMethod,
        isEarly: facts.cycle.cause !== 'silence',
        waitingDays: ownersDays(facts, time),
        held: held && { by: held.by, until: dateOf(held.untilMs) },
        ifCancelled: cancelled && {
          toldNames: namesOf(others, cancelled.toldIds),
          askAgainDays: cancelled.askAgainDays,
          canOthersConfirm: cancelled.canOthersConfirm,
        },
        outcome: state === 'open' ? null : outcomeWords(outcomeOf(opened, state)),
      };
    },

    async document(token, id) {
      const { now, link, owner } = await open(token);
      if (!untilOf(link, now)) throw notFound();
      return documents.visibleFile(db, owner.id, id);
    },

    async decide({ token, confirmed, reason, origin }) {
      // The release decides, under its lock; what is read here finds the sentence that the contact is told.
      const state = await releases.decide({ tokenHash: hashToken(token), confirmed, reason, origin });
      const opened = await open(token);
      const message = opened.state === 'open' ? '' : outcomeWords(outcomeOf(opened, opened.state));
      return { ok: true, state, message };
    },
  };
}

function linkFacts({ invitation, cycle }: PortalLink) {
  return {
    decision: invitation.decision,
    isWithdrawn: invitation.withdrawnAt !== null,
    cycleState: cycle.state,
    closedAtMs: cycle.closedAt?.getTime() ?? null,
    releasedAtMs: cycle.releasedAt?.getTime() ?? null,
  };
}

function untilOf({ cycle }: PortalLink, now: Date): Date | null {
  const { state, releasedAt } = cycle;
  const untilMs = documentsUntilMs({ state, releasedAtMs: releasedAt?.getTime() ?? null }, now.getTime());
  return untilMs === null ? null : new Date(untilMs);
}

/** What has happened so far, the oldest first. Steps that were left out, as in an emergency, are not listed. */
function historyOf(
  { cycle, invitation }: PortalLink,
  waitsUntil: Date | null,
  { owner, now }: { owner: OwnerRow; now: Date },
): PortalAnswer['history'] {
  const steps: [PortalAnswer['history'][number]['what'], Date | null][] = [
    ['last_activity', owner.lastCheckinAt],
    ['first_reminder', cycle.firstReminderAt],
    ['last_reminder', cycle.lastReminderAt],
    ['contacts_asked', cycle.askedAt ?? invitation.createdAt],
    ['holding_until', waitsUntil],
    ['delivered', cycle.releasedAt],
  ];
  return steps.flatMap(([what, at]) => (at ? [{ what, at, isPast: at <= now }] : []));
}

/** What the page, or the answer to a press, has to say of how it stands. */
function outcomeOf(
  {
    link: { cycle, invitation },
    owner,
    outlook,
    counted,
    quorum,
    now,
  }: { link: PortalLink; owner: OwnerRow; outlook: Outlook; counted: readonly string[]; quorum: number; now: Date },
  state: Outcome['state'],
): Outcome {
  const { facts, time } = outlook;
  const isHolding = invitation.decision === 'cancelled' || isRoundStopped(facts.cycle);
  return {
    state,
    firstName: owner.firstName || owner.email,
    cycleState: cycle.state,
    answered: invitation.decision,
    isPaused: cycle.state === 'paused' && invitation.round === cycle.round && isHolding,
    pause: pauseProspect(facts, time.now),
    missing: Math.max(0, quorum - counted.length),
    waitingDays: ownersDays(facts, time),
    held: heldBy(outlook),
    dispatchedAt: cycle.firstDispatchAt,
    releasedAt: cycle.releasedAt,
    now,
  };
}

/** First names; of some of them, where `ids` says whose. */
function namesOf(people: readonly Contact[], ids?: readonly string[]): string[] {
  return people.filter(({ id }) => ids?.includes(id) ?? true).map(({ name }) => firstNameOf(name));
}

function firstNameOf(name: string): string {
  return name.trim().split(/\s+/)[0] ?? name;
}

function dead() {
  return notFound('Invalid or expired access token');
}
