import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useLocation } from 'wouter';
import type { User } from '#shared/contract/accounts.ts';
import { addressOf, apiErrorOf, call, isJsonAnswer, leaveUnread, reach } from '#web/lib/api/api.ts';
import { reading } from '#web/lib/api/early-reads.ts';
import { light } from '#web/lib/api/light-routes.ts';
import { keyOf } from '#web/lib/api/reads.ts';
import { claimDrafts, clearAllDrafts } from '#web/lib/drafts/draft-store.ts';
import { toast } from '#web/lib/toast.ts';

/** The key under which the signed-in person is kept; invalidate it after signing in or changing the profile. */
export const sessionKey = keyOf(light.getAuthUser);

export type Session = {
  /** Null for a visitor, and until it is known. */
  user: User | null;
  isLoading: boolean;
  isVerified: boolean;
  signOut: () => Promise<void>;
};

/** The signed-in person. Read when the page loads, and again when its tab becomes visible. */
export function useSession(): Session {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const { data, isPending } = useQuery({
    queryKey: sessionKey,
    queryFn: ({ signal }) => readSession(signal),
    retry: false,
    refetchOnMount: true,
    refetchOnWindowFocus: 'always',
  });
  const user = data ?? null;

  const signOut = useCallback(async () => {
    try {
      await call(light.logout);
    } catch {
      toast({ title: 'Error', description: 'Failed to logout', variant: 'destructive' });
      return;
    }
    navigate('/');
    await forgetPerson(client);
    toast({ title: 'Success', description: 'Logged out successfully' });
  }, [client, navigate]);

  return { user, isLoading: isPending, isVerified: user?.emailVerified ?? false, signOut };
}

/** Deletes the text and data of the person who has left. */
export async function forgetPerson(client: QueryClient): Promise<void> {
  await clearAllDrafts();
  await client.cancelQueries();
  client.setQueryData(sessionKey, null);
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
}

/** The signed-in person, or null. The second address is asked where the first one fails. */
export async function readSession(signal?: AbortSignal): Promise<User | null> {
  try {
    return await readUser(light.getAuthUser, signal);
  } catch (error) {
    if (signal?.aborted) throw error;
  }
  try {
    return await readUser(light.getUser, signal);
  } catch (error) {
    if (signal?.aborted) throw error;
    // biome-ignore lint/suspicious/noConsole: nobody is told of it on the page, where the person is treated as signed out.
    console.error('The session could not be read.', error);
    return null;
  }
}

type UserRoute = typeof light.getAuthUser | typeof light.getUser;

async function readUser(route: UserRoute, signal: AbortSignal | undefined): Promise<User | null> {
  const response = await reach(addressOf(route), {
    ...reading,
    cache: 'no-store',
    ...(signal ? { signal } : {}),
  });
  if (response.status === 401) return leaveUnread(response);
  if (!response.ok) throw await apiErrorOf(response);
  const user = isJsonAnswer(response) ? ((await response.json()) as User | null) : null;
  // Before the session is published: a form that opens then must not find another person's draft.
  if (user) await claimDrafts(user.id);
  return user;
}
