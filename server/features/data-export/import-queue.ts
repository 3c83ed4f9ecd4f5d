import { createSlots } from '#server/platform/slots.ts';
import { AppError } from '#shared/contract/errors.ts';
import { importsAtOnceMax } from '#shared/rules/imports.ts';

/** When whoever was turned away may try again. */
const retryAfterSeconds = 60;
/** Owners whose turn has not come yet, and who wait for it. */
const waitingMax = 8;

export type ImportQueue = {
  /** One import of an owner at a time, from the first byte that comes. @throws AppError `RATE_LIMITED`. */
  ofOwner<Done>(userId: string, act: () => Promise<Done>): Promise<Done>;
  /** So many of this process at once, once all of a file is here. A caller whose `signal` aborts gives the turn up. @throws AppError `UNAVAILABLE` where too many wait. */
  ofProcess<Done>(act: () => Promise<Done>, signal?: AbortSignal): Promise<Done>;
};

/** Keeps imports from taking the place of everything else. Whoever sends slowly takes nobody's turn. */
export function createImportQueue(): ImportQueue {
  const owners = new Set<string>();
  const slots = createSlots({ slotsMax: importsAtOnceMax, waitingMax, full: allTaken });

  return {
    async ofOwner(userId, act) {
      if (owners.has(userId)) throw alreadyRunning();
      owners.add(userId);
      try {
        return await act();
      } finally {
        owners.delete(userId);
      }
    },

    async ofProcess(act, signal) {
      await slots.take(signal);
      try {
        return await act();
      } finally {
        slots.give();
      }
    },
  };
}

function alreadyRunning(): AppError {
  const message = 'An import of yours is being read already. Wait until it has ended, then try again.';
  return new AppError('RATE_LIMITED', message, { retryAfterSeconds });
}

function allTaken(): AppError {
  const message = 'Others are importing just now, and nothing of yours was taken. Try again in a minute.';
  return new AppError('UNAVAILABLE', message, { retryAfterSeconds });
}
