import { randomUUID, randomUUIDv7 } from 'node:crypto';
import type { z } from 'zod';
import type { App } from '#server/app.ts';
import { textableNumber } from '#server/features/accounts/textable-phone.ts';
import { requireFreshSignIn } from '#server/features/sessions/fresh-sign-in.ts';
import type { Vault } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { contactBody } from '#shared/contract/contacts.ts';
import { type ContactChange, changeContact, findOwnContact, type OwnersCall } from './contact-change.ts';
import { longDate } from './contacts.emails.ts';
import {
  type ContactRow,
  findCreatedAs,
  insertContact,
  listContactsOfOwner,
  standingOf,
  updateContactRow,
} from './contacts.repository.ts';
import {
  invitationBudget,
  movesTrust,
  needsInvitation,
  neverAsked,
  requireInvitable,
  requireNewAddress,
  requireRoomForContact,
  seesFirstWeeksAfter,
  startsOver,
} from './contacts.rules.ts';
import { openCounted, openWord, sealContact } from './contacts.sealing.ts';
import { isRepeat, type OwnersContact, shown } from './contacts.view.ts';
import { cancelInvitation, sendInvitation } from './invitations.ts';
import { followContact } from './trustees.ts';

type Given = z.output<typeof contactBody>;
/** Facts of a contact as the owner gives them. The word for the invitation may be left out. */
export type ContactInput = Omit<Given, 'word'> & { word?: Given['word'] };

/** Returns the owner's contacts, the newest first. */
export async function listContacts(
  { db, vaults, clock }: App,
  { principal: { userId, vaultKey } }: { principal: OwnersCall['principal'] },
): Promise<OwnersContact[]> {
  const rows = await listContactsOfOwner(db, userId);
  const vault = vaults.open(userId, vaultKey);
  const at = await clock.now();
  return rows.map((row) => shown(vault, row, at));
}

/**
 * Names a contact and invites them.
 * @throws AppError `REAUTHENTICATION_REQUIRED`, `EMAIL_VERIFICATION_REQUIRED`, `VALIDATION`, `CONFLICT` or `RATE_LIMITED`.
 */
export async function createContact(app: App, call: OwnersCall & { body: ContactInput }): Promise<OwnersContact> {
  const { changeKey, principal, body } = call;
  await requireFreshSignIn(app, principal);
  textableNumber(body.phone);
  // A repeat sends no invitation, so it spends none.
  if (!(changeKey && (await findCreatedAs(app.db, principal.userId, changeKey)))) await spendInvitation(app, call);
  return changeContact(app, { ...call, action: 'contact.create' }, async (context) => {
    const { tx, owner, vault, at } = context;
    const earlier = changeKey && (await findCreatedAs(tx, owner.id, changeKey));
    if (earlier) return { id: earlier.id, result: shown(vault, earlier, at), isRepeat: true };
    const others = await listContactsOfOwner(tx, owner.id);
    requireNewAddress(body.email, { ownEmail: owner.email, others });
    requireRoomForContact(others.length, owner);

    const id = randomUUIDv7();
    const { email, isActive } = body;
    const seesFirstWeeks = seesFirstWeeksAfter(body, null);
    const names = { version: changeKey ?? randomUUID(), createdAs: changeKey ?? null };
    const times = { createdAt: at, updatedAt: at, ...names };
    const sealed = sealContact(vault, id, body);
    const facts = { id, userId: owner.id, email, isActive, seesFirstWeeks };
    const made = await insertContact(tx, { ...sealed, ...facts, ...times });
    return { id, result: shown(vault, await inviteIfOwed(app, context, made), at) };
  });
}

