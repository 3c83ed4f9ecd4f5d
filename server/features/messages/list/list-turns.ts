import { perApp } from '#server/app.ts';
import { createSlots, type Slots } from '#server/platform/slots.ts';
import { AppError } from '#shared/contract/errors.ts';

/** Lists of all owners that this process makes at once: each holds the facts that decide the order of a vault's items. */
const listsAtOnceMax = 2;
const waitingMax = 100;
/** Further lists of one owner that wait, such as those of other windows. */
const waitingOfOwnerMax = 10;
const retryAfterSeconds = 5;

export type ListTurns = {
  /**
   * One list of an owner at a time. Leaves the queue if the signal aborts.
   * @throws AppError `RATE_LIMITED` or `UNAVAILABLE` if too many wait, and the reason of the signal.
   */
  ofOwner<Done>(userId: string, act: () => Promise<Done>, signal?: AbortSignal): Promise<Done>;
};

/** Bounds the lists that are made at once, so that an owner with many letters or documents slows down no other. */
export function createListTurns(): ListTurns {
  const owners = new Map<string, { slots: Slots; callers: number }>();
  const slots = createSlots({ slotsMax: listsAtOnceMax, waitingMax, full: allTaken });

  return {
    async ofOwner(userId, act, signal) {
      const turns = owners.get(userId) ?? { slots: ownersSlots(), callers: 0 };
      owners.set(userId, turns);
      turns.callers += 1;
      try {
        return await turns.slots.run(() => slots.run(act, signal), signal);
      } finally {
        turns.callers -= 1;
        if (turns.callers === 0) owners.delete(userId);
      }
    },
  };
}

/** Turns of the owners whose vaults this process lists. */
export const listTurnsOf = perApp(createListTurns);

function ownersSlots(): Slots {
  return createSlots({ slotsMax: 1, waitingMax: waitingOfOwnerMax, full: ownersTaken });
}

function ownersTaken(): AppError {
  const message = 'Your vault is being listed several times already. Try again in a few seconds.';
  return new AppError('RATE_LIMITED', message, { retryAfterSeconds });
}

function allTaken(): AppError {
  const message = 'Many people are reading their vaults just now. Try again in a few seconds.';
  return new AppError('UNAVAILABLE', message, { retryAfterSeconds });
}
