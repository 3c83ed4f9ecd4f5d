import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import type { Message } from '#shared/contract/messages.ts';
import { ChosenBar } from '#web/components/choosing/chosen-bar.tsx';
import { notAllChanged } from '#web/components/choosing/use-change-chosen.ts';
import { Button } from '#web/components/ui/button.tsx';
import { keptWords, undoing } from '#web/lib/take-back.ts';
import { toast } from '#web/lib/toast.ts';
import { type LetterChange, type LettersChanged, useChangeLetters } from './change-letters.ts';

type ChosenLettersProps = {
  /** Those in the list that are chosen. */
  chosen: readonly Message[];
  /** How many the list shows. */
  of: number;
  onAll: () => void;
  onDone: () => void;
};

/** What can be done with the letters that are chosen. */
export function ChosenLetters({ chosen, of, onAll, onDone }: ChosenLettersProps) {
  const client = useQueryClient();
  const change = useChangeLetters((result, done) => {
    toast({ ...wordsFor(result, done), ...undoOf(client, chosen, { result, done }) });
    if (result.failed === 0) onDone();
  });
  const idsOf = (status: Message['status']) =>
    chosen.filter((each) => each.status === status && !each.isDamaged).map(({ id }) => id);
  const run = async (ids: readonly string[], what: LetterChange) => {
    if (!change.isPending) await change.mutateAsync({ ids, change: what }).catch(() => undefined);
  };
  const [drafts, ready] = [idsOf('draft'), idsOf('ready')];
  return (
    <>
      <ChosenBar
        count={chosen.length}
        noun="letter"
        deletedNoun="message"
        isBusy={change.isPending}
        onDelete={() =>
          run(
            chosen.map(({ id }) => id),
            { what: 'delete' },
          )
        }
        {...{ of, onAll, onDone }}
      >
        <Button
          variant="secondary"
          size="small"
          disabled={drafts.length === 0}
          busy={change.isPending}
          onClick={() => run(drafts, { what: 'status', status: 'ready' })}
        >
          Mark as ready
        </Button>
        <Button
          variant="secondary"
          size="small"
          disabled={ready.length === 0}
          busy={change.isPending}
          onClick={() => run(ready, { what: 'status', status: 'draft' })}
        >
          Back to draft
        </Button>
      </ChosenBar>
      {change.dialog}
    </>
  );
}

/** Where all of them were deleted, all can be taken back. */
function undoOf(
  client: QueryClient,
  chosen: readonly Message[],
  { result, done }: { result: LettersChanged; done: LetterChange },
) {
  if (done.what !== 'delete' || result.failed > 0) return {};
  return undoing(
    client,
    chosen.map(({ id }) => ({ kind: 'message', id })),
  );
}

function wordsFor({ changed, failed }: LettersChanged, { what, ...rest }: LetterChange) {
  const isDeletion = what === 'delete';
  if (failed > 0)
    return notAllChanged(
      { changed, failed },
      'message',
      isDeletion ? undefined : { title: 'Update Failed', verb: 'changed' },
    );
  const them = changed === 1 ? 'The message has been' : `${changed} messages have been`;
  if (isDeletion) {
    return {
      title: changed === 1 ? 'Message Deleted' : 'Messages Deleted',
      description: keptWords(changed),
    };
  }
  const status = 'status' in rest && rest.status === 'ready' ? 'ready for delivery' : 'draft';
  return { title: changed === 1 ? 'Message Updated' : 'Messages Updated', description: `${them} saved as ${status}.` };
}
