import type { Executor } from '#server/platform/db/database.ts';
import { listSentMessages, type SentMessage, type SentMessagesOf } from './sent-messages.repository.ts';

/**
 * Messages of these kinds about an owner that left since then or have not left yet, oldest first, without withdrawn
 * ones. For limits over everything that an account has caused.
 */
export function sentMessagesOf(executor: Executor, of: SentMessagesOf): Promise<SentMessage[]> {
  return listSentMessages(executor, of);
}
