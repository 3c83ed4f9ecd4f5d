import type { QueryClient } from '@tanstack/react-query';
import type { User } from '#shared/contract/accounts.ts';
import { ApiError } from '#web/lib/api/api.ts';
import { claimDrafts } from '#web/lib/drafts/draft-store.ts';
import { sessionKey } from '#web/lib/session.ts';

/** Takes a person in: nothing that was read or begun by somebody before them stays. */
export async function beginSession(client: QueryClient, user: User): Promise<void> {
  await claimDrafts(user.id);
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
  client.setQueryData(sessionKey, user);
}

/** What to say of a sign-in that failed. */
export function loginFailure(error: unknown): string {
  if (!(error instanceof ApiError) || error.status === 0) return 'An error occurred during login';
  return saidByTheService(error) ? error.message : 'Invalid credentials';
}

/** True if the sentence is the service's own, and not made from the status by whoever read the answer. */
function saidByTheService({ type, message, status }: ApiError): boolean {
  return type !== undefined || (message !== '' && !message.startsWith(`${status}:`));
}

/** The sentence of a failure. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'Something went wrong. Try again in a minute.';
}
