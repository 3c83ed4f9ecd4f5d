import { and, eq, gte, sql } from 'drizzle-orm';
import { kindsWhere } from '#server/mails.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { mailDomains, notifications } from '#server/schema/notifications.tables.ts';

/** Kinds that their reader has just requested. A stranger can cause any number of refusals of them. */
const askedForKinds = kindsWhere(({ isRequested }) => isRequested === true);
/** Number of mailboxes of a domain that are counted at most. So many refusals in parallel are trouble. */
const refusingMax = 2_000;

const iso = (ms: number) => sql`${new Date(ms).toISOString()}::timestamptz`;

/** True if any mail was accepted at or after a moment. */
export async function wasMailAccepted(executor: Executor, { since }: { since: Date }): Promise<boolean> {
  const rows = await executor
    .select({ id: notifications.id })
    .from(notifications)
    .where(and(gte(notifications.acceptedAt, since), eq(notifications.channel, 'email')))
    .limit(1);
  return rows.length > 0;
}

/** True if the domain accepted a mail of ours to another mailbox between two times, and did not return it. */
export async function wasDomainReached(
  executor: Executor,
  mailbox: { domainKey: string; mailboxKey: string },
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Promise<boolean> {
  const { rows } = await executor.execute(sql`
    select 1 from notifications where domain_key = ${mailbox.domainKey} and mailbox_key <> ${mailbox.mailboxKey}
      and accepted_at >= ${iso(fromMs)} and accepted_at <= ${iso(toMs)} limit 1`);
  return rows.length > 0;
}

/**
 * Counts mailboxes of a domain that recently refused our mail. Only mailboxes that accepted our mail long ago count,
 * and only mail about old, verified accounts. Otherwise a stranger could invent any number of them.
 */
export async function countRefusing(
  executor: Executor,
  domainKey: string,
  { sinceMs, oldMs }: { sinceMs: number; oldMs: number },
): Promise<number> {
  const { rows } = await executor.execute<{ mailboxes: number }>(sql`
    select count(*)::int as mailboxes from (
      select distinct refused.mailbox_key from notifications refused
        join users on users.id = refused.user_id
      where refused.domain_key = ${domainKey} and refused.refused_at > ${iso(sinceMs)} and (refused.accepted_at is null or refused.accepted_at < refused.refused_at)
        and refused.kind <> all(array[${sql.join(
          askedForKinds.map((kind) => sql`${kind}`),
          sql`, `,
        )}])
        and users.email_verified and users.created_at <= ${iso(oldMs)}
        and exists (
          select 1 from notifications before
          where before.domain_key = refused.domain_key and before.mailbox_key = refused.mailbox_key
            and before.accepted_at <= ${iso(oldMs)})
      limit ${refusingMax}) counted`);
  return rows[0]?.mailboxes ?? 0;
}

/** Counts mailboxes of a domain that accepted our mail long ago, up to a limit. */
export async function countKnown(
  executor: Executor,
  domainKey: string,
  { oldMs, limit }: { oldMs: number; limit: number },
): Promise<number> {
  const { rows } = await executor.execute<{ mailboxes: number }>(sql`
    select count(*)::int as mailboxes from (
      select distinct mailbox_key from notifications
      where domain_key = ${domainKey} and accepted_at <= ${iso(oldMs)} limit ${limit}) known`);
  return rows[0]?.mailboxes ?? 0;
}

/** Records a refusal before it is weighed, so that it is counted too. */
export async function markRefused(executor: Executor, id: string, at: Date | null): Promise<void> {
  await executor.update(notifications).set({ refusedAt: at }).where(eq(notifications.id, id));
}

export type MassRefusal = typeof mailDomains.$inferSelect;

export async function findMassRefusal(executor: Executor, domainKey: string): Promise<MassRefusal | null> {
  const [row] = await executor.select().from(mailDomains).where(eq(mailDomains.domainKey, domainKey));
  return row ?? null;
}

export async function keepMassRefusal(executor: Executor, refusal: MassRefusal): Promise<void> {
  const { massRefusedSince, massRefusedAt } = refusal;
  const set = { massRefusedSince, massRefusedAt };
  await executor.insert(mailDomains).values(refusal).onConflictDoUpdate({ target: mailDomains.domainKey, set });
}

export type TroubledDomain = {
  domainKey: string;
  /** Mails that were refused lately, and mailboxes that they were for. */
  mails: number;
  mailboxes: number;
  /** A mail to this domain whose sealed address is still stored. Null if there is none. */
  sampleId: string | null;
  payload: Buffer | null;
  isMassRefusal: boolean;
};

/** Domains that recently refused our mail for a reason other than the mailbox, the one with the most mails first. */
export async function listTroubledDomains(
  executor: Executor,
  { since, limit }: { since: Date; limit: number },
): Promise<TroubledDomain[]> {
  const from = iso(since.getTime());
  const { rows } = await executor.execute<TroubledDomain>(sql`
    select troubled.*, sample.payload, exists (
        select 1 from mail_domains
        where mail_domains.domain_key = troubled."domainKey" and mass_refused_at >= ${from}) as "isMassRefusal"
    from (
      select domain_key as "domainKey", count(*)::int as mails, count(distinct mailbox_key)::int as mailboxes,
        (array_agg(id order by troubled_at desc) filter (where payload is not null))[1] as "sampleId"
      from notifications where troubled_at >= ${from} and domain_key is not null
      group by domain_key order by mails desc, domain_key limit ${limit}) troubled
      left join notifications sample on sample.id = troubled."sampleId"
    order by troubled.mails desc, troubled."domainKey"`);
  return rows;
}

/** True if a message with this key was written before. */
export async function wasEnqueued(executor: Executor, dedupeKey: string): Promise<boolean> {
  return (await executor.$count(notifications, eq(notifications.dedupeKey, dedupeKey))) > 0;
}
