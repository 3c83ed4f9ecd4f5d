/** Distinct names of errors for the log, without their messages, which may quote personal data. */
export function failureNames(error: unknown): string {
  if (error instanceof AggregateError) return [...new Set(error.errors.map(failureNames))].join(', ');
  return error instanceof Error ? error.name : 'unknown';
}
