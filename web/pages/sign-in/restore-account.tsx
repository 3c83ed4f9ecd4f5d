import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { User } from '#shared/contract/accounts.ts';
import { restoreAccount } from '#shared/contract/deletion.ts';
import { askForMailboxProof } from '#shared/contract/mailbox.ts';
import { Button } from '#web/components/ui/button.tsx';
import { beginSession } from '#web/features/accounts/sign-in.ts';
import { SignInFrame } from '#web/features/accounts/sign-in-frame.tsx';
import { ExportForm } from '#web/features/privacy/export-card.tsx';
import { useChange } from '#web/lib/api/changes.ts';
import { isoDay, longDate } from '#web/lib/format.ts';
import { toast } from '#web/lib/toast.ts';
import '#web/features/privacy/privacy.css';

type RestoreAccountProps = { user: User & { deletionAt: string }; onSignOut: () => Promise<void> };

/** Only page for a person whose account is being deleted: undo, export or sign out. */
export function RestoreAccountPage({ user, onSignOut }: RestoreAccountProps) {
  const client = useQueryClient();
  const [wantsCopy, setWantsCopy] = useState(false);
  const restore = useChange(restoreAccount, {
    onSuccess: ({ planNotice, ...restored }) => {
      beginSession(client, restored);
      toast({ title: 'Account Restored', description: planNotice ?? 'Everything is as you left it.' });
    },
    onError: (error) => toast({ title: 'Error', description: error.message, variant: 'destructive' }),
  });
  const needsMailbox = user.isDisowned && !user.isMailboxProven;
  const ask = useChange(askForMailboxProof, {
    onError: (error) => toast({ title: 'Error', description: error.message, variant: 'destructive' }),
  });
  return (
    <SignInFrame title="Restore your account" heading="Your account is being deleted" offers="none">
      <div className="stack">
        <p>
          The account of <b>{user.email}</b> is still there, with everything in it, until{' '}
          <time dateTime={isoDay(user.deletionAt)}>{longDate(user.deletionAt)}</time>. Then it is destroyed, and cannot
          be brought back.
        </p>
        <p>Until you decide, nothing is sent, we ask no one about you, and we do not remind you.</p>
        {needsMailbox ? (
          <p>
            A reader of the mailbox of this address told us that the account is not theirs. If it is yours, show us
            first that you read the mail there: we send a link, which you open in this browser. Then you can restore the
            account.
          </p>
        ) : null}
        {ask.isSuccess ? <p role="status">{ask.data.message}</p> : null}
        <div className="btns btns-stack">
          {needsMailbox ? (
            <Button wide busy={ask.isPending} onClick={() => ask.mutate()}>
              {ask.isPending ? 'Sending…' : 'Send the link to my address'}
            </Button>
          ) : (
            <Button wide busy={restore.isPending} onClick={() => restore.mutate()}>
              {restore.isPending ? 'Restoring…' : 'Restore my account'}
            </Button>
          )}
          {wantsCopy ? null : (
            <Button wide variant="secondary" onClick={() => setWantsCopy(true)}>
              Take a copy with me
            </Button>
          )}
          <Button wide variant="secondary" onClick={onSignOut}>
            Sign out and let it go
          </Button>
        </div>
        {wantsCopy ? (
          <section className="data-card" aria-labelledby="export-title">
            <ExportForm />
          </section>
        ) : null}
      </div>
    </SignInFrame>
  );
}
