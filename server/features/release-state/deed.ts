import type { RequestOrigin } from '#server/features/audit/audit.service.ts';
import type { Command } from '#server/features/release-core/events.rules.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { Situation } from './release.store.ts';

/** What somebody wrote into the emergency form. Whoever they are, it is for the owner's eyes only. */
export type Claim = { name: string; reason: string };

/** A command, and what the core need not know of it. */
export type Deed = {
  command: Exclude<Command, { kind: 'visit' }>;
  /** A contact's own words about their answer. */
  reason?: string | undefined;
  claim?: Claim | undefined;
  origin?: RequestOrigin | undefined;
  /** Of a sign of life: the one before it. */
  heardAt?: Date | undefined;
  /** The link by which a contact answered. */
  link?: { contactId: string; token: string } | undefined;
  /** What else is to be looked at in what came of it, before the next step is taken. */
  lookAt?: ((tx: Executor, situation: Situation) => Promise<void>) | undefined;
};
