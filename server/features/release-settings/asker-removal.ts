import { and, eq, isNotNull } from 'drizzle-orm';
import type { App } from '#server/app.ts';
import { findOwner, type OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { confirmedContactsOf } from '#server/features/contacts/confirmed-contacts.ts';
import { removeContactByLink } from '#server/features/contacts/contact-removal.ts';
import { removedByLinkEmail } from '#server/features/contacts/contacts.emails.ts';
import { enqueueNotification } from '#server/features/notifications/enqueue.ts';
import { readWorld } from '#server/features/release-state/release.store.ts';
import type { Call } from '#server/http/bind.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { releaseRequests } from '#server/schema/release.tables.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import type * as contract from '#shared/contract/release/asker-removal.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { firstNameOf } from '#shared/rules/names.ts';

/** Days after the end of the request in which the link removes the contact. */
const removalLinkDays = 30;
/** Confirmed contacts who must be left, besides the quorum: one who decides and one who can say no. */
const contactsLeftMin = 2;

type Removed = { owner: OwnerRow; contact: { id: string; name: string }; at: Date };

/**
 * Returns the contact whose early request the owner ended, by the link in the mail about that end. Changes nothing.
 * @throws AppError `NOT_FOUND` for an expired link.
 */
export async function getAskerRemoval(
  app: App,
  { params }: Pick<Call<typeof contract.getAskerRemoval>, 'params'>,
): Promise<{ firstName: string; contactName: string; askedAt: Date }> {
  const { row, contact } = await openLink(app, params.token);
  const owner = await findOwner(app.db, row.userId);
  if (!owner) throw notFound();
  return { firstName: owner.firstName ?? '', contactName: firstNameOf(contact.name), askedAt: row.openedAt };
}

/**
 * Removes that contact. It is no activity, since another person may hold the owner's mailbox.
 * @throws AppError `NOT_FOUND` for an expired link, `FORBIDDEN` if it needs a sign-in.
 */
export async function removeAsker(
  app: App,
  { params, origin }: Pick<Call<typeof contract.removeAsker>, 'params' | 'origin'>,
): Promise<{ contactName: string }> {
  const { row, contact } = await openLink(app, params.token);
  const check = async (tx: Executor, owner: OwnerRow, at: Date) => {
    await requireHarmless(app, tx, owner, at);
    await notifyOwner(app, tx, { owner, contact, at });
  };
  await removeContactByLink(app, { userId: row.userId, id: contact.id, origin, check });
  return { contactName: firstNameOf(contact.name) };
}

async function openLink(app: App, token: string) {
  const { db, clock, serviceKeys } = app;
  const { userId, askedBy, openedAt, closedAt, removalTokenHash } = releaseRequests;
  const [row] = await db
    .select({ userId, askedBy, openedAt, closedAt })
    .from(releaseRequests)
    .where(and(eq(removalTokenHash, serviceKeys.hashToken(token)), isNotNull(askedBy)));
  const isOld = !row?.closedAt || row.closedAt.getTime() + removalLinkDays * dayMs <= (await clock.now()).getTime();
  if (!row || isOld) throw notFound('This link is not one of ours, or it is too old.');
  const contacts = (await confirmedContactsOf(app, db, [row.userId])).get(row.userId);
  const contact = contacts?.find(({ id }) => id === row.askedBy);
  if (!contact) throw notFound('This person is not one of your trusted contacts.');
  return { row, contact };
}

/** A mailbox alone must not remove a contact who is being asked, nor leave one contact who decides alone. */
async function requireHarmless(app: App, tx: Executor, owner: OwnerRow, at: Date): Promise<void> {
  const { world } = await readWorld(app, tx, owner, at);
  if (world.request || world.release) {
    throw new AppError(
      'FORBIDDEN',
      'A release is open at the moment. To remove a trusted contact now, please sign in.',
    );
  }
  if (world.contacts.length < 2) {
    throw new AppError('FORBIDDEN', 'This is your only trusted contact. To remove them, please sign in.');
  }
  if (world.contacts.length - 1 < Math.max(contactsLeftMin, owner.releaseQuorum)) {
    throw new AppError('FORBIDDEN', 'Too few trusted contacts would be left. To remove this one, please sign in.');
  }
}

async function notifyOwner(app: App, tx: Executor, { owner, contact, at }: Removed): Promise<void> {
  const kind = 'release.asker_removed';
  const words = { ownerFirstName: owner.firstName ?? '', contactName: contact.name, baseUrl: app.baseUrl };
  await enqueueNotification(app, tx, {
    channel: 'email',
    kind,
    userId: owner.id,
    subjectId: null,
    dedupeKey: `${kind}:${contact.id}:${at.toISOString()}`,
    at,
    to: { address: owner.email },
    mail: removedByLinkEmail(words),
  });
}
