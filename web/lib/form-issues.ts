import type { FieldPath, FieldValues, UseFormSetError } from 'react-hook-form';
import { ApiError } from '#web/lib/api/api.ts';

/**
 * Puts what the service found wrong beside the fields it is about, and the focus on the first of them.
 * Gives whether any field was named.
 */
export function showIssues<Values extends FieldValues>(
  error: unknown,
  fields: readonly FieldPath<Values>[],
  setError: UseFormSetError<Values>,
): boolean {
  if (!(error instanceof ApiError)) return false;
  let isFirst = true;
  for (const field of fields) {
    const issue = error.issues?.find(({ path }) => path === field);
    if (!issue) continue;
    setError(field, { message: issue.message }, { shouldFocus: isFirst });
    isFirst = false;
  }
  return !isFirst;
}
