import type { QueryClient } from '@tanstack/react-query';
import type { User } from '#shared/contract/accounts.ts';
import { ApiError } from '#web/lib/api/api.ts';
import { claimDrafts } from '#web/lib/drafts/draft-store.ts';
import { sessionKey } from '#web/lib/session.ts';

/** Starts a session in this page, without data or drafts of a previous person. */
export async function beginSession(client: QueryClient, user: User): Promise<void> {
  await claimDrafts(user.id);
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
  client.setQueryData(sessionKey, user);
}

/** Message for a failed sign-in. */
export function loginFailure(error: unknown): string {
  if (!(error instanceof ApiError) || error.status === 0 || error.isUnclear) return 'An error occurred during login';
  return saidByTheService(error) ? error.message : 'Invalid credentials';
}

/** True if the sentence comes from the service, and was not derived from the status. */
function saidByTheService({ type, message, status }: ApiError): boolean {
  return type !== undefined || (message !== '' && !message.startsWith(`${status}:`));
}

/** The sentence of a failure. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'Something went wrong. Try again in a minute.';
}
