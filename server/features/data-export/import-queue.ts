import { networkOfWork } from '#server/platform/running-work/running-work.ts';
import { createSlots } from '#server/platform/slots.ts';
import { AppError } from '#shared/contract/errors.ts';
import { importsAtOnceMax } from '#shared/rules/imports.ts';

/** Time after which a rejected caller may try again. */
const retryAfterSeconds = 60;
/** Number of owners that wait for their turn. */
const waitingMax = 8;

export type ImportQueue = {
  /** Runs one import of an owner at a time, from the first byte on. @throws AppError `RATE_LIMITED`. */
  ofOwner<Done>(userId: string, act: () => Promise<Done>): Promise<Done>;
  /**
   * Runs at most `importsAtOnceMax` imports of this process, each after its whole file has arrived. A caller whose `signal`
   * aborts loses its turn. @throws AppError `UNAVAILABLE` if too many wait.
   */
  ofProcess<Done>(act: () => Promise<Done>, signal?: AbortSignal): Promise<Done>;
};

/** Limits the share of this process that imports take. A slow upload takes no turn. */
export function createImportQueue(): ImportQueue {
  const owners = new Set<string>();
  const slots = createSlots({ slotsMax: importsAtOnceMax, waitingMax, full: allTaken, lineOf: networkOfWork });

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
      return slots.run(act, signal);
    },
  };
}

function alreadyRunning(): AppError {
  const message = 'Another import of yours is still running. Wait until it has ended, then try again.';
  return new AppError('RATE_LIMITED', message, { retryAfterSeconds });
}

function allTaken(): AppError {
  const message = 'Other people are importing just now, so nothing was imported for you. Try again in a minute.';
  return new AppError('UNAVAILABLE', message, { retryAfterSeconds });
}
