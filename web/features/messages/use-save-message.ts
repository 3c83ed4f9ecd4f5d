import { useMutation, useQueryClient } from '@tanstack/react-query';
import { createMessage, type Message, updateMessage } from '#shared/contract/messages.ts';
import { ApiError, call } from '#web/lib/api.ts';
import { toast } from '#web/lib/toast.ts';
import type { MessageAnswers } from './message-form-state.ts';

/** Saves a message, new or changed, and says so. Everything that shows messages or limits is read again. */
export function useSaveMessage(message: Message | undefined, onSaved: () => void) {
  const client = useQueryClient();
  const isNew = message === undefined;
  return useMutation({
    mutationFn: (body: MessageAnswers) =>
      message ? call(updateMessage, { params: { id: message.id }, body }) : call(createMessage, { body }),
    onSuccess: (_, { status }) => {
      const as = status === 'draft' ? 'draft' : 'ready for delivery';
      toast(
        isNew
          ? { title: 'Message Saved', description: `Your message has been saved as ${as}` }
          : { title: 'Message Updated', description: `Your message has been successfully updated as ${as}` },
      );
      onSaved();
      client.invalidateQueries();
    },
    onError: (error) => toast({ ...saveFailure(error, isNew), variant: 'destructive' }),
  });
}

/** Title and sentence for a message that could not be saved. */
export function saveFailure(error: unknown, isNew: boolean): { title: string; description: string } {
  if (error instanceof ApiError) {
    if (/plan limit/i.test(error.message)) return { title: 'Plan Limit Reached', description: error.message };
    if (error.status === 403 && error.upgradeRequired) {
      return { title: 'Upgrade Required', description: error.message };
    }
  }
  return { title: 'Error', description: `Failed to ${isNew ? 'save' : 'update'} message. Please try again.` };
}
