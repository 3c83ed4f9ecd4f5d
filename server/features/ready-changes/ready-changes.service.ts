import type { Executor } from '#server/platform/db/database.ts';
import { markReadyChange } from './ready-changes.repository.ts';

/** Records that a ready message changed, for the daily email. The audit log holds the change itself. Call it under the owner's lock. */
export const noteReadyChange: (tx: Executor, userId: string, at: Date) => Promise<void> = markReadyChange;
