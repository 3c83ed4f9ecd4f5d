import { and, eq, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { hasKnownSpellings, mailboxOf } from '#shared/rules/addresses/mailboxes.ts';

/**
 * Computes `mailboxOf` (shared/rules) in SQL. Tables have an index on this expression, so a question must use it as it is.
 * The column holds addresses in lower case. A test compares both forms.
 */
export function mailboxColumn(email: SQLWrapper): SQL<string> {
  const local = sql`split_part(${email}, '@', 1)`;
  const domain = sql`split_part(${email}, '@', 2)`;
  const name = sql`coalesce(nullif(split_part(${local}, '+', 1), ''), ${local})`;
  return sql<string>`(case when ${domain} in ('gmail.com', 'googlemail.com')
    then replace(${name}, '.', '') || '@gmail.com' else ${name} || '@' || ${domain} end)`;
}

/** Computes `personOf` (shared/rules) in SQL. */
export function personColumn(email: SQLWrapper): SQL<string> {
  const address = sql`lower(btrim(${email}))`;
  return sql<string>`(case when split_part(${address}, '@', 2) in ('gmail.com', 'googlemail.com')
    then ${mailboxColumn(email)} else ${address} end)`;
}

/** Condition that this column and this address are certain to belong to one person. Use it if the answer grants rights. */
export function isSamePersonIn(column: SQLWrapper, address: string): SQL | undefined {
  const isSameMailbox = eq(mailboxColumn(column), mailboxOf(address));
  return hasKnownSpellings(address)
    ? isSameMailbox
    : and(isSameMailbox, sql`${column} = ${address.trim().toLowerCase()}`);
}
