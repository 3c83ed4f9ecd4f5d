import { and, eq, isNotNull } from 'drizzle-orm';
import type { OwnerRow } from '#server/features/accounts/accounts.service.ts';
import type { RequestOrigin } from '#server/features/audit/audit.service.ts';
import { removedByLinkEmail } from '#server/features/contacts/contacts.emails.ts';
import type { Releases } from '#server/features/release/release.service.ts';
import type { ReleaseDependencies } from '#server/features/release-state/release-dependencies.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { releaseRequests } from '#server/schema/release.tables.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import type { getAskerRemoval } from '#shared/contract/release/asker-removal.ts';
import type { RouteAnswer } from '#shared/contract/route.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { firstNameOf } from '#shared/rules/names.ts';

/** Days after a Stop in which its link removes the contact. */
const removalLinkDays = 30;
/** Confirmed contacts who must be left, besides the quorum: one who decides and one who can say no. */
const contactsLeftMin = 2;

type Removed = { owner: OwnerRow; contact: { id: string; name: string }; at: Date };

export type AskerRemovals = {
  /** The contact whose early request the owner stopped. Changes nothing. @throws AppError NOT_FOUND for a dead link. */
  askerRemoval(token: string): Promise<RouteAnswer<typeof getAskerRemoval>>;
  /**
   * Removes that contact. It is no activity: a person who holds the mailbox of the owner may press it.
   *
   * @throws AppError NOT_FOUND for a dead link, FORBIDDEN if it takes a sign-in.
   */
  removeAsker(token: string, origin: RequestOrigin): Promise<{ contactName: string }>;
};

/** The link in the mail about a Stop, by which the owner removes the contact who had asked. */
export function createAskerRemovals(deps: ReleaseDependencies, { look }: Pick<Releases, 'look'>): AskerRemovals {
  const { db, clock, hashToken, contacts, accounts, notifications, baseUrl } = deps;

  async function open(token: string) {
    const { userId, askedBy, openedAt, stoppedAt, removalTokenHash } = releaseRequests;
    const [row] = await db
      .select({ userId, askedBy, openedAt, stoppedAt })
      .from(releaseRequests)
      .where(and(eq(removalTokenHash, hashToken(token)), isNotNull(askedBy)));
    const isOld = !row?.stoppedAt || row.stoppedAt.getTime() + removalLinkDays * dayMs <= (await clock.now()).getTime();
    if (!row || isOld) throw notFound('This link is not one of ours, or it is too old.');
    const contact = (await contacts.confirmedContacts(db, row.userId)).find(({ id }) => id === row.askedBy);
    if (!contact) throw notFound('This person is not one of your trusted contacts.');
    return { row, contact };
  }

  /** A mailbox alone must not take away a contact who is being asked, nor leave one contact who decides alone. */
  async function requireHarmless(tx: Executor, owner: OwnerRow, at: Date): Promise<void> {
    const { world } = await look(tx, owner, at);
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

  async function tellOwner(tx: Executor, { owner, contact, at }: Removed): Promise<void> {
    const kind = 'release.asker_removed';
    await notifications.enqueue(tx, {
      channel: 'email',
      kind,
      userId: owner.id,
      subjectId: null,
      dedupeKey: `${kind}:${contact.id}:${at.toISOString()}`,
      policy: 'owner-reminder',
      at,
      to: { address: owner.email },
      mail: removedByLinkEmail({ ownerFirstName: owner.firstName ?? '', contactName: contact.name, baseUrl }),
    });
  }

  return {
    async askerRemoval(token) {
      const { row, contact } = await open(token);
      const owner = await accounts.ownerOf(db, row.userId);
      if (!owner) throw notFound();
      return { firstName: owner.firstName ?? '', contactName: firstNameOf(contact.name), askedAt: row.openedAt };
    },

    async removeAsker(token, origin) {
      const { row, contact } = await open(token);
      const check = async (tx: Executor, owner: OwnerRow, at: Date) => {
        await requireHarmless(tx, owner, at);
        await tellOwner(tx, { owner, contact, at });
      };
      await contacts.removeByLink({ userId: row.userId, id: contact.id, origin, check });
      return { contactName: firstNameOf(contact.name) };
    },
  };
}
