import { randomUUIDv7 } from 'node:crypto';
import type { z } from 'zod';
import type { Accounts, Principal } from '#server/features/accounts/accounts.service.ts';
import { textableNumber } from '#server/features/accounts/textable-phone.ts';
import type { RequestOrigin } from '#server/features/audit/audit.service.ts';
import type { FreshSignIns } from '#server/features/sessions/fresh-sign-in.ts';
import type { Vault, Vaults } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { contactBody, contactSchema } from '#shared/contract/contacts.ts';
import { notFound } from '#shared/contract/errors.ts';
import { type ContactImports, createContactImports } from './contacts.import.service.ts';
import {
  type ContactChange,
  type ContactRemovals,
  createContactRemovals,
  findContactOrDeleted,
} from './contacts.removal.service.ts';
import {
  type ContactRow,
  findContact,
  insertContact,
  listConfirmedContacts,
  listContactsOfOwner,
  lowerConfirmedHealthyTime,
  standingOf,
  updateContactRow,
  writeConfirmedHealthyTime,
} from './contacts.repository.ts';
import {
  invitationBudget,
  movesTrust,
  needsInvitation,
  neverAsked,
  requireInvitable,
  requireNewAddress,
  requireRoomForContact,
  startsOver,
} from './contacts.rules.ts';
import { openCounted, openWord, sealContact } from './contacts.sealing.ts';
import { createInvitationMistakes, type InvitationMistakes } from './invitation-mistakes.service.ts';
import { createInvitations, type Invitations, type InvitationsDependencies } from './invitations.service.ts';
import { createTrustees, type Trustees, type TrusteesDependencies } from './trustees.service.ts';

export type { TrusteeRole } from './trustees.service.ts';

type Given = z.output<typeof contactBody>;
/** What an owner says of a contact; the word for the invitation may be left out. */
export type ContactInput = Omit<Given, 'word'> & Partial<Pick<Given, 'word'>>;
/** A contact as the owner sees it. */
export type OwnersContact = z.output<typeof contactSchema>;

/** Somebody who is active and has said yes. */
export type ConfirmedContact = {
  id: string;
  name: string;
  email: string;
  phone: string | null;
  confirmedAt: Date;
  /** The service's healthy time when they accepted; null where nobody wrote it down. */
  confirmedHealthyMs: number | null;
};

type OwnersCall = { principal: Principal; origin: RequestOrigin };
type OwnersContactCall = OwnersCall & { id: string };

export type Contacts = ContactImports &
  ContactRemovals &
  InvitationMistakes & {
    /** Newest first. */
    list(principal: Principal): Promise<OwnersContact[]>;
    /** @throws AppError `REAUTHENTICATION_REQUIRED`, `EMAIL_VERIFICATION_REQUIRED`, `VALIDATION`, `CONFLICT` or `RATE_LIMITED`. */
    create(call: OwnersCall, input: ContactInput): Promise<OwnersContact>;
    /** @throws AppError `REAUTHENTICATION_REQUIRED`, `NOT_FOUND`, `VALIDATION`, `CONFLICT` or `RATE_LIMITED`. */
    update(call: OwnersContactCall, input: ContactInput): Promise<OwnersContact>;
    /** Gives when it leaves. @throws AppError `NOT_FOUND`, `CONFLICT` or `RATE_LIMITED`. */
    resendInvitation(call: OwnersContactCall): Promise<{ leavesAt: Date; isWaiting: boolean }>;
    readInvitation: Invitations['read'];
    answerInvitation: Invitations['answer'];
    onAnswered: Invitations['onAnswered'];

    /** Keeps how much healthy time the service had had when a contact accepted. */
    keepHealthyTime(tx: Executor, contactId: string, healthyMs: number): Promise<void>;
    /** Nobody has accepted later than at this much healthy time: what lay above it was counted in vain. */
    takeBackHealthyTime(tx: Executor, healthyMs: number): Promise<void>;
    /** Those who count in a release, oldest first. */
    confirmedContacts(executor: Executor, userId: string): Promise<ConfirmedContact[]>;
    /** The same of several owners, by their ids; an owner without any is left out. */
    confirmedContactsOf(executor: Executor, userIds: readonly string[]): Promise<Map<string, ConfirmedContact[]>>;
    /** Null where this owner has no such contact. */
    contactById(executor: Executor, userId: string, contactId: string): Promise<OwnersContact | null>;
    trusteeships: Trustees['trusteeships'];
    trusteeRole: Trustees['trusteeRole'];
    lockTrustees: Trustees['lockAll'];
    dismissTrustees: Trustees['dismissAll'];
  };

