import { useQueryClient } from '@tanstack/react-query';
import type { TrustedContact } from '#shared/contract/contacts.ts';
import { useFreshSignIn } from '#web/components/fresh-sign-in/use-fresh-sign-in.tsx';
import { DeleteDialog } from '#web/components/ui/delete-dialog.tsx';
import { call } from '#web/lib/api/api.ts';
import { useChange } from '#web/lib/api/changes.ts';
import { vaultRoutes } from '#web/lib/api/vault-routes.ts';
import { keptWords } from '#web/lib/take-back.ts';
import { toast } from '#web/lib/toast.ts';

type DeleteContactDialogProps = { contact: TrustedContact | undefined; onClose: () => void };

/** Asks before a contact is removed. */
export function DeleteContactDialog({ contact, onClose }: DeleteContactDialogProps) {
  const { run, dialog } = useFreshSignIn('Delete the contact');
  return (
    <>
      <DeleteDialog
        id={contact?.id}
        onClose={onClose}
        deleteById={(id) =>
          run(() => call(vaultRoutes.deleteContact, { params: { id }, query: { version: contact?.version } }))
        }
        kind="contact"
        words={{
          title: 'Delete this contact?',
          text: `Are you sure you want to delete this trusted contact? ${keptWords(1)}`,
          confirm: 'Delete the contact',
          cancel: 'Keep them',
          deleted: {
            title: 'Contact Deleted',
            description: `${contact?.name} is no longer one of your trusted contacts.`,
          },
          failed: 'Unable to delete contact. Please try again.',
        }}
      />
      {dialog}
    </>
  );
}

/** Sends a contact the invitation once more. */
export function useInvite() {
  const client = useQueryClient();
  const invite = useChange(vaultRoutes.resendInvitation, {
    onSuccess: ({ message }) => {
      toast({ title: 'Invitation sent', description: message });
      client.invalidateQueries();
    },
    onError: (error) => toast({ title: 'Invitation not sent', description: error.message, variant: 'destructive' }),
  });
  return {
    invite: ({ id }: TrustedContact) => {
      if (!invite.isPending) invite.mutate({ params: { id } });
    },
    /** Id of the contact that is being invited. */
    invitingId: invite.isPending ? invite.variables.params.id : undefined,
  };
}
