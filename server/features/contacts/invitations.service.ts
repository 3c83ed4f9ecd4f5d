import type { Accounts, OwnerRow } from '#server/features/accounts/accounts.service.ts';
import type { Audit, RequestOrigin } from '#server/features/audit/audit.service.ts';
import type { NotificationOutcome, Notifications } from '#server/features/notifications/notifications.service.ts';
import { sentMessagesOf } from '#server/features/notifications/sent-messages.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import { type HashToken, newToken } from '#server/platform/crypto/token.ts';
import type { Vault } from '#server/platform/crypto/vault.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import { notFound } from '#shared/contract/errors.ts';
import {
  acceptedEmail,
  declinedEmail,
  invitationEmail,
  type Mail,
  ownerNameOf,
  unreachableEmail,
} from './contacts.emails.ts';
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
  type InvitationState,
  invitationLeavesAtMs,
  invitationMonthMs,
  invitationMs,
  invitationState,
  isInvitationLive,
  needsInvitation,
} from './contacts.rules.ts';
import { openName, openWord } from './contacts.sealing.ts';
import { createKeptMail, keptKind } from './kept-mail.service.ts';
import type { Trustees } from './trustees.service.ts';

export type Invitation = {
  ownerName: string;
  contactName: string;
  contactEmail: string;
  state: InvitationState;
  answerableUntil: Date | null;
};
export type InvitationAnswer = {
  contactId: string;
  name: string;
  isConfirmed: boolean;
  answerableUntil: Date | null;
};

/** A contact accepted the role, or left it after they had. */
export type Answered = { userId: string; contactId: string; isConfirmed: boolean; at: Date };
export type AnsweredListener = (tx: Executor, answered: Answered) => Promise<void>;

export type Invitations = {
  /** `listener` runs in the transaction of the answer, under the owner's lock. */
  onAnswered(listener: AnsweredListener): void;
  /** Sends a link that replaces every earlier one. Gives the contact as it stands then. */
  send(tx: Executor, invitation: { owner: OwnerRow; contact: ContactRow; vault: Vault; at: Date }): Promise<ContactRow>;
  /** Counts somebody from now on as one who has just accepted, in all that waits for a contact's answer. */
  countAnew(tx: Executor, contact: ContactRow, at: Date): Promise<void>;
  /** Takes back an invitation that is still on its way. */
  cancel(tx: Executor, contactId: string): Promise<void>;
  /** Reads, and changes nothing: mail scanners open links too. @throws AppError `NOT_FOUND` for every dead link alike. */
  read(token: string): Promise<Invitation>;
  /** Pressing twice is fine, and a yes may be taken back. @throws AppError `NOT_FOUND` as `read`. */
  answer(call: { token: string; accept: boolean; origin: RequestOrigin }): Promise<InvitationAnswer>;
};

export type InvitationsDependencies = {
  db: Database;
  clock: Clock;
  hashToken: HashToken;
  accounts: Pick<Accounts, 'lockOwner' | 'ownerOf' | 'openVault' | 'onVerified'>;
  audit: Pick<Audit, 'record'>;
  notifications: Pick<Notifications, 'enqueue' | 'cancelFor' | 'onOutcome'>;
  /** The public address, without a path. */
  baseUrl: string;
  /** Keeps an owner from using us to fill other people's mailboxes, and a contact from filling the owner's. */
  spendBudget(name: string, budget: { limit: number; windowMs: number }): Promise<void>;
};

/** Kinds of mail, as the notifications know them; the contact is their subject. */
const kinds = {
  invitation: 'contacts.invitation',
  accepted: 'contacts.accepted',
  declined: 'contacts.declined',
  unreachable: 'contacts.unreachable',
} as const;
export const invitationKind = kinds.invitation;

const deadLink = 'This invitation is no longer open. Ask the person who named you to send it again.';

type OwnersMail = { kind: string; contact: ContactRow; key: string; at: Date; notBefore?: Date; mail: Mail };
type Settled = { owner: OwnerRow; contact: ContactRow; accept: boolean; origin: RequestOrigin; at: Date };

