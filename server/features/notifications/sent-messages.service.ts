import type { Executor } from '#server/platform/db/database.ts';
import { listSentMessages, type SentMessage, type SentMessagesOf } from './sent-messages.repository.ts';

/**
 * The messages of these kinds that an owner's account has caused and that left since then or are still to leave, oldest
 * first; without what was taken back. For limits that hold whatever was caused in between.
 */
export function sentMessagesOf(executor: Executor, of: SentMessagesOf): Promise<SentMessage[]> {
  return listSentMessages(executor, of);
}
