import { listRecentlyDeleted } from '#shared/contract/vault/recently-deleted.ts';
import { Page } from '#web/components/layout/page.tsx';
import { Empty, LoadError } from '#web/components/ui/empty.tsx';
import { SkeletonRows } from '#web/components/ui/skeleton.tsx';
import { vaultHeadings } from '#web/content/vault-headings.ts';
import { useSessionEnded } from '#web/features/accounts/use-session-ended.ts';
import { DeletedList } from '#web/features/recently-deleted/deleted-list.tsx';
import { useRead } from '#web/lib/api/reads.ts';

export function RecentlyDeletedPage() {
  const deleted = useRead(listRecentlyDeleted, { refetchOnMount: 'always' });
  useSessionEnded(deleted.data === null);
  return (
    <Page {...vaultHeadings['/recently-deleted']}>
      {deleted.data ? (
        deleted.data.length > 0 ? (
          <DeletedList items={deleted.data} />
        ) : (
          <Empty drawing="key" title="Nothing here" text="You have deleted nothing lately." />
        )
      ) : deleted.isError ? (
        <LoadError
          title="We could not load what you deleted"
          text="It is still there. The connection failed. Try again, or come back in a few minutes."
          onRetry={() => deleted.refetch()}
        />
      ) : (
        <SkeletonRows rows={3} label="Loading what you deleted" />
      )}
    </Page>
  );
}
