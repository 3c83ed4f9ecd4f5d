import type { Accounts } from '#server/features/accounts/accounts.service.ts';
import type { RequestOrigin } from '#server/features/audit/audit.service.ts';
import type { Documents } from '#server/features/documents/documents.service.ts';
import type { Messages } from '#server/features/messages/messages.service.ts';
import type { Releases } from '#server/features/release/release.service.ts';
import { asksForAddress, inactivityDaysOf, isAway, yesesOf } from '#server/features/release-core/facts.rules.ts';
import { waitingLettersOf } from '#server/features/release-core/own-days.rules.ts';
import { waitingSentence } from '#server/features/release-mail/waiting.words.ts';
import { listGivenAddresses } from '#server/features/release-state/given-addresses.repository.ts';
import { findAsk, findRequest, listAsksAndAnswers } from '#server/features/release-state/release.repository.ts';
import { dateOf, requestOf } from '#server/features/release-state/release.rows.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { HashToken } from '#server/platform/crypto/token.ts';
import type { Database } from '#server/platform/db/database.ts';
import type { OutgoingFile } from '#server/platform/files/incoming.ts';
import { notFound } from '#shared/contract/errors.ts';
import type {
  confirmRelease,
  getPortal,
  giveOwnerAddress,
  sayNotAsked,
  takeBackConfirmation,
} from '#shared/contract/release/portal.ts';
import type { RouteAnswer } from '#shared/contract/route.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { firstNameOf } from '#shared/rules/names.ts';
import { addressesPerRequest, askedOf } from './owner-address.rules.ts';
import { type GivenAddress, giveAddress, type OwnerAddressDependencies } from './owner-address.service.ts';
import { historyOf, type Opened, outcomeOf } from './portal.facts.ts';
import { goAloneAtMs, ifCancelled, ownersDays } from './portal.forecast.ts';
import {
  askedIds,
  canSayNotAsked,
  canTakeBack,
  documentsUntilMs,
  heldBy,
  type Link,
  type Outlook,
  shownBy,
} from './portal.rules.ts';
import { outcomeWords } from './portal.words.ts';

export type PortalDependencies = OwnerAddressDependencies & {
  db: Database;
  clock: Clock;
  hashToken: HashToken;
  accounts: Pick<Accounts, 'ownerOf'>;
  messages: Pick<Messages, 'readyMessages'>;
  documents: Pick<Documents, 'visibleDocuments' | 'visibleFile'>;
  releases: Pick<Releases, 'decide' | 'takeBack' | 'didNotAsk' | 'look'>;
};

type PortalAnswer = RouteAnswer<typeof getPortal>;
type Answer = { token: string; confirmed: boolean; reason: string; origin: RequestOrigin };
type Press = { token: string; origin: RequestOrigin };

export type Portals = {
  /** What one contact is asked. Changes nothing. @throws AppError NOT_FOUND for a dead link. */
  read(token: string): Promise<PortalAnswer>;
  /** A visible document, once the release has begun. @throws AppError NOT_FOUND. */
  document(token: string, id: string): Promise<OutgoingFile>;
  /** @throws AppError NOT_FOUND for a dead link, CONFLICT where it was answered before. */
  decide(answer: Answer): Promise<RouteAnswer<typeof confirmRelease>>;
  /** Takes the yes of this link back. @throws AppError NOT_FOUND where there is none, CONFLICT where a letter has left. */
  takeBack(press: Press): Promise<RouteAnswer<typeof takeBackConfirmation>>;
  /** "I did not ask." @throws AppError NOT_FOUND where nobody asked in this contact's name. */
  sayNotAsked(press: Press): Promise<RouteAnswer<typeof sayNotAsked>>;
  /** Keeps another address of an owner whom no reminder reached, and writes to it once. @throws AppError as of `giveAddress`. */
  giveAddress(given: GivenAddress): Promise<RouteAnswer<typeof giveOwnerAddress>>;
};