/** @throws AppError `REAUTHENTICATION_REQUIRED`, `NOT_FOUND`, `CHANGED_ELSEWHERE`, `VALIDATION`, `CONFLICT` or `RATE_LIMITED`. */
export async function updateContact(
  app: App,
  call: OwnersCall & { params: { id: string }; body: ContactInput },
): Promise<OwnersContact> {
  const { principal, params, body, changeKey } = call;
  const { id } = params;
  const before = await findOwnContact(app.db, principal.userId, id);
  // Checked again under the lock. Here, a refused change asks for no proof and spends no invitation.
  const vault = app.vaults.open(principal.userId, principal.vaultKey);
  const named = { version: body.version, changeKey };
  const now = await app.clock.now();
  if (isRepeat(before, named, vault, now)) return shown(vault, before, now);
  await requireProof(app, call, before, app.db);
  if (body.email !== before.email || body.isActive !== before.isActive) await spendInvitation(app, call);
  return changeContact(app, { ...call, id, action: 'contact.update' }, async (context) => {
    const { tx, owner, at } = context;
    const known = await findOwnContact(tx, owner.id, id);
    if (isRepeat(known, named, vault, at)) return { id, result: shown(vault, known, at), isRepeat: true };
    // Another change may have come in between.
    await requireProof(app, call, known, tx);
    const isMoved = body.email !== known.email;
    if (isMoved) {
      const others = (await listContactsOfOwner(tx, owner.id)).filter((other) => other.id !== id);
      requireNewAddress(body.email, { ownEmail: owner.email, others });
    }

    const { email, isActive } = body;
    const seesFirstWeeks = seesFirstWeeksAfter(body, known);
    const isVoid = startsOver(standingOf(known), { isMoved, isActive });
    if (isVoid) await cancelInvitation(app, tx, id);
    const standing = isVoid ? neverAsked : {};
    const sealed = sealContact(vault, id, { ...body, word: wordAfter(body, vault, isMoved ? null : known) });
    const names = { updatedAt: at, version: changeKey ?? randomUUID() };
    const changed = await updateContactRow(tx, id, {
      ...sealed,
      ...standing,
      ...names,
      email,
      isActive,
      seesFirstWeeks,
    });
    await followContact(app, tx, changed, at);
    const result = shown(vault, await inviteIfOwed(app, context, changed), at);
    const isShown = seesFirstWeeks === known.seesFirstWeeks ? {} : { seesFirstWeeks };
    return { id, result, details: { addressChanged: isMoved, isActive, ...isShown } };
  });
}

/** @throws AppError `NOT_FOUND`, `CONFLICT` or `RATE_LIMITED`. */
export async function resendInvitation(app: App, call: OwnersCall & { params: { id: string } }) {
  const { id } = call.params;
  await spendInvitation(app, call);
  return changeContact(app, { ...call, id, action: 'contact.invite' }, async ({ tx, owner, vault, at }) => {
    const contact = await findOwnContact(tx, owner.id, id);
    requireInvitable(standingOf(contact));
    const { confirmationSentAt } = await sendInvitation(app, tx, { owner, contact, vault, at });
    const leavesAt = confirmationSentAt ?? at;
    const when =
      leavesAt > at
        ? `We send only a few invitations at a time, so it goes out on ${longDate(leavesAt)}.`
        : 'The invitation is on its way.';
    return { id, result: { message: `${when} Earlier links no longer work.` } };
  });
}

/** Sends the invitation that the contact needs. Before the owner's own address is verified, it waits. */
export async function inviteIfOwed(
  app: App,
  { tx, owner, vault, at }: ContactChange,
  contact: ContactRow,
): Promise<ContactRow> {
  if (!owner.emailVerified || !needsInvitation(standingOf(contact))) return contact;
  return sendInvitation(app, tx, { owner, contact, vault, at });
}

/**
 * Counts an invitation, so that an owner can't use us to fill other people's mailboxes. Call it before the transaction, which
 * holds a connection and a lock: the counter needs a connection too. @throws AppError `RATE_LIMITED`.
 */
export function spendInvitation({ limits }: App, { principal }: OwnersCall): Promise<void> {
  return limits.spend(`contact-invitations ${principal.userId}`, invitationBudget);
}

/** A session alone must not decide who confirms a release, nor where they are asked. */
async function requireProof(
  app: App,
  { principal, body }: OwnersCall & { body: ContactInput },
  known: ContactRow,
  executor: Executor,
): Promise<void> {
  const { phone } = openCounted(app.vaults.open(principal.userId, principal.vaultKey), known.id, known);
  const { email, isActive, seesFirstWeeks } = known;
  const wanted = { ...body, seesFirstWeeks: seesFirstWeeksAfter(body, known) };
  const isMoved = movesTrust({ email, phone, isActive, seesFirstWeeks }, wanted);
  if (isMoved) await requireFreshSignIn(app, principal, executor);
  if (body.phone !== phone) textableNumber(body.phone);
}

/** The owner's word stays, unless a new one is given. It goes if the address becomes another person's. */
function wordAfter({ word }: ContactInput, vault: Vault, known: ContactRow | null): string | null {
  return word ?? (known && openWord(vault, known));
}
