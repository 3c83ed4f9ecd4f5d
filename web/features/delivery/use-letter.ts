import type { DeliveredMessage } from '#shared/contract/letters/delivery.ts';
import { light } from '#web/lib/api/light-routes.ts';
import { useLinkRead } from '#web/lib/api/use-link-read.ts';
import { isFinal } from '#web/lib/api/use-loaded.ts';

export type LoadedLetter =
  | { state: 'loading' }
  | { state: 'ready'; letter: DeliveredMessage }
  /** Expired, withdrawn or never there: the service does not tell them apart. */
  | { state: 'gone' }
  /** The service could not be reached, or failed. */
  | { state: 'failed'; message: string };

/** Loads the letter behind a link. Nothing is kept in the browser and nothing is recorded. */
export function useLetter(token: string): LoadedLetter & { retry: () => void } {
  // A long read is not interrupted, and the shown letter stays.
  const {
    data: letter,
    error,
    reload: retry,
  } = useLinkRead(light.getDeliveredMessage, { token }, { staysFresh: true });
  if (letter) return { state: 'ready', letter, retry };
  if (error === null) return { state: 'loading', retry };
  return isFinal(error) ? { state: 'gone', retry } : { state: 'failed', message: error.message, retry };
}
