import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect } from 'react';
import { useLocation } from 'wouter';
import type { User } from '#shared/contract/accounts.ts';
import { apiErrorOf, isJsonAnswer, reach } from '#web/lib/api.ts';
import { claimDrafts, clearAllDrafts } from '#web/lib/draft-store.ts';
import { toast } from '#web/lib/toast.ts';

/** The key under which the signed-in person is kept; invalidate it after signing in or changing the profile. */
export const sessionKey = ['/api/auth/user'] as const;
const otherUserUrl = '/api/user';

export type Session = {
  /** Null for somebody signed out, and until it is known. */
  user: User | null;
  isLoading: boolean;
  isVerified: boolean;
  signOut: () => Promise<void>;
};

/** Who is signed in. Asked when the page loads and again whenever its tab comes back into view. */
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
  const userId = user?.id;

  useEffect(() => {
    if (userId !== undefined) claimDrafts(userId);
  }, [userId]);

  const signOut = useCallback(async () => {
    try {
      const response = await reach('/api/logout', { method: 'POST', credentials: 'include' });
      if (!response.ok) throw await apiErrorOf(response);
    } catch {
      toast({ title: 'Error', description: 'Failed to logout', variant: 'destructive' });
      return;
    }
    await clearAllDrafts();
    navigate('/');
    await client.cancelQueries();
    client.setQueryData(sessionKey, null);
    // What else was read belonged to the person who has left.
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
    toast({ title: 'Success', description: 'Logged out successfully' });
  }, [client, navigate]);

  return { user, isLoading: isPending, isVerified: user?.emailVerified ?? false, signOut };
}

/** The signed-in person, or null. The second address is asked where the first one fails. */
export async function readSession(signal?: AbortSignal): Promise<User | null> {
  try {
    return await readUser(sessionKey[0], signal);
  } catch (error) {
    if (signal?.aborted) throw error;
  }
  try {
    return await readUser(otherUserUrl, signal);
  } catch (error) {
    if (signal?.aborted) throw error;
    // biome-ignore lint/suspicious/noConsole: nobody is told of it on the page, where the person is treated as signed out.
    console.error('The session could not be read.', error);
    return null;
  }
}

async function readUser(url: string, signal: AbortSignal | undefined): Promise<User | null> {
  const response = await reach(url, {
    credentials: 'include',
    cache: 'no-store',
    headers: { accept: 'application/json' },
    ...(signal ? { signal } : {}),
  });
  if (response.status === 401) return null;
  if (!response.ok) throw await apiErrorOf(response);
  return isJsonAnswer(response) ? response.json() : null;
}
