import { and, asc, eq, getTableColumns, inArray, isNotNull, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { prepared, statement } from '#server/platform/db/prepared.ts';
import { recordSet } from '#server/platform/db/record-set.ts';
import { messageDeliveries, newAddressLinks, releaseHalts, statusNow } from '#server/schema/delivery.tables.ts';
import { releaseRequests } from '#server/schema/release.tables.ts';

export type DeliveryRow = typeof messageDeliveries.$inferSelect;
/** Fields of a link's lifetime, as the rules need them. */
export function lifeOf({ status, expiresAt, linkBeganHealthyMs, keptUntil, keptFromHealthyMs }: DeliveryRow) {
  const kept =
    keptUntil && keptFromHealthyMs !== null ? { untilMs: keptUntil.getTime(), fromHealthyMs: keptFromHealthyMs } : null;
  return { status, expiresAtMs: expiresAt.getTime(), beganHealthyMs: linkBeganHealthyMs, kept };
}

/** True if its reader has read the letter, or has answered on its page. */
export function isReached({ accessedAt, answeredAt }: Pick<DeliveryRow, 'accessedAt' | 'answeredAt'>): boolean {
  return accessedAt !== null || answeredAt !== null;
}

/** As it is written: nothing has become of it yet. */
export type NewDelivery = Pick<
  typeof messageDeliveries.$inferInsert,
  | 'id'
  | 'messageId'
  | 'userId'
  | 'requestId'
  | 'replacesDeliveryId'
  | 'recipientId'
  | 'recipientEmail'
  | 'recipientName'
  | 'personKey'
  | 'sayKey'
  | 'mailId'
  | 'releaseNumber'
  | 'earlierTries'
  | 'addressFrom'
  | 'deliveryToken'
  | 'status'
  | 'dueAt'
  | 'expiresAt'
  | 'createdAt'
>;
export type DeliveryChange = Partial<
  Pick<
    DeliveryRow,
    | 'status'
    | 'deliveredAt'
    | 'accessedAt'
    | 'expiresAt'
    | 'linkBeganHealthyMs'
    | 'refusedAt'
    | 'endedAt'
    | 'remindersSent'
    | 'answeredAt'
    | 'keptUntil'
    | 'keptFromHealthyMs'
  >
>;

const written = recordSet(messageDeliveries, [
  'id',
  'messageId',
  'userId',
  'requestId',
  'replacesDeliveryId',
  'recipientId',
  'recipientEmail',
  'recipientName',
  'personKey',
  'sayKey',
  'mailId',
  'releaseNumber',
  'earlierTries',
  'addressFrom',
  'deliveryToken',
  'status',
  'dueAt',
  'expiresAt',
  'createdAt',
]);

const deliveriesInserted = statement<{ id: string }>(sql`
    insert into message_deliveries (${written.names}) select ${written.names} from ${written.source}
    on conflict do nothing
    returning id`);

/** Inserts deliveries and returns the ids of new ones. A letter that is queued already stays unchanged. */
export async function insertDeliveries(tx: Executor, rows: readonly NewDelivery[]): Promise<Set<string>> {
  const inserted = await deliveriesInserted(tx, {
    rows: written.encode(
      rows.map(({ replacesDeliveryId = null, addressFrom = 'owner', earlierTries = 0, dueAt = null, ...row }) => ({
        ...row,
        status: dueAt === null ? 'pending' : 'waiting',
        dueAt,
        replacesDeliveryId,
        addressFrom,
        earlierTries,
      })),
    ),
  });
  return new Set(inserted.map(({ id }) => id));
}

/** True if the release of a delivery has ended. */
export async function isReleaseClosed(executor: Executor, requestId: string): Promise<boolean> {
  const { id, closedAt } = releaseRequests;
  return (await executor.$count(releaseRequests, and(eq(id, requestId), isNotNull(closedAt)))) > 0;
}

/** True if its owner has come back and withdrawn unopened letters. */
export async function isOwnerBack(executor: Executor, requestId: string): Promise<boolean> {
  const { id, outcome } = releaseRequests;
  const isBack = inArray(outcome, ['owner_back', 'taken_back']);
  return (await executor.$count(releaseRequests, and(eq(id, requestId), isBack))) > 0;
}

/** All columns, with the present status even if it is not written yet. */
export const withStatusNow = { ...getTableColumns(messageDeliveries), status: statusNow.as('status') };

export async function findByTokenHash(executor: Executor, tokenHash: string): Promise<DeliveryRow | null> {
  const [row] = await executor
    .select(withStatusNow)
    .from(messageDeliveries)
    .where(eq(messageDeliveries.deliveryToken, tokenHash));
  return row ?? null;
}

const deliveriesLocked = prepared((tx) =>
  tx
    .select()
    .from(messageDeliveries)
    .where(sql`${messageDeliveries.id} = any(${sql.placeholder('ids')}::uuid[])`)
    .orderBy(asc(messageDeliveries.id))
    .for('update')
    .prepare('deliveries_locked'),
);

/** Reads deliveries and keeps them to this transaction. Their owners are locked before. */
export async function lockDeliveries(tx: Executor, ids: readonly string[]): Promise<DeliveryRow[]> {
  return deliveriesLocked(tx).execute({ ids });
}

export type AcceptedDelivery = Pick<DeliveryRow, 'id' | 'userId' | 'messageId' | 'requestId' | 'mailId'> & {
  /** True if no letter of its release waits any more, once all of these are accepted. */
  isReleaseOver: boolean;
};

const deliveriesAccepted = statement<AcceptedDelivery>(sql`
    with locked as (
      select id, mail_id from ${messageDeliveries}
      where mail_id = any(${sql.placeholder('mailIds')}::uuid[]) and status = 'pending'
        and not exists (select 1 from ${releaseHalts} where ${releaseHalts.requestId} = ${messageDeliveries.requestId})
      order by id for update
    )
    update ${messageDeliveries} set status = 'accepted', delivered_at = accepted.at, ended_at = accepted.at,
      expires_at = accepted.expires_at, link_began_healthy_ms = ${sql.placeholder('beganHealthyMs')}::bigint
    from unnest(${sql.placeholder('mailIds')}::uuid[], ${sql.placeholder('ats')}::timestamptz[],
                ${sql.placeholder('expiries')}::timestamptz[]) as accepted (mail_id, at, expires_at)
      join locked using (mail_id)
    where ${messageDeliveries}.id = locked.id
    returning ${messageDeliveries}.id, user_id as "userId", message_id as "messageId", request_id as "requestId",
      ${messageDeliveries}.mail_id as "mailId",
      not exists (
        select 1 from ${messageDeliveries} waiting
        where waiting.request_id = ${messageDeliveries}.request_id and waiting.status = 'pending'
          and waiting.mail_id <> all(${sql.placeholder('mailIds')}::uuid[])
      ) as "isReleaseOver"`);

/**
 * Records the acceptance of each letter of these mails, the end of its link, and the healthy time at its start. Returns
 * the letters that were waiting for it. Other letters and stopped ones stay unchanged. The caller locks their owners
 * before.
 */
export async function acceptDeliveries(
  tx: Executor,
  accepted: readonly { mailId: string; at: Date; expiresAt: Date }[],
  linkBeganHealthyMs: number,
): Promise<AcceptedDelivery[]> {
  return deliveriesAccepted(tx, {
    beganHealthyMs: linkBeganHealthyMs,
    mailIds: accepted.map(({ mailId }) => mailId),
    ats: accepted.map(({ at }) => at.toISOString()),
    expiries: accepted.map(({ expiresAt }) => expiresAt.toISOString()),
  });
}

const pendingFound = statement<{ is_pending: boolean }>(sql`select exists (
    select 1 from ${messageDeliveries} where request_id = ${sql.placeholder('requestId')}::uuid and status = 'pending'
  ) as is_pending`);

/** True if a letter of this release has not ended yet. */
export async function hasPending(tx: Executor, requestId: string): Promise<boolean> {
  const [row] = await pendingFound(tx, { requestId });
  return row?.is_pending ?? false;
}

/** Reads a delivery and keeps it to this transaction. The owner is locked before. */
export async function lockDelivery(tx: Executor, id: string): Promise<DeliveryRow | null> {
  const [row] = await tx
    .select(withStatusNow)
    .from(messageDeliveries)
    .where(eq(messageDeliveries.id, id))
    .for('update');
  return row ?? null;
}

/** Mails with at least one unopened letter, as a query for another feature's statement. */
export function unopenedOf(executor: Executor, requestId: string) {
  return executor
    .select({ id: sql<string>`${messageDeliveries.mailId}`.as('id') })
    .from(messageDeliveries)
    .where(
      and(
        eq(messageDeliveries.requestId, requestId),
        or(eq(messageDeliveries.status, 'pending'), isNull(messageDeliveries.accessedAt)),
      ),
    );
}

export async function changeDelivery(tx: Executor, id: string, change: DeliveryChange): Promise<void> {
  await tx.update(messageDeliveries).set(change).where(eq(messageDeliveries.id, id));
}

/**
 * A refused delivery that another one replaced no longer describes its message. A withdrawn delivery doesn't either, if
 * its request continued and queued the message again.
 */
export const isCurrent = sql`not exists (
  select 1 from ${messageDeliveries} newer where newer.replaces_delivery_id = ${messageDeliveries}.id
) and not (
  ${messageDeliveries}.status in ('cancelled', 'withdrawn') and ${messageDeliveries}.replaces_delivery_id is null
  and exists (
    select 1 from ${messageDeliveries} again
    where again.request_id = ${messageDeliveries}.request_id and again.message_id = ${messageDeliveries}.message_id
      and again.recipient_id = ${messageDeliveries}.recipient_id
      and again.replaces_delivery_id is null and again.id <> ${messageDeliveries}.id
      and (again.status not in ('cancelled', 'withdrawn')
        or (again.created_at, again.id) > (${messageDeliveries}.created_at, ${messageDeliveries}.id))
  )
)`;

/** A message for one of its recipients in one release, at whatever address. */
type Letter = Pick<DeliveryRow, 'requestId' | 'messageId' | 'recipientId'>;

/** Every delivery of a letter, those that were replaced too, oldest first. */
export function listTriesOf(executor: Executor, { requestId, messageId, recipientId }: Letter): Promise<DeliveryRow[]> {
  const isLetter = and(eq(messageDeliveries.messageId, messageId), eq(messageDeliveries.recipientId, recipientId));
  return listTries(executor, and(eq(messageDeliveries.requestId, requestId), isLetter));
}

/** Every delivery of those letters of a release that an address refused or left unopened, oldest first. */
export function listTriesOfUnreached(executor: Executor, requestId: string): Promise<DeliveryRow[]> {
  const wasUnreached = sql`exists (
    select 1 from ${messageDeliveries} tried
    where tried.request_id = ${messageDeliveries}.request_id and tried.message_id = ${messageDeliveries}.message_id
      and tried.recipient_id = ${messageDeliveries}.recipient_id
      and (tried.status in ('bounced', 'unopened') or tried.refused_at is not null or tried.replaces_delivery_id is not null)
  )`;
  return listTries(executor, and(eq(messageDeliveries.requestId, requestId), wasUnreached));
}

function listTries(executor: Executor, which: SQL | undefined): Promise<DeliveryRow[]> {
  return executor
    .select()
    .from(messageDeliveries)
    .where(which)
    .orderBy(asc(messageDeliveries.createdAt), asc(messageDeliveries.id));
}

export type NewAddressLink = typeof newAddressLinks.$inferSelect;

/** A contact keeps one link throughout a release. */
export async function keepNewAddressLink(tx: Executor, link: NewAddressLink): Promise<void> {
  await tx.insert(newAddressLinks).values(link).onConflictDoNothing();
}

export async function findNewAddressLink(executor: Executor, tokenHash: string): Promise<NewAddressLink | null> {
  const [row] = await executor.select().from(newAddressLinks).where(eq(newAddressLinks.tokenHash, tokenHash));
  return row ?? null;
}

/** True if another delivery has replaced it. */
export async function isReplaced(executor: Executor, id: string): Promise<boolean> {
  return (await executor.$count(messageDeliveries, eq(messageDeliveries.replacesDeliveryId, id))) > 0;
}