/** Asks people whether they agree to be a trusted contact, and keeps their answer. */
export function createInvitations(deps: InvitationsDependencies, trustees: Trustees): Invitations {
  const { db, clock, hashToken, accounts, audit, notifications, baseUrl, spendBudget } = deps;
  const listeners: AnsweredListener[] = [];
  const keptMail = createKeptMail({ notifications, baseUrl });

  const send: Invitations['send'] = async (tx, { owner, contact, vault, at }) => {
    const token = newToken();
    const tokenHash = hashToken(token);
    await notifications.cancelFor(tx, contact.id, [kinds.invitation]);
    const since = new Date(at.getTime() - invitationMonthMs);
    const before = await sentMessagesOf(tx, { userId: owner.id, kinds: [kinds.invitation], since });
    const departuresMs = before.map((departure) => departure.at.getTime());
    const leavesAt = new Date(invitationLeavesAtMs(departuresMs, at.getTime()));
    const expiresAt = new Date(leavesAt.getTime() + invitationMs);

    const contactName = openName(vault, contact);
    const url = `${baseUrl}/trusted-contact-accept/${token}`;
    await notifications.enqueue(tx, {
      channel: 'email',
      kind: kinds.invitation,
      userId: owner.id,
      subjectId: contact.id,
      dedupeKey: `${kinds.invitation}:${tokenHash}`,
      at,
      notBefore: leavesAt,
      to: { address: contact.email, name: contactName },
      mail: invitationEmail({ ...said(owner, vault, contact), contactName, url, expiresAt, baseUrl }),
    });
    return updateContactRow(tx, contact.id, {
      confirmationToken: tokenHash,
      confirmationExpires: expiresAt,
      confirmationSentAt: leavesAt,
      declinedAt: null,
    });
  };

  async function findLive(executor: Executor, token: string, at: Date): Promise<ContactRow> {
    const contact = await findContactByToken(executor, hashToken(token));
    if (!contact) throw notFound(deadLink);

    const expiresAtMs = contact.confirmationExpires?.getTime() ?? null;
    if (!isInvitationLive({ isConfirmed: contact.isConfirmed, expiresAtMs }, at.getTime())) throw notFound(deadLink);
    return contact;
  }

  /** Keeps an answer that is new, with all that follows from it. Gives the contact as it stands then. */
  async function settle(
    tx: Executor,
    { owner, contact, accept, origin, at }: Settled,
    contactName: string,
  ): Promise<ContactRow> {
    const isKnown = accept ? contact.isConfirmed : contact.declinedAt !== null;
    if (isKnown) return contact;
    // The link of a yes had no end. Whoever leaves with it can think again for as long as when they were first asked.
    const reopened = contact.isConfirmed ? { confirmationExpires: new Date(at.getTime() + invitationMs) } : {};

    const times = accept
      ? { confirmedAt: at, declinedAt: null }
      : { confirmedAt: null, confirmedHealthyMs: null, declinedAt: at, ...reopened };
    const changed = await updateContactRow(tx, contact.id, { ...times, isConfirmed: accept, updatedAt: at });
    await trustees.follow(tx, changed, at);
    if (accept || contact.isConfirmed) await tellAll(listeners, tx, changed, at);

    const words = { ownerFirstName: ownerNameOf(owner).firstName, contactName, baseUrl };
    const mail = accept ? acceptedEmail(words) : declinedEmail(words, { hasLeft: contact.isConfirmed });
    const kind = accept ? kinds.accepted : kinds.declined;
    const notBefore = await whenTold(deps, tx, { owner, contact, kind, at });
    if (notBefore) await tellOwner(deps, tx, { owner, kind, contact, key: at.toISOString(), at, notBefore, mail });
    const action = accept ? 'contact.accept' : 'contact.decline';
    const entry = { userId: owner.id, action, resource: 'trusted_contact', resourceId: contact.id };
    await audit.record(tx, { ...entry, origin, at });
    return changed;
  }

  /** A contact who cannot be reached would be missed only when it is too late. */
  async function handleOutcome(tx: Executor, { userId, subjectId, dedupeKey, outcome, at }: NotificationOutcome) {
    if (outcome === 'accepted' || !userId || !subjectId) return;
    const owner = await accounts.lockOwner(tx, userId);
    const contact = await findContact(tx, userId, subjectId);
    // An invitation that was replaced since then, or went to an earlier address, is nobody's worry any more.
    const isCurrent = contact?.confirmationToken && dedupeKey === `${kinds.invitation}:${contact.confirmationToken}`;
    if (!owner || !contact || !isCurrent) return;

    const contactName = openName(await accounts.openVault(tx, userId), contact);
    const mail = unreachableEmail({ ownerFirstName: ownerNameOf(owner).firstName, contactName, baseUrl });
    const key = contact.confirmationToken ?? '';
    await tellOwner(deps, tx, { owner, kind: kinds.unreachable, contact, key, at, mail });
  }

  accounts.onVerified(async (tx, userId, at) => {
    const owner = await accounts.ownerOf(tx, userId);
    const waiting = (await listUninvitedContacts(tx, userId)).filter((contact) => needsInvitation(standingOf(contact)));
    if (!owner || waiting.length === 0) return;

    const vault = await accounts.openVault(tx, userId);
    for (const contact of waiting) await send(tx, { owner, contact, vault, at });
  });
  notifications.onOutcome(kinds.invitation, handleOutcome);

  return {
    onAnswered: (listener) => void listeners.push(listener),
    send,
    countAnew: (tx, contact, at) => tellAll(listeners, tx, contact, at),
    cancel: (tx, contactId) => notifications.cancelFor(tx, contactId, [kinds.invitation, keptKind]),

    async read(token) {
      const contact = await findLive(db, token, await clock.now());
      const owner = await accounts.ownerOf(db, contact.userId);
      if (!owner || owner.deletionRequestedAt) throw notFound(deadLink);

      const vault = await accounts.openVault(db, owner.id);
      return {
        ownerName: ownerNameOf(owner).name,
        contactName: openName(vault, contact),
        contactEmail: contact.email,
        state: invitationState(standingOf(contact)),
        answerableUntil: answerableUntil(contact),
      };
    },

    async answer({ token, accept, origin }) {
      // Before the transaction, which holds a connection: the counter needs one too.
      const { id } = await findLive(db, token, await clock.now());
      await spendBudget(`contact-answers ${id}`, answerBudget);
      return db.transaction(async (tx) => {
        const seen = await findLive(tx, token, await clock.now(tx));
        await trustees.lock(tx, seen);
        const owner = await accounts.lockOwner(tx, seen.userId);
        if (!owner || owner.deletionRequestedAt) throw notFound(deadLink);

        // What was seen before the lock may be over: the owner may have removed the contact or sent another link.
        const at = await clock.now(tx);
        const contact = await findLive(tx, token, at);
        const name = openName(await accounts.openVault(tx, owner.id), contact);
        const settled = await settle(tx, { owner, contact, accept, origin, at }, name);
        if (!accept) await notifications.cancelFor(tx, contact.id, [keptKind]);
        else if (!contact.isConfirmed) await keptMail.give(tx, { owner, contact, contactName: name, token, at });
        return { contactId: contact.id, name, isConfirmed: accept, answerableUntil: answerableUntil(settled) };
      });
    },
  };
}

