import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Envelope } from '#shared/contract/letters/envelopes.ts';
import { ChangedMeanwhile } from '#web/components/choosing/changed-meanwhile.tsx';
import { ChosenBar } from '#web/components/choosing/chosen-bar.tsx';
import { notAllChanged } from '#web/components/choosing/use-change-chosen.ts';
import { Button } from '#web/components/ui/button.tsx';
import { keptWords, undoing } from '#web/lib/take-back.ts';
import { toast } from '#web/lib/toast.ts';
import { type LetterChange, type LettersChanged, useChangeLetters } from './change-letters.ts';

type ChosenLettersProps = {
  /** Chosen letters of the list. */
  chosen: readonly Envelope[];
  /** Number of letters that the list shows. */
  of: number;
  /** True if further letters were found that are not shown yet. */
  isPart: boolean;
  onAll: () => void;
  onDone: () => void;
};

/** Actions for the chosen letters. */
export function ChosenLetters({ chosen, of, isPart, onAll, onDone }: ChosenLettersProps) {
  const client = useQueryClient();
  const [meanwhile, setMeanwhile] = useState<readonly string[]>([]);
  const change = useChangeLetters((result, done) => {
    setMeanwhile(result.meanwhile);
    toast({ ...wordsFor(result, done), ...undoOf(client, chosen, { result, done }) });
    if (result.failed === 0) onDone();
  });
  const lettersThatAre = (status: Envelope['status']) =>
    chosen.filter((each) => each.status === status && !each.isDamaged);
  const run = async (letters: readonly Envelope[], what: LetterChange) => {
    if (!change.isPending) await change.mutateAsync({ letters, change: what }).catch(() => undefined);
  };
  const [drafts, ready] = [lettersThatAre('draft'), lettersThatAre('ready')];
  return (
    <>
      <ChosenBar
        count={chosen.length}
        noun="letter"
        deletedNoun="message"
        isBusy={change.isPending}
        onDelete={() => run(chosen, { what: 'delete' })}
        {...{ of, isPart, onAll, onDone }}
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
      <ChangedMeanwhile names={meanwhile} />
      {change.dialog}
    </>
  );
}

/** If all of them were deleted, all can be restored. */
function undoOf(
  client: QueryClient,
  chosen: readonly Envelope[],
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
