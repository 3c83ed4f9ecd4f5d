import { useMutation, useQueryClient } from '@tanstack/react-query';
import { deleteContact, resendInvitation, type TrustedContact } from '#shared/contract/contacts.ts';
import { ConfirmDialog, Dialog } from '#web/components/ui/dialog.tsx';
import { call } from '#web/lib/api.ts';
import { toast } from '#web/lib/toast.ts';
import { ContactForm } from './contact-form.tsx';

type ContactDialogProps = {
  open: boolean;
  contact?: TrustedContact | undefined;
  isVerified: boolean;
  onClose: () => void;
};

/** Names a contact, or changes one. What was typed is kept when it is closed, and found again when it is opened. */
export function ContactDialog({ open, contact, isVerified, onClose }: ContactDialogProps) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={contact ? 'Edit Trusted Contact' : 'Add Trusted Contact'}
      closesOutside={false}
    >
      <ContactForm contact={contact} isVerified={isVerified} onSaved={onClose} onCancel={onClose} />
    </Dialog>
  );
}

/** Asks before a contact is removed. */
export function DeleteContactDialog({
  contact,
  onClose,
}: {
  contact: TrustedContact | undefined;
  onClose: () => void;
}) {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: ({ id }: TrustedContact) => call(deleteContact, { params: { id } }),
    onSuccess: (_, { name }) => {
      toast({ title: 'Contact Deleted', description: `${name} is no longer one of your trusted contacts.` });
      onClose();
      client.invalidateQueries();
    },
    onError: () => {
      // A notice can't be reached beside an open dialog; the question is asked again with the next press.
      onClose();
      toast({
        title: 'Delete Failed',
        description: 'Unable to delete contact. Please try again.',
        variant: 'destructive',
      });
    },
  });
  return (
    <ConfirmDialog
      open={contact !== undefined}
      onClose={onClose}
      onConfirm={() => {
        if (contact && !remove.isPending) remove.mutate(contact);
      }}
      title="Delete this contact?"
      text="Are you sure you want to delete this trusted contact? This action cannot be undone."
      cancelLabel="Keep them"
      confirmLabel={remove.isPending ? 'Deleting…' : 'Delete the contact'}
      busy={remove.isPending}
      danger
    />
  );
}

/** Sends a contact the invitation once more. */
export function useInvite() {
  const client = useQueryClient();
  const invite = useMutation({
    mutationFn: ({ id }: TrustedContact) => call(resendInvitation, { params: { id } }),
    onSuccess: (_, { name }) => {
      toast({ title: 'Invitation sent', description: `${name} has been sent a new link.` });
      client.invalidateQueries();
    },
    onError: (error) => toast({ title: 'Invitation not sent', description: error.message, variant: 'destructive' }),
  });
  return {
    invite: (contact: TrustedContact) => {
      if (!invite.isPending) invite.mutate(contact);
    },
    /** Id of the contact that is being invited. */
    invitingId: invite.isPending ? invite.variables.id : undefined,
  };
}