/** The page of a trusted contact, and their answer. */
export function createPortals(dependencies: PortalDependencies): Portals {
  const { db, clock, hashToken, accounts, messages, documents, releases } = dependencies;

  /** The link and everything it concerns. A contact who was removed or switched off has no page. */
  async function open(token: string): Promise<Opened> {
    const at = await clock.now();
    const found = await findAsk(db, hashToken(token));
    const owner = found && (await accounts.ownerOf(db, found.request.userId));
    if (!found || !owner) throw dead();

    const situation = await releases.look(db, owner, at);
    const { contactId } = found.ask;
    const contact = situation.contacts.find(({ id }) => id === contactId);
    if (!contact) throw dead();
    const { world, reading, rows } = situation;
    const isOpen = rows.request?.id === found.request.id;
    // One that ended while we looked is read once more, with its end.
    const row = isOpen ? rows.request : await findRequest(db, found.request.id);
    if (!row) throw dead();
    const said = isOpen ? rows : await listAsksAndAnswers(db, row.id);
    const request = requestOf(row, said.asks, said.answers);
    const link: Link = {
      contactId,
      ask: said.asks.find(({ notice }) => notice === found.ask.notice) ?? found.ask,
      request,
      release: row.releasedAt && { doneAtMs: row.doneAt?.getTime() ?? null },
      ended: row.closedAt && row.outcome && { outcome: row.outcome, atMs: row.closedAt.getTime() },
    };
    const shown = shownBy(link, at.getTime());
    if (!shown) throw dead();

    const now = { atMs: at.getTime(), healthyMs: reading.healthyMs };
    const outlook: Outlook | null = isOpen
      ? { world, request, contactId, now, health: reading, isBySilence: row.bySilence }
      : null;
    const firstAsk = said.asks.find((ask) => ask.contactId === contactId && !ask.isDead) ?? found.ask;
    return { at, owner, contact, situation, row, link, shown, outlook, askedAt: firstAsk.createdAt };
  }

  async function otherAddressOf({ situation, contact, outlook }: Opened): Promise<PortalAnswer['otherAddress']> {
    if (!outlook || !asksForAddress(situation.world) || !situation.rows.request) return null;
    const of = { requestId: situation.rows.request.id, limit: addressesPerRequest };
    return askedOf(await listGivenAddresses(db, of), contact.id);
  }

  /** What the page says after a press. */
  async function afterPress(token: string): Promise<{ ok: true; message: string }> {
    const opened = await open(token);
    return { ok: true, message: wordsOf(opened) ?? '' };
  }

  return {
    async read(token) {
      const opened = await open(token);
      const { at, owner, contact, situation, link, shown, outlook } = opened;
      const { world, contacts } = situation;
      const others = contacts.filter(({ id }) => id !== contact.id);
      // What an ended request was about is nobody's to see any more; what was written since belongs to the next one.
      const ready = outlook ? await messages.readyMessages(db, owner.id) : [];
      const visible = ready.filter(({ visibleToTrustedContact }) => visibleToTrustedContact);
      const held = outlook && heldBy(outlook);
      const cancelled = outlook && shown.state === 'open' ? ifCancelled(outlook) : null;
      return {
        user: { firstName: owner.firstName ?? '', lastName: owner.lastName ?? '', email: owner.email },
        contact: { name: contact.name, email: contact.email },
        token,
        inactivityDays: inactivityDaysOf(world),
        messages: visible.map(({ id, title, recipientEmail, recipients, createdAt }) => ({
          id,
          title,
          recipientEmail,
          recipients,
          createdAt,
          isVisible: true as const,
        })),
        privateMessageCount: ready.length - visible.length,
        documents: outlook || link.release ? await documents.visibleDocuments(db, owner.id) : [],
        documentsUntil: dateOf(documentsUntilMs(link, at.getTime())),
        ...shown,
        lastActivityAt: owner.lastCheckinAt,
        silentDays: Math.max(0, Math.floor((at.getTime() - owner.lastCheckinAt.getTime()) / dayMs)),
        awayUntil: isAway(world, { atMs: at.getTime(), healthyMs: 0 }) ? dateOf(world.owner.awayUntilMs) : null,
        history: historyOf(opened),
        otherContactNames: namesOf(others),
        askedNames: outlook ? namesOf(others, askedIds(outlook)) : [],
        quorum: link.request.terms.needed,
        confirmations: yesesOf(world, link.request).length,
        releaseMethod: owner.releaseMethod,
        goAloneAt: outlook && shown.state === 'open' ? dateOf(goAloneAtMs(outlook)) : null,
        isEarly: link.request.cause !== 'silence',
        waitingDays: outlook ? ownersDays(outlook) : 0,
        held: held && { by: held.by, until: dateOf(held.untilMs) },
        ifCancelled: cancelled && {
          toldNames: namesOf(others, cancelled.toldIds),
          askAgainDays: cancelled.askAgainDays,
          canOthersConfirm: cancelled.canOthersConfirm,
          isOwnerTold: cancelled.isOwnerTold,
          isRequestOver: cancelled.isRequestOver,
        },
        canTakeBack: outlook !== null && shown.state === 'confirmed' && canTakeBack(outlook, link.ask),
        canSayNotAsked: outlook !== null && shown.state === 'open' && canSayNotAsked(outlook),
        otherAddress: await otherAddressOf(opened),
        outcome: wordsOf(opened),
      };
    },

    async document(token, id) {
      const { at, link, owner } = await open(token);
      if (documentsUntilMs(link, at.getTime()) === null) throw notFound();
      return documents.visibleFile(db, owner.id, id);
    },

    async decide({ token, confirmed, reason, origin }) {
      // The release decides, under its lock; what is read here finds the sentence that the contact is told.
      const state = await releases.decide({ tokenHash: hashToken(token), token, confirmed, reason, origin });
      return { ...(await afterPress(token)), state };
    },

    async takeBack({ token, origin }) {
      await releases.takeBack({ tokenHash: hashToken(token), origin });
      return afterPress(token);
    },

    async sayNotAsked({ token, origin }) {
      await releases.didNotAsk({ tokenHash: hashToken(token), origin });
      return afterPress(token);
    },

    giveAddress: (given) => giveAddress(dependencies, given),
  };
}

function wordsOf(opened: Opened): string | null {
  const outcome = outcomeOf(opened);
  const waiting = waitingLettersOf(opened.outlook?.world.release ?? null).map(({ dueAtMs }) => dueAtMs);
  return outcome && [outcomeWords(outcome), waitingSentence(waiting)].filter(Boolean).join(' ');
}

/** First names; of some of them, where `ids` says whose. */
function namesOf(people: readonly { id: string; name: string }[], ids?: readonly string[]): string[] {
  return people.filter(({ id }) => ids?.includes(id) ?? true).map(({ name }) => firstNameOf(name));
}

function dead() {
  return notFound('Invalid or expired access token');
}
