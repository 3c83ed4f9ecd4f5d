import { Link } from 'wouter';
import { listContacts } from '#shared/contract/contacts.ts';
import { getFirstWeeksPage } from '#shared/contract/vault/first-weeks.ts';
import { FirstWeeksSheet } from '#web/components/first-weeks/first-weeks-sheet.tsx';
import { Page } from '#web/components/layout/page.tsx';
import { Button, ButtonLink } from '#web/components/ui/button.tsx';
import { LoadError } from '#web/components/ui/empty.tsx';
import { Icon } from '#web/components/ui/icon.tsx';
import { SkeletonRows } from '#web/components/ui/skeleton.tsx';
import { vaultHeadings } from '#web/content/vault-headings.ts';
import { useSessionEnded } from '#web/features/accounts/use-session-ended.ts';
import { SheetToKeep } from '#web/features/first-weeks/sheet-to-keep.tsx';
import { useRead } from '#web/lib/api/reads.ts';

/** The owner's own page for the first weeks, exactly as chosen contacts see it after a release. */
export function FirstWeeksPage() {
  const page = useRead(getFirstWeeksPage, { refetchOnMount: 'always' });
  useSessionEnded(page.data === null);
  return (
    <Page
      {...vaultHeadings['/first-weeks']}
      actions={
        <>
          <ButtonLink href="/first-weeks/notes">
            {page.data?.updatedAt ? 'Change the notes' : 'Write the notes'}
          </ButtonLink>
          <Button variant="secondary" onClick={() => print()}>
            <Icon name="print" />
            Print
          </Button>
        </>
      }
    >
      <SeenBy />
      {page.data ? <SheetToKeep /> : null}
      {page.data ? (
        <FirstWeeksSheet page={page.data} />
      ) : page.isError ? (
        <LoadError
          title="We could not load this page"
          text="Your notes are safe. The connection failed. Try again, or come back in a few minutes."
          onRetry={() => page.refetch()}
        />
      ) : (
        <SkeletonRows rows={3} label="Loading the page" />
      )}
    </Page>
  );
}

/** Contacts who see the page after a release. */
function SeenBy() {
  const contacts = useRead(listContacts);
  if (!contacts.data) return null;
  const names = contacts.data.filter(({ seesFirstWeeks }) => seesFirstWeeks).map(({ name }) => name);
  return (
    <p className="measure noprint">
      {names.length > 0 ? (
        <>
          After a release, <b>{new Intl.ListFormat('en-GB').format(names)}</b> can read and save this page.
        </>
      ) : (
        'No contact sees this page yet.'
      )}{' '}
      You choose that under <Link href="/contacts">Trusted Contacts</Link>, for each contact.
    </p>
  );
}
