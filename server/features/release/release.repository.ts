import { and, asc, desc, eq, getTableColumns, gt, inArray, isNull, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { prepared, preparedSql } from '#server/platform/db/prepared.ts';
import { recordSet } from '#server/platform/db/record-set.ts';
import { trustedContacts } from '#server/schema/contacts.tables.ts';
import { heldBackLetters, messageDeliveries } from '#server/schema/delivery.tables.ts';
import { messages } from '#server/schema/messages.tables.ts';
import { notifications } from '#server/schema/notifications.tables.ts';
import { releaseCycles, releaseInvitations } from '#server/schema/release.tables.ts';
import { isMailboxHeld } from './brake.repository.ts';

export type CycleRow = typeof releaseCycles.$inferSelect;
export type NewCycleRow = typeof releaseCycles.$inferInsert;
export type InvitationRow = typeof releaseInvitations.$inferSelect;
export type NewInvitationRow = typeof releaseInvitations.$inferInsert;
/** An answer, and whether its mailbox is held for the operator. */
export type ReadInvitation = InvitationRow & { isHeld: boolean };

const openCycles = prepared((executor) =>
  executor
    .select()
    .from(releaseCycles)
    .where(
      sql`${releaseCycles.userId} = any(${sql.placeholder('userIds')}::uuid[]) and ${releaseCycles.closedAt} is null`,
    )
    .prepare('release_open_cycles'),
);

/** The open cycles of these owners; each has one at most. */
export async function findOpenCycles(executor: Executor, userIds: readonly string[]): Promise<CycleRow[]> {
  return openCycles(executor).execute({ userIds });
}

export async function findOpenCycle(executor: Executor, userId: string): Promise<CycleRow | null> {
  const [row] = await findOpenCycles(executor, [userId]);
  return row ?? null;
}

/**
 * Releases under way that hold letters back which have not gone out since, by their ids. A letter that became ready
 * later is none of them, by whose hand ever.
 */
export function listCyclesHoldingBack(
  executor: Executor,
  { after, limit }: { after: string | null; limit: number },
): Promise<Pick<CycleRow, 'id' | 'userId'>[]> {
  const { id, userId, state, closedAt } = releaseCycles;
  const isUnderWay = and(isNull(closedAt), inArray(state, ['releasing', 'released']));
  const holdsBack = sql`exists (
    select 1 from ${heldBackLetters} where ${heldBackLetters.cycleId} = ${id} and not exists (
      select 1 from ${messageDeliveries} where ${messageDeliveries.cycleId} = ${id}
        and ${messageDeliveries.messageId} = ${heldBackLetters.messageId}
    )
  )`;
  return executor
    .select({ id, userId })
    .from(releaseCycles)
    .where(and(isUnderWay, holdsBack, after === null ? undefined : gt(id, after)))
    .orderBy(asc(id))
    .limit(limit);
}

/** The open cycle, or else the last one. */
export async function findLatestCycle(executor: Executor, userId: string): Promise<CycleRow | null> {
  const [row] = await executor
    .select()
    .from(releaseCycles)
    .where(eq(releaseCycles.userId, userId))
    .orderBy(desc(releaseCycles.openedAt), desc(releaseCycles.epoch))
    .limit(1);
  return row ?? null;
}

export async function findCycle(executor: Executor, cycleId: string): Promise<CycleRow | null> {
  const [row] = await executor.select().from(releaseCycles).where(eq(releaseCycles.id, cycleId));
  return row ?? null;
}

/** A cycle as it is to stand, and the version that its writer has read; `null` for one that begins. */
export type WrittenCycle = { row: CycleRow; readVersion: number | null };

/** A cycle in which nothing has happened yet but that it was opened. */
export function newCycleRow(opened: Pick<CycleRow, 'id' | 'userId' | 'epoch' | 'openedAt'>) {
  const never = {
    closedAt: null,
    countedOnDay: null,
    bySilence: false,
    isExpected: false,
    earlyAt: null,
    firstDispatchAt: null,
    releasedAt: null,
    haltedAt: null,
  };
  const unrestored = { restoredAt: null, restoredHealthyMs: null };
  return { ...opened, ...never, ...unrestored, version: 0 };
}

/** Every column: a fact that is decided on and not written would be forgotten without a word. */
const written = recordSet(releaseCycles, Object.keys(getTableColumns(releaseCycles)) as (keyof CycleRow)[]);

const cyclesWritten = preparedSql(
  'release_cycles_written',
  sql`
    insert into release_cycles (${written.names}) select ${written.names} from ${written.source}
    on conflict (id) do update set ${written.overwritten}
    where release_cycles.version = excluded.version - 1 and release_cycles.closed_at is null
    returning 1`,
);

/**
 * Writes steps. The version that was read must still be there: whoever read an older one has lost, whatever locks
 * were taken or forgotten.
 */
export async function writeCycles(tx: Executor, cycles: readonly WrittenCycle[]): Promise<void> {
  if (cycles.length === 0) return;
  const rows = await cyclesWritten(tx, { rows: written.encode(cycles.map(({ row }) => row)) });
  if (rows.length !== cycles.length) throw new Error('Another writer has moved a release on.');
}

const invitationsOfCycles = prepared((executor) =>
  executor
    .select({ ...getTableColumns(releaseInvitations), isHeld: isMailboxHeld(sql`release_invitations.contact_id`) })
    .from(releaseInvitations)
    .where(sql`${releaseInvitations.cycleId} = any(${sql.placeholder('cycleIds')}::uuid[])`)
    .orderBy(asc(releaseInvitations.round), asc(releaseInvitations.createdAt), asc(releaseInvitations.id))
    .prepare('release_invitations_of_cycles'),
);

/** Those of these cycles, oldest round first. */
export async function listInvitationsOf(executor: Executor, cycleIds: readonly string[]): Promise<ReadInvitation[]> {
  if (cycleIds.length === 0) return [];
  return invitationsOfCycles(executor).execute({ cycleIds });
}

export function listInvitations(executor: Executor, cycleId: string): Promise<ReadInvitation[]> {
  return listInvitationsOf(executor, [cycleId]);
}

/** The keys of the mails of these kinds about a cycle that a mail server has taken. */
export async function acceptedKeys(executor: Executor, cycleId: string, kinds: readonly string[]): Promise<string[]> {
  const rows = await executor
    .select({ key: notifications.dedupeKey })
    .from(notifications)
    .where(
      and(
        eq(notifications.subjectId, cycleId),
        inArray(notifications.kind, [...kinds]),
        eq(notifications.status, 'accepted'),
      ),
    );
  return rows.map(({ key }) => key);
}

/**
 * Whether a contact could not be asked in this cycle, and whether a letter that waits was refused by its recipient's
 * address. What the owner has changed since the refusal counts as put right.
 */
export async function findRefusals(
  executor: Executor,
  userId: string,
  cycleId: string | null,
): Promise<{ contactIds: string[]; letter: boolean }> {
  // Nothing was ever sent to contacts or recipients outside a cycle.
  if (cycleId === null) return { contactIds: [], letter: false };
  const { rows } = await executor.execute<{ contactIds: string[]; letter: boolean }>(sql`
    select array(
      select distinct asked.contact_id from ${releaseInvitations} asked join ${trustedContacts} contact on contact.id = asked.contact_id
      where asked.cycle_id = ${cycleId} and asked.ask_outcome = 'failed'
        and contact.is_active and contact.updated_at <= asked.ask_ended_at
        and not exists (
          select 1 from ${releaseInvitations} later
          where later.cycle_id = asked.cycle_id and later.contact_id = asked.contact_id
            and later.round > asked.round and later.ask_outcome = 'reached'
        )
    ) as "contactIds", exists (
      select 1 from ${messageDeliveries} refused join ${messages} letter on letter.id = refused.message_id
      where refused.user_id = ${userId} and refused.status = 'bounced'
        and letter.status = 'ready' and letter.updated_at <= refused.ended_at
    ) as letter`);
  return rows[0] ?? { contactIds: [], letter: false };
}

/** The link behind a token and whose release it is about. */
export async function findInvitation(
  executor: Executor,
  tokenHash: string,
): Promise<{ invitation: InvitationRow; userId: string } | null> {
  const [row] = await executor
    .select({ invitation: releaseInvitations, userId: releaseCycles.userId })
    .from(releaseInvitations)
    .innerJoin(releaseCycles, eq(releaseCycles.id, releaseInvitations.cycleId))
    .where(eq(releaseInvitations.tokenHash, tokenHash));
  return row ?? null;
}

export async function insertInvitations(tx: Executor, rows: readonly NewInvitationRow[]): Promise<void> {
  if (rows.length > 0) await tx.insert(releaseInvitations).values([...rows]);
}

export async function updateInvitation(tx: Executor, id: string, change: Partial<NewInvitationRow>): Promise<void> {
  await tx.update(releaseInvitations).set(change).where(eq(releaseInvitations.id, id));
}

export async function withdrawInvitations(tx: Executor, cycleId: string, at: Date): Promise<void> {
  await tx
    .update(releaseInvitations)
    .set({ withdrawnAt: at })
    .where(
      and(
        eq(releaseInvitations.cycleId, cycleId),
        isNull(releaseInvitations.decision),
        isNull(releaseInvitations.withdrawnAt),
      ),
    );
}