async function tellOwner(
  { notifications }: Pick<InvitationsDependencies, 'notifications'>,
  tx: Executor,
  { owner, contact, key, ...message }: OwnersMail & { owner: OwnerRow },
) {
  await notifications.enqueue(tx, {
    ...message,
    channel: 'email',
    userId: owner.id,
    subjectId: contact.id,
    dedupeKey: `${message.kind}:${contact.id}:${key}`,
    to: { address: owner.email, name: ownerNameOf(owner).name },
  });
}

/** Takes back what is still to be told of an earlier answer. Null where the owner was told this one last. */
async function whenTold(
  { notifications }: Pick<InvitationsDependencies, 'notifications'>,
  tx: Executor,
  { owner, contact, kind, at }: { owner: OwnerRow; contact: ContactRow; kind: string; at: Date },
): Promise<Date | null> {
  const answers = [kinds.accepted, kinds.declined];
  await notifications.cancelFor(tx, contact.id, answers);
  const since = new Date(at.getTime() - answerToldAgainMs);
  const told = (await sentMessagesOf(tx, { userId: owner.id, kinds: answers, since }))
    .filter(({ subjectId }) => subjectId === contact.id)
    .map((answer) => ({ kind: answer.kind, atMs: answer.at.getTime() }));
  const toldAtMs = answerToldAtMs(told, kind, at.getTime());
  return toldAtMs === null ? null : new Date(toldAtMs);
}

type Listeners = readonly AnsweredListener[];

async function tellAll(listeners: Listeners, tx: Executor, { userId, id, isConfirmed }: ContactRow, at: Date) {
  for (const listener of listeners) await listener(tx, { userId, contactId: id, isConfirmed, at });
}

/** Whose word it is, and what they say themselves. */
function said(owner: OwnerRow, vault: Vault, contact: ContactRow) {
  return { owner: ownerNameOf(owner), word: openWord(vault, contact) };
}

/** The link of somebody who said yes has no end. */
function answerableUntil({ isConfirmed, confirmationExpires }: ContactRow): Date | null {
  return isConfirmed ? null : confirmationExpires;
}
