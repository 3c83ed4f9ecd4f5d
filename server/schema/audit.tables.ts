import { bigint, date, index, jsonb, pgTable, text, unique, uuid } from 'drizzle-orm/pg-core';
import { bytes, instant } from '#server/platform/db/columns.ts';
import { users } from './accounts.tables.ts';

/**
 * Actor, action and row of each event. Rows are chained by keyed hash, one chain per owner and one for the
 * installation.
 */
export const auditLogs = pgTable(
  'audit_logs',
  {
    id: uuid('id').primaryKey(),
    userId: uuid('user_id').references(() => users.id, { onDelete: 'set null' }),
    action: text('action').notNull(),
    resource: text('resource').notNull(),
    resourceId: text('resource_id'),
    /** Never the text of a message, an address, a token or a reason. */
    details: jsonb('details').$type<Record<string, unknown>>(),
    ipAddress: text('ip_address'),
    userAgent: text('user_agent'),
    /** The chain holds where it came from as a salted hash; the salt goes with the address and the browser. */
    originSalt: bytes('origin_salt'),
    originHash: text('origin_hash'),
    createdAt: instant('created_at').notNull(),
    /** The owner whose chain this row is a link of, kept after the account is gone; or the installation's. */
    chain: text('chain').notNull(),
    position: bigint('position', { mode: 'number' }).notNull(),
    previousHash: bytes('previous_hash').notNull(),
    hash: bytes('hash').notNull(),
    /** The first anchored day at whose end this row was the last of its chain. */
    anchoredOn: date('anchored_on', { mode: 'string' }),
  },
  (table) => [
    unique('audit_logs_chain_position_unique').on(table.chain, table.position),
    index('audit_logs_created_at_index').on(table.createdAt),
    index('audit_logs_user_id_created_at_index').on(table.userId, table.createdAt.desc()),
  ],
);

/** The end of each chain: without it, a row removed from the end would not be missed. */
export const auditChains = pgTable('audit_chains', {
  chain: text('chain').primaryKey(),
  length: bigint('length', { mode: 'number' }).notNull(),
  headHash: bytes('head_hash').notNull(),
  /** Number of rows at the beginning were removed because their time was over, and the hash of the last of them. */
  prunedLength: bigint('pruned_length', { mode: 'number' }).notNull().default(0),
  prunedHash: bytes('pruned_hash'),
  /** An HMAC of all of the above. */
  seal: bytes('seal').notNull(),
});
