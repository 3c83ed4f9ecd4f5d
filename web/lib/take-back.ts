import type { QueryClient } from '@tanstack/react-query';
import { type DeletedKind, recentlyDeletedDays } from '#shared/rules/retention.ts';
import { call } from '#web/lib/api/api.ts';
import { vaultRoutes } from '#web/lib/api/vault-routes.ts';
import { type ToastContent, toast } from '#web/lib/toast.ts';

type Deleted = { kind: DeletedKind; id: string };

/** States how long deleted items can be restored. */
export function keptWords(count: number): string {
  const are = count === 1 ? 'It is' : 'They are';
  return `${are} kept for ${recentlyDeletedDays} days under Recently deleted.`;
}

/** Says that it was taken back, and has everything that may show it read again. */
export function tellTakenBack(client: QueryClient, count: number): void {
  client.invalidateQueries();
  toast({ title: 'Taken Back', description: count === 1 ? 'It is where it was.' : 'They are where they were.' });
}

/** Says why not. What did come back is read again. */
export function tellNotTakenBack(client: QueryClient, { message }: Error): void {
  client.invalidateQueries();
  toast({ title: 'Not Taken Back', description: message, variant: 'destructive' });
}

/** One after the other, as it was deleted. */
async function takeBack(client: QueryClient, deleted: readonly Deleted[]): Promise<void> {
  try {
    for (const params of deleted) await call(vaultRoutes.restoreDeleted, { params });
    tellTakenBack(client, deleted.length);
  } catch (error) {
    tellNotTakenBack(client, error as Error);
  }
}

/** Content of the notice after a deletion. */
export function undoing(client: QueryClient, deleted: readonly Deleted[]): Pick<ToastContent, 'action'> {
  return { action: { label: 'Undo', run: () => void takeBack(client, deleted) } };
}
