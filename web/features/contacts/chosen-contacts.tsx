import { useQueryClient } from '@tanstack/react-query';
import { deleteContact, resendInvitation, type TrustedContact } from '#shared/contract/contacts.ts';
import { ChosenBar } from '#web/components/choosing/chosen-bar.tsx';
import type { Choosing } from '#web/components/choosing/use-choosing.ts';
import { useFreshSignIn } from '#web/components/fresh-sign-in/use-fresh-sign-in.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { call } from '#web/lib/api/api.ts';
import { type ChangedEach, useChangeEach } from '#web/lib/api/change-each.ts';
import { clearDraft } from '#web/lib/drafts/draft-store.ts';
import { counted } from '#web/lib/format.ts';
import { undoing } from '#web/lib/take-back.ts';
import { toast } from '#web/lib/toast.ts';
import { contactState } from './contact-state.ts';

type Change = 'invite' | 'delete';

type ChosenContactsProps = {
  chosen: readonly TrustedContact[];
  /** How many the list shows. */
  of: number;
} & Pick<Choosing<TrustedContact>, 'all' | 'done'>;

/** What can be done with the contacts that are chosen. */
export function ChosenContacts({ chosen, of, all, done }: ChosenContactsProps) {
  const client = useQueryClient();
  const { run: withProof, dialog } = useFreshSignIn('Delete the contacts');
  const changeOne = async ({ id }: TrustedContact, what: Change): Promise<void> => {
    if (what === 'invite') return void (await call(resendInvitation, { params: { id } }));
    await withProof(() => call(deleteContact, { params: { id } }));
    return clearDraft(`contact:${id}`);
  };
  const change = useChangeEach(changeOne, (result, what) => {
    const deleted = chosen.map(({ id }) => ({ kind: 'contact' as const, id }));
    toast({ ...wordsFor(result, what), ...(what === 'delete' && result.failed === 0 ? undoing(client, deleted) : {}) });
    if (result.failed === 0) done();
  });
  const run = async (things: readonly TrustedContact[], what: Change) => {
    if (!change.isPending) await change.mutateAsync({ things, what });
  };
  const invitable = chosen.filter((contact) => contactState(contact).canBeInvited);
  return (
    <>
      <ChosenBar
        count={chosen.length}
        of={of}
        noun="contact"
        onAll={all}
        onDone={done}
        onDelete={() => run(chosen, 'delete')}
        isBusy={change.isPending}
      >
        <Button
          variant="secondary"
          size="small"
          disabled={invitable.length === 0}
          busy={change.isPending}
          onClick={() => run(invitable, 'invite')}
        >
          Invite again
        </Button>
      </ChosenBar>
      {dialog}
    </>
  );
}

function wordsFor({ changed, failed }: ChangedEach, what: Change) {
  const isDeletion = what === 'delete';
  if (failed > 0) {
    const some = `${failed} of ${counted(changed + failed, 'contact')} could not be ${isDeletion ? 'deleted' : 'invited'}.`;
    return {
      title: isDeletion ? 'Delete Failed' : 'Invitation not sent',
      description: `${some} Please try again.`,
      variant: 'destructive' as const,
    };
  }
  if (isDeletion) {
    return {
      title: changed === 1 ? 'Contact Deleted' : 'Contacts Deleted',
      description: changed === 1 ? 'They are not asked any more.' : `${changed} people are not asked any more.`,
    };
  }
  return {
    title: changed === 1 ? 'Invitation sent' : 'Invitations sent',
    description: `We write to ${changed === 1 ? 'them' : `${changed} people`} once more.`,
  };
}
