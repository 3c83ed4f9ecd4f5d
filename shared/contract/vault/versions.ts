import { z } from 'zod';
import { AppError } from '#shared/contract/errors.ts';
import type { DeletedKind } from '#shared/rules/retention.ts';

/** Header with a UUID that names one change. A repeat under the same key changes nothing and gets the stored result. */
export const changeKeyHeader = 'idempotency-key';

/** Version of the owner's words. Each change of them makes a new one. */
export const version = z.uuid('Invalid input');

/** Version that a change was made from. A change without it replaces any version. */
export const fromVersion = version.optional();
export const fromVersionQuery = z.object({ version: fromVersion });

export const changeKeyHeaders = z.looseObject({
  [changeKeyHeader]: z.uuid('The Idempotency-Key header must be a UUID').optional(),
});

type ChangedKind = DeletedKind | 'firstWeeks';

const nouns = {
  message: 'letter',
  document: 'document',
  contact: 'contact',
  firstWeeks: 'page',
} as const satisfies Record<ChangedKind, string>;

/** The refusal of settings that were changed from others than the stored ones. */
export function settingsChangedElsewhere(stored: unknown): AppError {
  const message =
    'These settings were changed in another window or on another device. Nothing was overwritten. Read them, then save again.';
  return new AppError('CHANGED_ELSEWHERE', message, { stored });
}

/** The refusal of words to a picture or a voice that were changed from others than the stored ones. */
export function wordsChangedElsewhere(stored: unknown): AppError {
  const message =
    'The words to this picture or voice were changed in another window or on another device. Nothing was overwritten.';
  return new AppError('CHANGED_ELSEWHERE', message, { stored });
}

/** The refusal of a change that was made from another version. `stored` is the item as its owner reads it. */
export function changedElsewhere(kind: ChangedKind, stored: unknown): AppError {
  const message = `This ${nouns[kind]} was changed in another window or on another device. Nothing was overwritten.`;
  return new AppError('CHANGED_ELSEWHERE', message, { stored });
}
