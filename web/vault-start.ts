import { noteReadForFirst, queryClient } from '#web/lib/api/query.ts';
import { readSession, sessionKey } from '#web/lib/session.ts';
import { loadSignedInPage } from '#web/routes.tsx';

/** So long somebody sees the shape of a page in place of one whose words are on their way. Then it shows what it has. */
const waitMsMax = 1_500;

/**
 * Waits for what a page of the vault is shown with: its script, who is signed in, and what the page has named in its head. So
 * it appears once, whole. What can't be had is left to the page, which asks again and says so.
 */
export async function vaultReady(path: string, reads: readonly string[]): Promise<void> {
  const parts = [
    loadSignedInPage(path),
    queryClient.prefetchQuery({ queryKey: sessionKey, queryFn: ({ signal }) => readSession(signal), retry: false }),
    ...reads
      .filter((address) => address !== sessionKey[0])
      .map((address) => queryClient.prefetchQuery({ queryKey: [address] })),
  ];
  const late = new Promise((resolve) => setTimeout(resolve, waitMsMax));
  await Promise.race([Promise.allSettled(parts), late]);
  noteReadForFirst(reads);
}
