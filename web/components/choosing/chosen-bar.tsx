import { type ReactNode, useState } from 'react';
import { Button } from '#web/components/ui/button.tsx';
import { ConfirmDialog } from '#web/components/ui/dialog.tsx';
import { counted } from '#web/lib/format.ts';
import { keptWords } from '#web/lib/take-back.ts';
import './choosing.css';

type ChosenBarProps = {
  /** Number of chosen items. */
  count: number;
  /** Number of items that the list shows. */
  of: number;
  /** True if there are further items that the list does not show yet. */
  isPart?: boolean;
  /** Noun in the list, `letter`, and in the question, `message`. */
  noun: string;
  deletedNoun?: string;
  onAll: () => void;
  onDone: () => void;
  /** Deletes all of them; the question is gone when it is done. */
  onDelete: () => Promise<unknown>;
  isBusy: boolean;
  /** Further actions. */
  children: ReactNode;
};

/** Actions on all chosen items. Stays at the lower edge while items can be chosen. */
export function ChosenBar({
  count,
  of,
  isPart = false,
  noun,
  deletedNoun = noun,
  onAll,
  onDone,
  ...rest
}: ChosenBarProps) {
  const { onDelete, isBusy, children } = rest;
  const [isAsking, setAsking] = useState(false);
  const deleted = count === 1 ? `this ${deletedNoun}` : `these ${deletedNoun}s`;
  const isDeleting = isAsking && isBusy;
  return (
    <section className="chosen-bar" aria-label={`Chosen ${noun}s`}>
      <p className="it" role="status">
        {counted(count, noun)} chosen
      </p>
      <div className="chosen-acts">
        <Button variant="text" size="small" className="chosen-all" disabled={count === of} onClick={onAll}>
          {isPart ? `All ${of} shown` : `All ${of}`}
        </Button>
        {children}
        <Button
          variant="danger-outline"
          size="small"
          disabled={count === 0}
          busy={isBusy}
          onClick={() => setAsking(true)}
        >
          Delete
        </Button>
        <Button variant="secondary" size="small" className="chosen-done" onClick={onDone}>
          Done
        </Button>
      </div>
      <ConfirmDialog
        open={isAsking}
        busy={isDeleting}
        onClose={() => setAsking(false)}
        onConfirm={() => void onDelete().then(() => setAsking(false))}
        title={count === 1 ? `Delete this ${deletedNoun}?` : `Delete these ${counted(count, deletedNoun)}?`}
        text={`Are you sure you want to delete ${deleted}? ${keptWords(count)}`}
        cancelLabel={count === 1 ? 'Keep it' : 'Keep them'}
        confirmLabel={
          isDeleting ? 'Deleting…' : count === 1 ? `Delete the ${deletedNoun}` : `Delete ${counted(count, deletedNoun)}`
        }
        danger
      />
    </section>
  );
}
