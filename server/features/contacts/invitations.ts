import { type App, perApp } from '#server/app.ts';
import { findOwner, lockOwnerRow, type OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { openVault } from '#server/features/accounts/accounts.ts';
import { type RequestOrigin, recordAudit } from '#server/features/audit/record.ts';
import { cancelNotificationsFor } from '#server/features/notifications/cancel.ts';
import { enqueueNotification } from '#server/features/notifications/enqueue.ts';
import type { NotificationOutcome } from '#server/features/notifications/mail-reactions.ts';
import { sentMessagesOf } from '#server/features/notifications/sent-messages.ts';
import type { Call } from '#server/http/bind.ts';
import { kindsEndedBy, type MailKind } from '#server/mails.ts';
import { newToken } from '#server/platform/crypto/token.ts';
import type { Vault } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type * as contract from '#shared/contract/contacts.ts';
import { notFound } from '#shared/contract/errors.ts';
import { lockContact } from './contact-change.ts';
import { acceptedEmail, declinedEmail, invitationEmail, ownerNameOf, unreachableEmail } from './contacts.emails.ts';
import {
  type ContactRow,
  findContact,
  findContactByToken,
  listUninvitedContacts,
  standingOf,
  updateContactRow,
} from './contacts.repository.ts';
import {
  answerBudget,
  answerToldAgainMs,
  answerToldAtMs,
  invitationLeavesAtMs,
  invitationMonthMs,
  invitationMs,
  invitationState,
  isInvitationLive,
  needsInvitation,
} from './contacts.rules.ts';
import { openName, openWord } from './contacts.sealing.ts';
import { enqueueKeptMail, enqueueToOwner } from './invitation-mails.ts';
import { followContact } from './trustees.ts';

/** A contact who accepted the role, or left it after an acceptance. */
type Answered = { userId: string; contactId: string; isConfirmed: boolean; at: Date };
export type AnsweredListener = (tx: Executor, answered: Answered) => Promise<void>;

const deadLink = 'This invitation is no longer open. Ask the person who named you to send it again.';

/** Functions of other features that run in the transaction of an answer, under the owner's lock. */
export const answeredListenersOf = perApp((): AnsweredListener[] => []);

/** Reads an invitation and changes nothing, since mail scanners open links too. @throws AppError `NOT_FOUND` for every expired link. */
export async function getInvitation(app: App, { params }: Pick<Call<typeof contract.getInvitation>, 'params'>) {
  const { db, clock } = app;
  const contact = await findLive(app, db, { token: params.token, at: await clock.now() });
  const owner = await findOwner(db, contact.userId);
  if (!owner || owner.deletionRequestedAt) throw notFound(deadLink);
  const vault = await openVault(app, db, owner.id);
  return {
    ownerName: ownerNameOf(owner).name,
    contactName: openName(vault, contact),
    contactEmail: contact.email,
    state: invitationState(standingOf(contact)),
    answerableUntil: answerableUntil(contact),
  };
}

/** Stores the answer to an invitation. A repeat is fine, and a yes can be withdrawn. @throws AppError `NOT_FOUND`, `RATE_LIMITED`. */
export async function answerInvitation(
  app: App,
  { params, body, origin }: Pick<Call<typeof contract.answerInvitation>, 'params' | 'body' | 'origin'>,
) {
  const { db, clock } = app;
  const { token } = params;
  const { accept } = body;
  // Before the transaction, which holds a connection: the counter needs one too.
  const { id } = await findLive(app, db, { token, at: await clock.now() });
  await app.limits.spend(`contact-answers ${id}`, answerBudget);
  return db.transaction(async (tx) => {
    const seen = await findLive(app, tx, { token, at: await clock.now(tx) });
    await lockContact(tx, seen);
    const owner = await lockOwnerRow(tx, seen.userId);
    if (!owner || owner.deletionRequestedAt) throw notFound(deadLink);

    // Read again under the lock: the owner may have removed the contact or sent another link.
    const at = await clock.now(tx);
    const contact = await findLive(app, tx, { token, at });
    const contactName = openName(await openVault(app, tx, owner.id), contact);
    const settled = await settle(app, tx, { owner, contact, contactName, accept, origin, at });
    if (!accept) await cancelNotificationsFor(app, tx, contact.id, 'contact declined');
    else if (!contact.isConfirmed) await enqueueKeptMail(app, tx, { owner, contact, contactName, token, at });
    return { contactId: contact.id, name: contactName, isConfirmed: accept, answerableUntil: answerableUntil(settled) };
  });
}

/** Sends a link that replaces every earlier one. Returns the contact after that. */
export async function sendInvitation(
  app: App,
  tx: Executor,
  { owner, contact, vault, at }: { owner: OwnerRow; contact: ContactRow; vault: Vault; at: Date },
): Promise<ContactRow> {
  const { baseUrl, serviceKeys } = app;
  const token = newToken();
  const tokenHash = serviceKeys.hashToken(token);
  const kind = 'contacts.invitation';
  await cancelNotificationsFor(app, tx, contact.id, 'invited again');
  const since = new Date(at.getTime() - invitationMonthMs);
  const before = await sentMessagesOf(tx, { userId: owner.id, kinds: [kind], since });
  const departuresMs = before.map((departure) => departure.at.getTime());
  const leavesAt = new Date(invitationLeavesAtMs(departuresMs, at.getTime()));
  const expiresAt = new Date(leavesAt.getTime() + invitationMs);

  const contactName = openName(vault, contact);
  const url = `${baseUrl}/trusted-contact-accept/${token}`;
  const said = { owner: ownerNameOf(owner), word: openWord(vault, contact) };
  await enqueueNotification(app, tx, {
    channel: 'email',
    kind,
    userId: owner.id,
    subjectId: contact.id,
    dedupeKey: `${kind}:${tokenHash}`,
    at,
    notBefore: leavesAt,
    to: { address: contact.email, name: contactName },
    mail: invitationEmail({ ...said, contactName, url, expiresAt, baseUrl }),
  });
  return updateContactRow(tx, contact.id, {
    confirmationToken: tokenHash,
    confirmationExpires: expiresAt,
    confirmationSentAt: leavesAt,
    declinedAt: null,
  });
}

/** Cancels an invitation that has not left yet. */
export async function cancelInvitation(app: App, tx: Executor, contactId: string): Promise<void> {
  await cancelNotificationsFor(app, tx, contactId, 'contact removed');
}

/** Counts a contact as one who has just accepted, wherever a process waits for the contact's answer. */
export async function countAsNew(
  app: App,
  tx: Executor,
  { userId, id, isConfirmed }: ContactRow,
  at: Date,
): Promise<void> {
  for (const listener of answeredListenersOf(app)) await listener(tx, { userId, contactId: id, isConfirmed, at });
}

/** Sends the invitations that waited for the owner's address. Runs in the transaction of the verification. */
export async function sendWaitingInvitations(app: App, tx: Executor, userId: string, at: Date): Promise<void> {
  const owner = await findOwner(tx, userId);
  const waiting = (await listUninvitedContacts(tx, userId)).filter((contact) => needsInvitation(standingOf(contact)));
  if (!owner || waiting.length === 0) return;
  const vault = await openVault(app, tx, userId);
  for (const contact of waiting) await sendInvitation(app, tx, { owner, contact, vault, at });
}

/** Emails the owner if an invitation did not arrive, since a missing contact would be noticed only when it is too late. */
export async function noteInvitationOutcome(
  app: App,
  tx: Executor,
  { userId, subjectId, dedupeKey, outcome, at }: NotificationOutcome,
): Promise<void> {
  if (outcome === 'accepted' || !userId || !subjectId) return;
  const owner = await lockOwnerRow(tx, userId);
  const contact = await findContact(tx, userId, subjectId);
  // An invitation that was replaced, or went to an earlier address, does not matter any more.
  const isCurrent = contact?.confirmationToken && dedupeKey === `contacts.invitation:${contact.confirmationToken}`;
  if (!owner || !contact || !isCurrent) return;

  const contactName = openName(await openVault(app, tx, userId), contact);
  const mail = unreachableEmail({ ownerFirstName: ownerNameOf(owner).firstName, contactName, baseUrl: app.baseUrl });
  const key = contact.confirmationToken ?? '';
  await enqueueToOwner(app, tx, { owner, kind: 'contacts.unreachable', contact, key, at, mail });
}

type Answer = {
  owner: OwnerRow;
  contact: ContactRow;
  contactName: string;
  accept: boolean;
  origin: RequestOrigin;
  at: Date;
};

/** Stores a new answer and everything that follows from it. Returns the contact after that. */
async function settle(app: App, tx: Executor, answer: Answer): Promise<ContactRow> {
  const { owner, contact, contactName, accept, origin, at } = answer;
  const isKnown = accept ? contact.isConfirmed : contact.declinedAt !== null;
  if (isKnown) return contact;
  // The link of a yes has no end. A contact who leaves by it can decide again for as long as after an invitation.
  const reopened = contact.isConfirmed ? { confirmationExpires: new Date(at.getTime() + invitationMs) } : {};

  const times = accept
    ? { confirmedAt: at, declinedAt: null }
    : { confirmedAt: null, confirmedHealthyMs: null, declinedAt: at, ...reopened };
  const changed = await updateContactRow(tx, contact.id, { ...times, isConfirmed: accept, updatedAt: at });
  await followContact(app, tx, changed, at);
  if (accept || contact.isConfirmed) await countAsNew(app, tx, changed, at);

  const words = { ownerFirstName: ownerNameOf(owner).firstName, contactName, baseUrl: app.baseUrl };
  const mail = accept ? acceptedEmail(words) : declinedEmail(words, { hasLeft: contact.isConfirmed });
  const kind = accept ? 'contacts.accepted' : 'contacts.declined';
  const notBefore = await whenTold(app, tx, { owner, contact, kind, at });
  if (notBefore) await enqueueToOwner(app, tx, { owner, kind, contact, key: at.toISOString(), at, notBefore, mail });
  const action = accept ? 'contact.accept' : 'contact.decline';
  const entry = { userId: owner.id, action, resource: 'trusted_contact', resourceId: contact.id };
  await recordAudit(app, tx, { ...entry, origin, at });
  return changed;
}

async function findLive(
  { serviceKeys }: App,
  executor: Executor,
  { token, at }: { token: string; at: Date },
): Promise<ContactRow> {
  const contact = await findContactByToken(executor, serviceKeys.hashToken(token));
  if (!contact) throw notFound(deadLink);
  const expiresAtMs = contact.confirmationExpires?.getTime() ?? null;
  if (!isInvitationLive({ isConfirmed: contact.isConfirmed, expiresAtMs }, at.getTime())) throw notFound(deadLink);
  return contact;
}

/** Cancels mails about earlier answers that have not left. Returns the time of the new mail. Null if the last mail said the same. */
async function whenTold(
  app: App,
  tx: Executor,
  { owner, contact, kind, at }: { owner: OwnerRow; contact: ContactRow; kind: MailKind; at: Date },
): Promise<Date | null> {
  await cancelNotificationsFor(app, tx, contact.id, 'answered again');
  const since = new Date(at.getTime() - answerToldAgainMs);
  const told = (await sentMessagesOf(tx, { userId: owner.id, kinds: kindsEndedBy('answered again'), since }))
    .filter(({ subjectId }) => subjectId === contact.id)
    .map((answer) => ({ kind: answer.kind, atMs: answer.at.getTime() }));
  const toldAtMs = answerToldAtMs(told, kind, at.getTime());
  return toldAtMs === null ? null : new Date(toldAtMs);
}

/** The link of a contact who said yes has no end. */
function answerableUntil({ isConfirmed, confirmationExpires }: ContactRow): Date | null {
  return isConfirmed ? null : confirmationExpires;
}
