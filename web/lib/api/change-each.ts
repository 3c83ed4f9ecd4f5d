import { useMutation, useQueryClient } from '@tanstack/react-query';

export type ChangedEach = { changed: number; failed: number };

/**
 * Changes several things, one after the other, and reads everything again. One that can't be changed does not stand in the
 * way of the others.
 */
export function useChangeEach<Thing, What>(
  changeOne: (thing: Thing, what: What) => Promise<unknown>,
  onDone: (result: ChangedEach, what: What) => void,
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ things, what }: { things: readonly Thing[]; what: What }): Promise<ChangedEach> => {
      let changed = 0;
      for (const thing of things) {
        try {
          await changeOne(thing, what);
          changed += 1;
        } catch {
          // It is counted, and the owner is told.
        }
      }
      return { changed, failed: things.length - changed };
    },
    onSuccess: (result, { what }) => onDone(result, what),
    onSettled: () => client.invalidateQueries(),
  });
}
