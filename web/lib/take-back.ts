import type { QueryClient } from '@tanstack/react-query';
import { restoreDeleted } from '#shared/contract/vault/recently-deleted.ts';
import type { DeletedKind } from '#shared/rules/retention.ts';
import { call } from '#web/lib/api/api.ts';
import { type ToastContent, toast } from '#web/lib/toast.ts';

export type Deleted = { kind: DeletedKind; id: string };

/** Takes back what was deleted, says so, or why not, and has everything that may show it read again. */
export async function takeBack(client: QueryClient, deleted: readonly Deleted[]): Promise<void> {
  const tried = await Promise.allSettled(deleted.map((params) => call(restoreDeleted, { params })));
  client.invalidateQueries();
  const refused = tried.find((each) => each.status === 'rejected');
  if (!refused) {
    toast({
      title: 'Taken Back',
      description: deleted.length === 1 ? 'It is where it was.' : 'They are where they were.',
    });
    return;
  }
  const { reason } = refused;
  const description = reason instanceof Error ? reason.message : 'Please try again.';
  toast({ title: 'Not Taken Back', description, variant: 'destructive' });
}

/** What stands in the notice of a deletion. */
export function undoing(client: QueryClient, deleted: readonly Deleted[]): Pick<ToastContent, 'action'> {
  return { action: { label: 'Undo', run: () => void takeBack(client, deleted) } };
}
