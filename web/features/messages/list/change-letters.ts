import { useMutation, useQueryClient } from '@tanstack/react-query';
import { deleteMessage, listMessages, type Message, updateMessage } from '#shared/contract/messages.ts';
import { sealedFileOf } from '#web/features/messages/store-message.ts';
import { call } from '#web/lib/api/api.ts';
import { keyOf, type ReadData } from '#web/lib/api/reads.ts';
import { clearDraft } from '#web/lib/drafts/draft-store.ts';

/** What is done to several letters at once. */
export type LetterChange =
  | { what: 'delete' }
  | { what: 'status'; status: 'draft' | 'ready' }
  | { what: 'places'; places: ReadonlyMap<string, number> };

type Request = { ids: readonly string[]; change: LetterChange };
export type LettersChanged = { changed: number; failed: number };

/** Changes several letters, one after the other. One that can't be changed does not stand in the way of the others. */
export function useChangeLetters(onDone: (result: LettersChanged, change: LetterChange) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ ids, change }: Request): Promise<LettersChanged> => {
      // Read again first: another page may have changed their words, and those must not be put back.
      const messages = await client.fetchQuery<ReadData<typeof listMessages>>({
        queryKey: keyOf(listMessages),
        staleTime: 0,
      });
      let changed = 0;
      for (const id of ids) {
        const message = messages?.find((each) => each.id === id);
        if (message && (await isDone(message, change))) changed += 1;
      }
      return { changed, failed: ids.length - changed };
    },
    onSuccess: (result, { change }) => onDone(result, change),
    onError: (_, { ids, change }) => onDone({ changed: 0, failed: ids.length }, change),
    onSettled: () => client.invalidateQueries(),
  });
}

async function isDone(message: Message, change: LetterChange): Promise<boolean> {
  try {
    await apply(message, change);
    return true;
  } catch {
    // It is counted, and the owner is told.
    return false;
  }
}

async function apply(message: Message, change: LetterChange): Promise<void> {
  const { id } = message;
  if (change.what === 'delete') {
    await call(deleteMessage, { params: { id } });
    return clearDraft(`message:${id}`);
  }
  const same = { ...asItIs(message), ...sealedFileOf(message) };
  const body =
    change.what === 'status' ? { ...same, status: change.status } : { ...same, position: change.places.get(id) };
  await call(updateMessage, { params: { id }, body });
}

/** A letter as it is sent back unchanged. What a change may leave out stays as it is. */
function asItIs({ title, content, encryptedContent, category, status, visibleToTrustedContact, recipients }: Message) {
  return {
    title,
    content,
    encryptedContent,
    category,
    status: status === 'ready' ? ('ready' as const) : ('draft' as const),
    visibleToTrustedContact,
    recipients: recipients.map(({ name, relation, email }) => ({ name, relation, email })),
  };
}
