import type { App } from '#server/app.ts';
import { findOwner } from '#server/features/accounts/accounts.repository.ts';
import type { RequestOrigin } from '#server/features/audit/record.ts';
import { hasSentAgain, listDeclining } from '#server/features/delivery/say/say.repository.ts';
import { sendAgainBy } from '#server/features/delivery/say/say.ts';
import {
  countVisibleDocuments,
  listVisibleDocuments,
  openVisibleDocument,
} from '#server/features/documents/visible-documents.ts';
import { listFirstReady } from '#server/features/messages/letters.ts';
import { answerAlive, decideRelease, denyRequest, withdrawYes } from '#server/features/release/release-decisions.ts';
import { aliveBefore } from '#server/features/release-core/alive.rules.ts';
import { asksForAddress, inactivityDaysOf, isAway, yesesOf } from '#server/features/release-core/facts.rules.ts';
import { waitingLettersOf } from '#server/features/release-core/own-days.rules.ts';
import { waitingSentence } from '#server/features/release-mail/waiting.words.ts';
import { listGivenAddresses } from '#server/features/release-state/given-addresses.repository.ts';
import { findAsk, findRequest, listAsksAndAnswers } from '#server/features/release-state/release.repository.ts';
import { dateOf, requestOf } from '#server/features/release-state/release.rows.ts';
import { readWorld } from '#server/features/release-state/release.store.ts';
import type { OutgoingFile } from '#server/platform/files/incoming.ts';
import { notFound } from '#shared/contract/errors.ts';
import type * as contract from '#shared/contract/release/portal.ts';
import type { RouteAnswer, RouteBody } from '#shared/contract/route.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { firstNameOf } from '#shared/rules/names.ts';
import { portalDocumentsPerPage, portalMessagesMax } from '#shared/rules/release-answers.ts';
import { addressesPerRequest, askedOf } from './owner-address.rules.ts';
import { canSeeFirstWeeks, historyOf, type Opened, outcomeOf } from './portal.facts.ts';
import { goAloneAtMs, ifCancelled, ownersDays } from './portal.forecast.ts';
import {
  askedIds,
  canSayNotAsked,
  canTakeBack,
  documentsUntilMs,
  heldBy,
  namesDocuments,
  type Outlook,
  type Link as PortalLink,
  resultKeptDays,
  shownBy,
} from './portal.rules.ts';
import { outcomeWords } from './portal.words.ts';

type Link = { params: { token: string } };
type Press = Link & { origin: RequestOrigin };
type PortalAnswer = RouteAnswer<typeof contract.getPortal>;

type Asked = Link & { query?: { documentsFrom: number } };

/** Returns the question to one contact. Changes nothing. @throws AppError `NOT_FOUND` for an expired link. */
export async function getPortal(
  app: App,
  { params: { token }, query: { documentsFrom } = { documentsFrom: 0 } }: Asked,
): Promise<PortalAnswer> {
  const opened = await openPortal(app, token);
  const { at, owner, contact, situation, link, shown, outlook } = opened;
  const { world, contacts } = situation;
  const others = contacts.filter(({ id }) => id !== contact.id);
  // Titles of an ended request are no longer shown. Later messages belong to the next one.
  const ready = outlook ? await readyFor(app, owner.id) : { listed: [], leftOut: 0, others: 0 };
  const hasDocuments = namesDocuments(link, outlook !== null, at.getTime());
  const documents = hasDocuments ? await documentsFor(app, owner.id, documentsFrom) : noDocuments;
  const held = outlook && heldBy(outlook);
  const cancelled = outlook && shown.state === 'open' ? ifCancelled(outlook) : null;
  return {
    user: { firstName: owner.firstName ?? '', lastName: owner.lastName ?? '', email: owner.email },
    contact: { name: contact.name, email: contact.email },
    token,
    inactivityDays: inactivityDaysOf(world),
    messages: ready.listed.map(({ id, title, recipientEmail, recipients, createdAt }) => ({
      id,
      title,
      recipientEmail,
      recipients,
      createdAt,
      isVisible: true as const,
    })),
    messagesLeftOut: ready.leftOut,
    privateMessageCount: ready.others,
    ...documents,
    documentsUntil: dateOf(documentsUntilMs(link, at.getTime())),
    hasFirstWeeks: canSeeFirstWeeks(opened),
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
    aliveSaidAt: dateOf(aliveBefore(link.request, link.ask)?.at.atMs),
    canTakeBack: outlook !== null && shown.state === 'confirmed' && canTakeBack(outlook, link.ask),
    canSayNotAsked: outlook !== null && shown.state === 'open' && canSayNotAsked(outlook),
    otherAddress: await otherAddressOf(app, opened),
    declining: [...opened.declining],
    outcome: wordsOf(opened),
  };
}

