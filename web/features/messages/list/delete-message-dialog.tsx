import type { Message } from '#shared/contract/messages.ts';
import { DeleteDialog } from '#web/components/ui/delete-dialog.tsx';
import { call } from '#web/lib/api/api.ts';
import { vaultRoutes } from '#web/lib/api/vault-routes.ts';
import { keptWords } from '#web/lib/take-back.ts';

type DeleteMessageDialogProps = { message: Pick<Message, 'id' | 'version'> | undefined; onClose: () => void };

/** Asks before a message is deleted. */
export function DeleteMessageDialog({ message, onClose }: DeleteMessageDialogProps) {
  return (
    <DeleteDialog
      id={message?.id}
      onClose={onClose}
      deleteById={(id) => call(vaultRoutes.deleteMessage, { params: { id }, query: { version: message?.version } })}
      kind="message"
      words={{
        title: 'Delete this message?',
        text: `Are you sure you want to delete this message? ${keptWords(1)}`,
        confirm: 'Delete the message',
        deleted: { title: 'Message Deleted', description: keptWords(1) },
        failed: 'Unable to delete message. Please try again.',
      }}
    />
  );
}