export type ContactsDependencies = Omit<InvitationsDependencies, 'accounts'> & {
  vaults: Pick<Vaults, 'open'>;
  accounts: Pick<Accounts, 'lockOwner' | 'openVaults' | 'recordActivity'> & TrusteesDependencies['accounts'];
  freshSignIns: Pick<FreshSignIns, 'requireFreshSignIn'>;
};

/** The trusted contacts of an owner. Every change is a sign of life, recorded in its own transaction. */
export function createContacts(dependencies: ContactsDependencies): Contacts {
  const { db, clock, vaults, accounts, freshSignIns, audit, spendBudget } = dependencies;
  const trustees = createTrustees(dependencies);
  const invitations = createInvitations(dependencies, trustees);

  /** Runs a change of one contact, `id`, or of a new one, under the owner's lock. */
  function change<Result>(
    { principal, origin, id, action }: OwnersCall & { id?: string; action: string },
    act: (change: ContactChange) => Promise<{ id: string; result: Result; details?: Record<string, unknown> }>,
  ): Promise<Result> {
    const { userId, vaultKey } = principal;
    return db.transaction(async (tx) => {
      const known = id === undefined ? null : await findContactOrDeleted(tx, userId, id);
      if (known) await trustees.lock(tx, known);
      const owner = await accounts.lockOwner(tx, userId);
      if (!owner) throw notFound();

      const at = await clock.now(tx);
      // First, so that a release is ended while the contact and their link to the portal are still there to be told.
      await accounts.recordActivity(tx, { userId, type: 'change', at, origin });
      const done = await act({ tx, owner, vault: vaults.open(userId, vaultKey), at });
      const { id: resourceId, details, result } = done;
      await audit.record(tx, { userId, action, resource: 'trusted_contact', resourceId, details, origin, at });
      return result;
    });
  }

  async function findOwn(executor: Executor, userId: string, id: string): Promise<ContactRow> {
    const contact = await findContact(executor, userId, id);
    if (!contact) throw notFound();
    return contact;
  }

  /** Sends the invitation that is owed; until the owner's own address is verified, it waits. */
  async function inviteIfOwed({ tx, owner, vault, at }: ContactChange, contact: ContactRow): Promise<ContactRow> {
    if (!owner.emailVerified || !needsInvitation(standingOf(contact))) return contact;
    return invitations.send(tx, { owner, contact, vault, at });
  }

  /** A session alone must not decide who confirms a release, nor where they are asked. */
  async function requireProof({ principal }: OwnersCall, known: ContactRow, wanted: ContactInput, executor: Executor) {
    const { phone } = openCounted(vaults.open(principal.userId, principal.vaultKey), known.id, known);
    const isMoved = movesTrust({ email: known.email, phone, isActive: known.isActive }, wanted);
    if (isMoved) await freshSignIns.requireFreshSignIn(principal, executor);
    if (wanted.phone !== phone) textableNumber(wanted.phone);
  }

  /** Counted before the transaction: it holds a connection and a lock, and the counter needs a connection too. */
  const spendInvitation = ({ principal }: OwnersCall) =>
    spendBudget(`contact-invitations ${principal.userId}`, invitationBudget);

  return {
    ...createContactImports(),
    ...createContactRemovals({ ...dependencies, trustees, invitations, change, spendInvitation, inviteIfOwed }),

    async list({ userId, vaultKey }) {
      const rows = await listContactsOfOwner(db, userId);
      const vault = vaults.open(userId, vaultKey);
      const at = await clock.now();
      return rows.map((row) => shown(vault, row, at));
    },

    async create(call, input) {
      await freshSignIns.requireFreshSignIn(call.principal);
      textableNumber(input.phone);
      await spendInvitation(call);
      return change({ ...call, action: 'contact.create' }, async (context) => {
        const { tx, owner, vault, at } = context;
        const others = await listContactsOfOwner(tx, owner.id);
        requireNewAddress(input.email, { ownEmail: owner.email, others });
        requireRoomForContact(others.length, owner);

        const id = randomUUIDv7();
        const { email, isActive } = input;
        const times = { createdAt: at, updatedAt: at };
        const sealed = sealContact(vault, id, input);
        const made = await insertContact(tx, { ...sealed, id, userId: owner.id, email, isActive, ...times });
        return { id, result: shown(vault, await inviteIfOwed(context, made), at) };
      });
    },

    async update(call, input) {
      const before = await findOwn(db, call.principal.userId, call.id);
      await requireProof(call, before, input, db);
      if (input.email !== before.email || input.isActive !== before.isActive) await spendInvitation(call);
      return change({ ...call, action: 'contact.update' }, async (context) => {
        const { tx, owner, vault, at } = context;
        const { id } = call;
        const known = await findOwn(tx, owner.id, id);
        // It may have been changed since it was looked at.
        await requireProof(call, known, input, tx);
        const isMoved = input.email !== known.email;
        if (isMoved) {
          const others = (await listContactsOfOwner(tx, owner.id)).filter((other) => other.id !== id);
          requireNewAddress(input.email, { ownEmail: owner.email, others });
        }

        const { email, isActive } = input;
        const isVoid = startsOver(standingOf(known), { isMoved, isActive });
        if (isVoid) await invitations.cancel(tx, id);
        const standing = isVoid ? neverAsked : {};
        const sealed = sealContact(vault, id, { ...input, word: wordAfter(input, vault, isMoved ? null : known) });
        const changed = await updateContactRow(tx, id, { ...sealed, ...standing, email, isActive, updatedAt: at });
        await trustees.follow(tx, changed, at);
        const result = shown(vault, await inviteIfOwed(context, changed), at);
        return { id, result, details: { addressChanged: isMoved, isActive } };
      });
    },

    async resendInvitation(call) {
      await spendInvitation(call);
      return change({ ...call, action: 'contact.invite' }, async ({ tx, owner, vault, at }) => {
        const contact = await findOwn(tx, owner.id, call.id);
        requireInvitable(standingOf(contact));
        const { confirmationSentAt } = await invitations.send(tx, { owner, contact, vault, at });
        const leavesAt = confirmationSentAt ?? at;
        return { id: contact.id, result: { leavesAt, isWaiting: leavesAt > at } };
      });
    },

    readInvitation: invitations.read,
    answerInvitation: invitations.answer,
    onAnswered: invitations.onAnswered,

    keepHealthyTime: writeConfirmedHealthyTime,
    takeBackHealthyTime: lowerConfirmedHealthyTime,

    async confirmedContacts(executor, userId) {
      return (await confirmedOf(accounts, executor, [userId])).get(userId) ?? [];
    },
    confirmedContactsOf: (executor, userIds) => confirmedOf(accounts, executor, userIds),

    trusteeships: trustees.trusteeships,
    trusteeRole: trustees.trusteeRole,
    ...createInvitationMistakes(dependencies),
    lockTrustees: trustees.lockAll,
    dismissTrustees: trustees.dismissAll,

    async contactById(executor, userId, contactId) {
      const row = await findContact(executor, userId, contactId);
      return row && shown(await accounts.openVault(executor, userId), row, await clock.now(executor));
    },
  };
}

