import { Link } from 'wouter';
import { getFirstWeeks } from '#shared/contract/vault/first-weeks.ts';
import { Page } from '#web/components/layout/page.tsx';
import { LoadError } from '#web/components/ui/empty.tsx';
import { SkeletonRows } from '#web/components/ui/skeleton.tsx';
import { vaultHeadings } from '#web/content/vault-headings.ts';
import { useSessionEnded } from '#web/features/accounts/use-session-ended.ts';
import { VerificationBanner } from '#web/features/accounts/verification-banner.tsx';
import { NotesForm } from '#web/features/first-weeks/notes-form.tsx';
import { useRead } from '#web/lib/api/reads.ts';

/** Form with the owner's plain facts for the first weeks after their death. */
export function FirstWeeksNotesPage() {
  const notes = useRead(getFirstWeeks);
  useSessionEnded(notes.data === null);
  return (
    <Page {...vaultHeadings['/first-weeks/notes']}>
      <VerificationBanner />
      <p className="measure">
        After a release, the contacts whom you choose read these notes beside the steps that the law asks. You see{' '}
        <Link href="/first-weeks">exactly their page</Link>. Every field may stay empty.
      </p>
      {notes.data ? (
        <NotesForm saved={notes.data} />
      ) : notes.isError ? (
        <LoadError
          title="We could not load your notes"
          text="They are safe. The connection failed. Try again, or come back in a few minutes."
          onRetry={() => notes.refetch()}
        />
      ) : (
        <SkeletonRows rows={3} label="Loading your notes" />
      )}
    </Page>
  );
}
