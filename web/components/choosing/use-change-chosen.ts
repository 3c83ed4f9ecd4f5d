import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { DeletedKind } from '#shared/rules/retention.ts';
import { isChangedElsewhere } from '#web/lib/api/saves.ts';
import { counted } from '#web/lib/format.ts';
import { undoing } from '#web/lib/take-back.ts';
import { type ToastContent, toast } from '#web/lib/toast.ts';

export type ChangedEach = { changed: number; failed: number };

type ChangeChosen<T extends { id: string }, What extends string> = {
  kind: DeletedKind;
  nameOf: (thing: T) => string;
  changeOne: (thing: T, what: What | 'delete') => Promise<unknown>;
  /** Notice if all were changed. */
  wordsOf: (changed: number, what: What | 'delete') => ToastContent;
  /** Notice if some failed: a title, and the verb. */
  failureOf: (what: What) => { title: string; verb: string };
  onDone: () => void;
};

/**
 * Changes several things, one after the other, says so, and reads everything again. One that can't be changed does not stand in
 * the way of the others; where all of them were deleted, all can be taken back.
 */
export function useChangeChosen<T extends { id: string }, What extends string>(chosen: ChangeChosen<T, What>) {
  const { kind, nameOf, changeOne, wordsOf, failureOf, onDone } = chosen;
  const client = useQueryClient();
  const [changedMeanwhile, setChangedMeanwhile] = useState<readonly string[]>([]);
  const change = useMutation({
    mutationFn: async ({ things, what }: { things: readonly T[]; what: What | 'delete' }): Promise<ChangedEach> => {
      let changed = 0;
      const meanwhile: string[] = [];
      for (const thing of things) {
        try {
          await changeOne(thing, what);
          changed += 1;
        } catch (error) {
          // The failure is counted and reported to the owner.
          if (isChangedElsewhere(error)) meanwhile.push(nameOf(thing));
        }
      }
      setChangedMeanwhile(meanwhile);
      return { changed, failed: things.length - changed };
    },
    onSuccess: (result, { things, what }) => {
      if (result.failed > 0)
        return void toast(notAllChanged(result, kind, what === 'delete' ? deletion : failureOf(what as What)));
      const deleted = things.map(({ id }) => ({ kind, id }));
      toast({ ...wordsOf(result.changed, what), ...(what === 'delete' ? undoing(client, deleted) : {}) });
      onDone();
    },
    onSettled: () => client.invalidateQueries(),
  });
  return {
    isPending: change.isPending,
    /** Names of items that the last change left alone, since they were changed elsewhere. */
    changedMeanwhile,
    run: async (things: readonly T[], what: What | 'delete'): Promise<void> => {
      if (!change.isPending) await change.mutateAsync({ things, what });
    },
  };
}

const deletion = { title: 'Delete Failed', verb: 'deleted' };

/** Notice if some of several items could not be changed. */
export function notAllChanged(
  { changed, failed }: ChangedEach,
  noun: string,
  { title, verb }: { title: string; verb: string } = deletion,
): ToastContent {
  const description = `${failed} of ${counted(changed + failed, noun)} could not be ${verb}. Please try again.`;
  return { title, description, variant: 'destructive' };
}