const noDocuments = { documents: [], documentCount: 0, documentsFrom: 0 };

/** The first visible messages, and the numbers of all others. */
function readyFor(app: App, userId: string) {
  return listFirstReady(app, app.db, userId, {
    max: portalMessagesMax,
    isListed: ({ visibleToTrustedContact }) => visibleToTrustedContact,
  });
}

/** A page of the visible documents, and the number of all. An index after the last begins again. */
async function documentsFor(app: App, userId: string, asked: number) {
  const documentCount = (await countVisibleDocuments(app.db, [userId])).get(userId) ?? 0;
  const documentsFrom = asked < documentCount ? asked : 0;
  const which = { userId, from: documentsFrom, size: portalDocumentsPerPage };
  return { documents: await listVisibleDocuments(app, app.db, which), documentCount, documentsFrom };
}

/** Returns a visible document, once the release has begun. @throws AppError `NOT_FOUND`. */
export async function downloadPortalDocument(
  app: App,
  { params }: { params: { token: string; id: string } },
): Promise<OutgoingFile> {
  const { at, link, owner } = await openPortal(app, params.token);
  if (documentsUntilMs(link, at.getTime()) === null) throw notFound();
  return openVisibleDocument(app, app.db, { userId: owner.id, id: params.id });
}

/** @throws AppError `NOT_FOUND` for an expired link, `CONFLICT` if it was answered before. */
export async function confirmRelease(
  app: App,
  { params: { token }, body, origin }: Press & { body: RouteBody<typeof contract.confirmRelease> },
) {
  // The release decides under its lock. The values read here only select the sentence for the contact.
  const state = await decideRelease(app, { tokenHash: app.serviceKeys.hashToken(token), token, ...body, origin });
  return { ...(await afterPress(app, token)), state };
}

/** Records "alive, but can't answer". @throws AppError as `confirmRelease`. */
export async function sayAlive(
  app: App,
  { params: { token }, body: { reason }, origin }: Press & { body: RouteBody<typeof contract.sayAlive> },
) {
  await answerAlive(app, { tokenHash: app.serviceKeys.hashToken(token), reason, origin });
  return afterPress(app, token);
}

/** Withdraws the yes of this link. @throws AppError `NOT_FOUND` if there is none, `CONFLICT` if a letter has left. */
export async function takeBackConfirmation(app: App, { params: { token }, origin }: Press) {
  await withdrawYes(app, { tokenHash: app.serviceKeys.hashToken(token), origin });
  return afterPress(app, token);
}

/** Records “I did not ask”. @throws AppError `NOT_FOUND` if no form was filled in in this contact's name. */
export async function sayNotAsked(app: App, { params: { token }, origin }: Press) {
  await denyRequest(app, { tokenHash: app.serviceKeys.hashToken(token), origin });
  return afterPress(app, token);
}

/**
 * Has the letters of a reader come again who wanted no more. A second press changes nothing.
 * @throws AppError `NOT_FOUND` for an expired link.
 */
