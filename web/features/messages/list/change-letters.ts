import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Envelope } from '#shared/contract/letters/envelopes.ts';
import type { Message } from '#shared/contract/messages.ts';
import { NotConfirmedError } from '#web/components/fresh-sign-in/not-confirmed.ts';
import { type FreshSignIn, useFreshSignIn } from '#web/components/fresh-sign-in/use-fresh-sign-in.tsx';
import { sealedFileOf } from '#web/features/messages/store-message.ts';
import { call } from '#web/lib/api/api.ts';
import { light } from '#web/lib/api/light-routes.ts';
import { isChangedElsewhere } from '#web/lib/api/saves.ts';
import { vaultRoutes } from '#web/lib/api/vault-routes.ts';
import { clearDraft } from '#web/lib/drafts/draft-store.ts';

/** Action on several letters at once. */
export type LetterChange =
  | { what: 'delete' }
  | { what: 'status'; status: 'draft' | 'ready' }
  | { what: 'places'; places: ReadonlyMap<string, number> };

type Request = { letters: readonly Envelope[]; change: LetterChange };
/** `meanwhile`: titles of letters that were left alone, since they were changed elsewhere. */
export type LettersChanged = { changed: number; failed: number; meanwhile: readonly string[] };

/**
 * Changes several letters as the page shows them, one after the other. One that can't be changed does not stand in the way of the others. Show its
 * `dialog` on the page: a letter to a new reader may ask for a fresh sign-in. If the owner leaves that question, the rest stay.
 */
export function useChangeLetters(onDone: (result: LettersChanged, change: LetterChange) => void) {
  const client = useQueryClient();
  const { run, dialog } = useFreshSignIn('Save the changes');
  const change = useMutation({
    mutationFn: async ({ letters, change }: Request): Promise<LettersChanged> => {
      let changed = 0;
      const meanwhile: string[] = [];
      for (const message of letters) {
        const outcome = await outcomeOf(message, change, run);
        if (outcome === 'done') changed += 1;
        if (outcome === 'meanwhile') meanwhile.push(message.title);
        if (outcome === 'left') break;
      }
      return { changed, failed: letters.length - changed, meanwhile };
    },
    onSuccess: (result, { change }) => onDone(result, change),
    onSettled: () => client.invalidateQueries(),
  });
  return { ...change, dialog };
}

/** `left` if the owner closed the question who they are; `meanwhile` if the letter was changed elsewhere. */
async function outcomeOf(
  message: Envelope,
  change: LetterChange,
  run: FreshSignIn['run'],
): Promise<'done' | 'failed' | 'meanwhile' | 'left'> {
  try {
    await run(() => apply(message, change));
    return 'done';
  } catch (error) {
    if (isChangedElsewhere(error)) return 'meanwhile';
    // A failure is counted, and the page shows the count.
    return error instanceof NotConfirmedError ? 'left' : 'failed';
  }
}

async function apply(envelope: Envelope, change: LetterChange): Promise<void> {
  const { id, version } = envelope;
  if (change.what === 'delete') {
    await call(vaultRoutes.deleteMessage, { params: { id }, query: { version } });
    return clearDraft(`message:${id}`);
  }
  const message = await call(light.getMessage, { params: { id } });
  // The version that the page shows: a letter that was changed since is refused.
  const same = { ...asItIs(message), ...sealedFileOf(message), version };
  const body =
    change.what === 'status' ? { ...same, status: change.status } : { ...same, position: change.places.get(id) };
  await call(vaultRoutes.updateMessage, { params: { id }, body });
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
