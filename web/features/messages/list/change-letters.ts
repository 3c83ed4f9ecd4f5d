import { useMutation, useQueryClient } from '@tanstack/react-query';
import { deleteMessage, listMessages, type Message, updateMessage } from '#shared/contract/messages.ts';
import { NotConfirmedError } from '#web/components/fresh-sign-in/not-confirmed.ts';
import { type FreshSignIn, useFreshSignIn } from '#web/components/fresh-sign-in/use-fresh-sign-in.tsx';
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

/**
 * Changes several letters, one after the other. One that can't be changed does not stand in the way of the others. Show its
 * `dialog` on the page: a letter to a new reader may ask for a fresh sign-in. If the owner leaves that question, the rest stay.
 */
export function useChangeLetters(onDone: (result: LettersChanged, change: LetterChange) => void) {
  const client = useQueryClient();
  const { run, dialog } = useFreshSignIn('Save the changes');
  const change = useMutation({
    mutationFn: async ({ ids, change }: Request): Promise<LettersChanged> => {
      // Read again first: another page may have changed their words, and those must not be put back.
      const messages = await client.fetchQuery<ReadData<typeof listMessages>>({
        queryKey: keyOf(listMessages),
        staleTime: 0,
      });
      let changed = 0;
      for (const id of ids) {
        const message = messages?.find((each) => each.id === id);
        if (!message) continue;
        const outcome = await outcomeOf(message, change, run);
        if (outcome === 'done') changed += 1;
        if (outcome === 'left') break;
      }
      return { changed, failed: ids.length - changed };
    },
    onSuccess: (result, { change }) => onDone(result, change),
    onError: (_, { ids, change }) => onDone({ changed: 0, failed: ids.length }, change),
    onSettled: () => client.invalidateQueries(),
  });
  return { ...change, dialog };
}

/** `left` if the owner closed the question who they are. */
async function outcomeOf(
  message: Message,
  change: LetterChange,
  run: FreshSignIn['run'],
): Promise<'done' | 'failed' | 'left'> {
  try {
    await run(() => apply(message, change));
    return 'done';
  } catch (error) {
    // A failure is counted, and the page shows the count.
    return error instanceof NotConfirmedError ? 'left' : 'failed';
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