export async function sendDeclined(
  app: App,
  { params: { token }, body: { readerId } }: Press & { body: RouteBody<typeof contract.sendDeclined> },
): Promise<{ ok: true }> {
  const { owner, link } = await openPortal(app, token);
  if (link.release) await sendAgainBy(app, { userId: owner.id, readerId, contactId: link.contactId });
  return { ok: true };
}

/** Opens the page of a link. A removed or inactive contact has none. @throws AppError `NOT_FOUND`. */
export async function openPortal(app: App, token: string): Promise<Opened> {
  const { db, clock, serviceKeys } = app;
  const at = await clock.now();
  const found = await findAsk(db, serviceKeys.hashToken(token));
  const owner = found && (await findOwner(db, found.request.userId));
  if (!found || !owner) throw dead();

  const situation = await readWorld(app, db, owner, at);
  const { contactId } = found.ask;
  const contact = situation.contacts.find(({ id }) => id === contactId);
  if (!contact) throw dead();
  const { world, reading, rows } = situation;
  const isOpen = rows.request?.id === found.request.id;
  // A request that ended meanwhile is read again, with its end.
  const row = isOpen ? rows.request : await findRequest(db, found.request.id);
  if (!row) throw dead();
  const said = isOpen ? rows : await listAsksAndAnswers(db, row.id);
  const request = requestOf(row, said.asks, said.answers);
  const link: PortalLink = {
    contactId,
    ask: said.asks.find(({ notice }) => notice === found.ask.notice) ?? found.ask,
    request,
    release: row.releasedAt && { doneAtMs: row.doneAt?.getTime() ?? null },
    ended: row.closedAt && row.outcome && { outcome: row.outcome, atMs: row.closedAt.getTime() },
  };
  const declining = link.release ? await listDeclining(db, owner.id) : [];
  const since = new Date(at.getTime() - resultKeptDays * dayMs);
  const shown =
    shownBy(link, at.getTime(), declining.length > 0) ??
    // The page shows the result of the contact's press too.
    ((await hasSentAgain(db, { userId: owner.id, contactId, since })) ? shownBy(link, at.getTime(), true) : null);
  if (!shown) throw dead();

  const now = { atMs: at.getTime(), healthyMs: reading.healthyMs };
  const outlook: Outlook | null = isOpen
    ? { world, request, contactId, now, health: reading, isBySilence: row.bySilence }
    : null;
  const firstAsk = said.asks.find((ask) => ask.contactId === contactId && !ask.isRevoked) ?? found.ask;
  return { at, owner, contact, situation, row, link, shown, declining, outlook, askedAt: firstAsk.createdAt };
}

async function otherAddressOf(
  { db }: App,
  { situation, contact, outlook }: Opened,
): Promise<PortalAnswer['otherAddress']> {
  if (!outlook || !asksForAddress(situation.world) || !situation.rows.request) return null;
  const of = { requestId: situation.rows.request.id, limit: addressesPerRequest };
  return askedOf(await listGivenAddresses(db, of), contact.id);
}

/** Message of the page after a press. */
async function afterPress(app: App, token: string): Promise<{ ok: true; message: string }> {
  const opened = await openPortal(app, token);
  return { ok: true, message: wordsOf(opened) ?? '' };
}

function wordsOf(opened: Opened): string | null {
  const outcome = outcomeOf(opened);
  const letters = waitingLettersOf(opened.outlook?.world.release ?? null);
  // A declined letter has no day: it waits for a word.
  const waiting = letters.flatMap(({ dueAtMs, isDeclined }) => (isDeclined ? [] : dueAtMs));
  return outcome && [outcomeWords(outcome), waitingSentence(waiting)].filter(Boolean).join(' ');
}

/** First names of these people, or only of those with `ids`. */
function namesOf(people: readonly { id: string; name: string }[], ids?: readonly string[]): string[] {
  return people.filter(({ id }) => ids?.includes(id) ?? true).map(({ name }) => firstNameOf(name));
}

function dead() {
  return notFound('Invalid or expired access token');
}
