import type { ErrorType } from '#shared/contract/errors.ts';
import { ApiError } from './api.ts';

/** True if the service may have done what it was asked: no answer came, or a proxy has answered in its place. */
export function isUncertain(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  return error.isUnclear || error.status === 0 || (error.status >= 500 && error.type === undefined);
}

/** True if a proxy or another service has answered in place of Everkept. */
export function isUnclear(error: unknown): boolean {
  return isUncertain(error) && (error as ApiError).status !== 0;
}

const changedElsewhere: ErrorType = 'CHANGED_ELSEWHERE';

/** True if a change was refused because another device or window has changed the item. */
export function isChangedElsewhere(error: unknown): error is ApiError {
  return error instanceof ApiError && error.type === changedElsewhere;
}

/** The stored item that came with such a refusal. */
export function storedIn<Item>(error: unknown): Item | undefined {
  return isChangedElsewhere(error) ? (error.stored as Item) : undefined;
}

/** Reason of a failed save, and the sentence that the words are still there. */
export function failureWords(error: Error, kept = 'What you typed is still here.'): string {
  if (error instanceof ApiError && error.type === undefined) {
    if (error.status === 413) return `This is more than the network between you and Everkept lets through. ${kept}`;
    if (isUnclear(error)) return unclearWords;
  }
  return `${error.message} ${kept}`;
}

export const unclearWords = 'We can’t tell whether this was saved. Your words are still here.';

type Send<Item> = (base: Item | undefined, changeKey: string) => Promise<Item>;

/** Saves of one form. */
export type Saves<Item> = {
  /** The stored item that the next save changes; undefined if it creates one. */
  base(): Item | undefined;
  /** The next save replaces this version: its owner has read it. */
  rebase(stored: Item): void;
  /**
   * Saves. If the outcome of an earlier try is unknown, repeats it under its key first, which doubles nothing. Words that
   * changed since are then saved on top.
   *
   * @param said words to save, compared with those of the earlier try.
   * @param madeFrom version that the words were made from, if that is older than the item, as with a draft that was restored.
   */
  save(said: unknown, send: Send<Item>, madeFrom?: string): Promise<Item>;
};

/** Keeps which version a form changes, and the key of a save with an unknown outcome. */
export function createSaves<Item extends { version: string }>(first: Item | undefined): Saves<Item> {
  let base = first;
  let unknown: { key: string; said: string } | undefined;

  async function attempt(now: { key: string; said: string }, send: Send<Item>): Promise<Item> {
    try {
      base = await send(base, now.key);
      unknown = undefined;
      return base;
    } catch (error) {
      // A stopped upload may have been stored too, so every failure but an answer of the service counts.
      if (!(error instanceof ApiError) || isUncertain(error)) unknown = now;
      throw error;
    }
  }

  return {
    base: () => base,
    rebase: (stored) => {
      base = stored;
      unknown = undefined;
    },
    async save(said, send, madeFrom) {
      if (base && base === first && madeFrom !== undefined) base = { ...base, version: madeFrom };
      const now = { key: crypto.randomUUID(), said: JSON.stringify(said) };
      const earlier = unknown;
      if (!earlier) return attempt(now, send);
      const stored = await attempt(earlier, send);
      if (earlier.said === now.said) return stored;
      // The words were made from the version of the lost try. If another device has changed it since, the service refuses them.
      base = { ...stored, version: earlier.key };
      return attempt(now, send);
    },
  };
}
