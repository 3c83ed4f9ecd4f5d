/** The names of errors, each once, and not their words, which may quote what is somebody's. For the log. */
export function failureNames(error: unknown): string {
  if (error instanceof AggregateError) return [...new Set(error.errors.map(failureNames))].join(', ');
  return error instanceof Error ? error.name : 'unknown';
}
