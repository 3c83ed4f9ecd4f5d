import type { App } from '#server/app.ts';
import { lockOwnerRow, type OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { type RequestOrigin, recordAudit } from '#server/features/audit/record.ts';
import { type DeletedRow, keepDeleted, putBack } from '#server/features/deleted-rows/deleted-rows.service.ts';
import { requireFreshSignIn } from '#server/features/sessions/fresh-sign-in.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { notFound } from '#shared/contract/errors.ts';
import { type ContactChange, changeContact, lockContact, type OwnersCall } from './contact-change.ts';
import { deleteContactRow, findContact, listContactsOfOwner, updateContactRow } from './contacts.repository.ts';
import { neverAsked, requireNewAddress, requireRoomForContact } from './contacts.rules.ts';
import { inviteIfOwed, spendInvitation } from './contacts.ts';
import { isRepeat } from './contacts.view.ts';
import { cancelInvitation, countAsNew } from './invitations.ts';
import { endRelationship } from './trustees.repository.ts';
import { followContact } from './trustees.ts';

export type RemovalByLink = {
  userId: string;
  id: string;
  origin: RequestOrigin;
  /** Throws if the contact may not be removed. */
  check(tx: Executor, owner: OwnerRow, at: Date): Promise<void>;
};

/** @throws AppError `REAUTHENTICATION_REQUIRED`, `NOT_FOUND`, or `CHANGED_ELSEWHERE` if another version is stored. */
export async function deleteContact(
  app: App,
  call: OwnersCall & { params: { id: string }; query: { version?: string | undefined } },
): Promise<void> {
  const { id } = call.params;
  const { version } = call.query;
  await requireFreshSignIn(app, call.principal);
  await changeContact(app, { ...call, id, action: 'contact.delete' }, async ({ tx, owner, vault, at }) => {
    const known = await findContact(tx, owner.id, id);
    if (known) isRepeat(known, { version }, vault, at);
    await takeOut(app, { tx, owner, at }, id);
    return { id, result: undefined };
  });
}

/**
 * Removes a contact by a link in a mail to the owner. It is no sign of life, since no owner has signed in.
 * @throws AppError `NOT_FOUND`, and the errors of `check`.
 */
export function removeContactByLink(app: App, { userId, id, origin, check }: RemovalByLink): Promise<void> {
  return app.db.transaction(async (tx) => {
    const known = await findContact(tx, userId, id);
    if (known) await lockContact(tx, known);
    const owner = known && (await lockOwnerRow(tx, userId));
    if (!owner) throw notFound();
    const at = await app.clock.now(tx);
    await check(tx, owner, at);
    await takeOut(app, { tx, owner, at }, id);
    const about = { resource: 'trusted_contact', resourceId: id, origin, at };
    await recordAudit(app, tx, { userId, action: 'contact.delete_by_link', ...about });
  });
}

/**
 * Restores a deleted contact. A contact who had accepted counts as one who has just accepted. One who had not answered yet is
 * invited again, since their links ended with the deletion.
 * @throws AppError `REAUTHENTICATION_REQUIRED`, `NOT_FOUND`, `RATE_LIMITED`, or `CONFLICT` if there is no room, or if another
 *   contact has the address now.
 */
export async function restoreContact(app: App, call: OwnersCall & { id: string }): Promise<void> {
  await requireFreshSignIn(app, call.principal);
  await spendInvitation(app, call);
  await changeContact(app, { ...call, action: 'contact.restore' }, async (context) => {
    await putIn(app, context, call.id);
    return { id: call.id, result: undefined };
  });
}

async function takeOut(app: App, { tx, owner, at }: Omit<ContactChange, 'vault'>, id: string): Promise<void> {
  const { id: userId, plan } = owner;
  if (!(await findContact(tx, userId, id))) throw notFound();
  await cancelInvitation(app, tx, id);
  await endRelationship(tx, id);
  await keepDeleted(tx, { userId, kind: 'contact', id }, { plan, at });
  await deleteContactRow(tx, id);
}

async function putIn(app: App, context: ContactChange, id: string): Promise<void> {
  const { tx, owner, at } = context;
  const others = await listContactsOfOwner(tx, owner.id);
  const requireFit = async ({ row }: DeletedRow) => {
    requireNewAddress(String(row.email), { ownEmail: owner.email, others });
    requireRoomForContact(others.length, owner);
  };
  const kept = await putBack(tx, { userId: owner.id, kind: 'contact', id }, { at, requireFit });
  const known = kept && (await findContact(tx, owner.id, id));
  if (!known) throw notFound();
  const { isConfirmed, declinedAt } = known;
  const standing = isConfirmed ? { ...neverAsked, isConfirmed, confirmedAt: at } : { ...neverAsked, declinedAt };
  const contact = await updateContactRow(tx, id, { ...standing, updatedAt: at });
  if (!isConfirmed) {
    await inviteIfOwed(app, context, contact);
    return;
  }
  await followContact(app, tx, contact, at);
  await countAsNew(app, tx, contact, at);
}
