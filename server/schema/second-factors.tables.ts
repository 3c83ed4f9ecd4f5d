import { bigint, boolean, index, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { bytes, instant } from '#server/platform/db/columns.ts';
import { users } from './accounts.tables.ts';

const ownerId = () =>
  uuid('user_id')
    .notNull()
    .references(() => users.id, { onDelete: 'cascade' });

/** The secret that an owner shares with their authenticator app; one app for each. */
export const authenticators = pgTable('authenticators', {
  userId: uuid('user_id')
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  /** Base32, sealed with the vault's key. */
  secret: text('secret').notNull(),
  createdAt: instant('created_at').notNull(),
  /** Null until a first code proved that the app has it. */
  confirmedAt: instant('confirmed_at'),
  /** The 30-second step of the last code that was taken: no code works twice (RFC 6238 §5.2). */
  lastStep: bigint('last_step', { mode: 'number' }),
});

/** Ten codes for the day the telephone is gone. */
export const recoveryCodes = pgTable(
  'recovery_codes',
  {
    userId: ownerId(),
    /** HMAC of owner and code. */
    codeHash: text('code_hash').notNull(),
    createdAt: instant('created_at').notNull(),
    usedAt: instant('used_at'),
  },
  (table) => [primaryKey({ columns: [table.userId, table.codeHash] })],
);

/** Public keys of an owner's devices (WebAuthn). */
export const passkeys = pgTable(
  'passkeys',
  {
    id: uuid('id').primaryKey(),
    userId: ownerId(),
    credentialId: text('credential_id').notNull().unique(),
    /** COSE, as the authenticator gave it. */
    publicKey: bytes('public_key').notNull(),
    /** Uses that the authenticator has counted; many count none. */
    counter: bigint('counter', { mode: 'number' }).notNull(),
    transports: jsonb('transports').$type<string[]>().notNull(),
    /** The owner's word for the device, sealed with the vault's key. */
    name: text('name').notNull(),
    isBackedUp: boolean('is_backed_up').notNull(),
    createdAt: instant('created_at').notNull(),
    lastUsedAt: instant('last_used_at'),
  },
  (table) => [index('passkeys_user_id_index').on(table.userId)],
);

/** Sign-ins that wait for the second factor: the password was right, but the person is not signed in yet. */
export const signInSteps = pgTable(
  'sign_in_steps',
  {
    /** HMAC of the cookie's value. */
    tokenHash: text('token_hash').primaryKey(),
    userId: ownerId(),
    /** First step: `password`, or an identity provider by its slug. */
    method: text('method').$type<'password' | `provider:${string}`>().notNull(),
    expiresAt: instant('expires_at').notNull(),
    /** The person's choice in the first step; see `sessions.isKept`. */
    isKept: boolean('is_kept').notNull().default(true),
  },
  (table) => [
    index('sign_in_steps_user_id_index').on(table.userId),
    index('sign_in_steps_expires_at_index').on(table.expiresAt),
  ],
);
