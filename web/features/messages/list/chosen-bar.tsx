import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Message } from '#shared/contract/messages.ts';
import { Button } from '#web/components/ui/button.tsx';
import { ConfirmDialog } from '#web/components/ui/dialog.tsx';
import { counted } from '#web/lib/format.ts';
import { undoing } from '#web/lib/take-back.ts';
import { toast } from '#web/lib/toast.ts';
import { type LetterChange, type LettersChanged, useChangeLetters } from './change-letters.ts';

type ChosenBarProps = {
  /** Those in the list that are chosen. */
  chosen: readonly Message[];
  /** How many the list shows. */
  of: number;
  onAll: () => void;
  onDone: () => void;
};

/** What can be done with the letters that are chosen. It stands at the lower edge while there is something to choose. */
export function ChosenBar({ chosen, of, onAll, onDone }: ChosenBarProps) {
  const client = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const change = useChangeLetters((result, done) => {
    setAsking(false);
    toast({ ...wordsFor(result, done), ...undoOf(client, chosen, { result, done }) });
    if (result.failed === 0) onDone();
  });
  const idsOf = (status: Message['status']) =>
    chosen.filter((each) => each.status === status && !each.isDamaged).map(({ id }) => id);
  const run = (ids: readonly string[], what: LetterChange) => {
    if (!change.isPending) change.mutate({ ids, change: what });
  };
  const [drafts, ready] = [idsOf('draft'), idsOf('ready')];
  return (
    <section className="chosen-bar" aria-label="Chosen letters">
      <p className="it" role="status">
        {counted(chosen.length, 'letter')} chosen
      </p>
      <div className="chosen-acts">
        <Button variant="text" size="small" className="chosen-all" disabled={chosen.length === of} onClick={onAll}>
          All {of}
        </Button>
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
        <Button
          variant="danger-outline"
          size="small"
          disabled={chosen.length === 0}
          busy={change.isPending}
          onClick={() => setAsking(true)}
        >
          Delete
        </Button>
        <Button variant="secondary" size="small" className="chosen-done" onClick={onDone}>
          Done
        </Button>
      </div>
      <DeletionQuestion
        count={chosen.length}
        open={isAsking}
        busy={change.isPending}
        onClose={() => setAsking(false)}
        onConfirm={() =>
          run(
            chosen.map(({ id }) => id),
            { what: 'delete' },
          )
        }
      />
    </section>
  );
}

type DeletionQuestionProps = {
  count: number;
  open: boolean;
  busy: boolean;
  onClose: () => void;
  onConfirm: () => void;
};

function DeletionQuestion({ count, ...rest }: DeletionQuestionProps) {
  const isOne = count === 1;
  return (
    <ConfirmDialog
      {...rest}
      title={isOne ? 'Delete this message?' : `Delete these ${count} messages?`}
      text={`Are you sure you want to delete ${isOne ? 'this message' : 'these messages'}? This action cannot be undone.`}
      cancelLabel={isOne ? 'Keep it' : 'Keep them'}
      confirmLabel={rest.busy ? 'Deleting…' : isOne ? 'Delete the message' : `Delete ${count} messages`}
      danger
    />
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
  if (failed > 0) {
    const some = `${failed} of ${counted(changed + failed, 'message')} could not be ${isDeletion ? 'deleted' : 'changed'}.`;
    return {
      title: isDeletion ? 'Delete Failed' : 'Update Failed',
      description: `${some} Please try again.`,
      variant: 'destructive' as const,
    };
  }
  const them = changed === 1 ? 'The message has been' : `${changed} messages have been`;
  if (isDeletion) {
    return {
      title: changed === 1 ? 'Message Deleted' : 'Messages Deleted',
      description: `${them} permanently deleted.`,
    };
  }
  const status = 'status' in rest && rest.status === 'ready' ? 'ready for delivery' : 'draft';
  return { title: changed === 1 ? 'Message Updated' : 'Messages Updated', description: `${them} saved as ${status}.` };
}