/** The confirmed contacts of several owners, by their ids. */
async function confirmedOf(accounts: Pick<Accounts, 'openVaults'>, executor: Executor, userIds: readonly string[]) {
  const rows = Map.groupBy(await listConfirmedContacts(executor, userIds), ({ userId }) => userId);
  const vaults = rows.size > 0 ? await accounts.openVaults(executor, [...rows.keys()]) : new Map<string, Vault>();
  return new Map(
    [...rows].map(([userId, owned]) => {
      const vault = vaults.get(userId);
      if (!vault) throw notFound();
      return [userId, owned.map((row) => confirmedContact(vault, row))];
    }),
  );
}

/** The word that was there stays, unless there is another; it goes with the person it was written to. */
function wordAfter({ word }: ContactInput, vault: Vault, known: ContactRow | null): string | null {
  return word ?? (known && openWord(vault, known));
}

function shown(vault: Vault, row: ContactRow, now: Date): OwnersContact {
  const { id, email, isActive, isConfirmed, declinedAt, confirmationSentAt: at, confirmedAt, ...times } = row;
  const { createdAt, updatedAt } = times;
  const isWaiting = at !== null && at > now;
  const invitation = { confirmationSentAt: isWaiting ? null : at, invitationLeavesAt: isWaiting ? at : null };
  const asked = { isActive, isConfirmed, hasDeclined: declinedAt !== null, ...invitation, confirmedAt };
  return { id, ...openCounted(vault, id, row), email, ...asked, createdAt, updatedAt };
}

function confirmedContact(vault: Vault, row: ContactRow): ConfirmedContact {
  const { name, phone } = openCounted(vault, row.id, row);
  // Both are written at once; where somebody set only the one by hand, the time of that change stands in.
  const { id, email, confirmedHealthyMs } = row;
  return { id, name, email, phone, confirmedAt: row.confirmedAt ?? row.updatedAt, confirmedHealthyMs };
}
