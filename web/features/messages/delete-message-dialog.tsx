import { useMutation, useQueryClient } from '@tanstack/react-query';
import { deleteMessage, type Message } from '#shared/contract/messages.ts';
import { ConfirmDialog } from '#web/components/ui/dialog.tsx';
import { call } from '#web/lib/api.ts';
import { clearDraft } from '#web/lib/draft-store.ts';
import { toast } from '#web/lib/toast.ts';

/** Asks before a message is deleted for good. */
export function DeleteMessageDialog({ message, onClose }: { message: Message | undefined; onClose: () => void }) {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: (id: string) => call(deleteMessage, { params: { id } }),
    onSuccess: (_, id) => {
      toast({ title: 'Message Deleted', description: 'The message has been permanently deleted.' });
      clearDraft(`message:${id}`);
      onClose();
      client.invalidateQueries();
    },
    onError: () => {
      // A notice can't be reached beside an open dialog; the question is asked again with the next press.
      onClose();
      toast({
        title: 'Delete Failed',
        description: 'Unable to delete message. Please try again.',
        variant: 'destructive',
      });
    },
  });
  return (
    <ConfirmDialog
      open={message !== undefined}
      onClose={onClose}
      onConfirm={() => {
        if (message && !remove.isPending) remove.mutate(message.id);
      }}
      title="Delete this message?"
      text="Are you sure you want to delete this message? This action cannot be undone."
      cancelLabel="Keep it"
      confirmLabel={remove.isPending ? 'Deleting…' : 'Delete the message'}
      busy={remove.isPending}
      danger
    />
  );
}
