import type { RequestOrigin } from '#server/features/audit/record.ts';
import type { Command } from '#server/features/release-core/events.rules.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { LoadedWorld } from './release.store.ts';

/** Name and reason typed into the emergency form. Only the owner may read them. */
export type Claim = { name: string; reason: string };

/** Command with values that the core does not need. */
export type CommandContext = {
  at: Date;
  command: Exclude<Command, { kind: 'visit' }>;
  /** A contact's own words about their answer. */
  reason?: string | undefined;
  claim?: Claim | undefined;
  origin?: RequestOrigin | undefined;
  /** Time of the previous activity, if the command is activity. */
  heardAt?: Date | undefined;
  /** The link by which a contact answered. */
  link?: { contactId: string; token: string } | undefined;
  /** Checks the result in the same transaction, before the next step is taken. */
  check?: ((tx: Executor, loaded: LoadedWorld) => Promise<void>) | undefined;
};
