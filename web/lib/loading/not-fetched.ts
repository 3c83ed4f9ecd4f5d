/** A browser that knows it has no connection is not asked: some remember a failure until the page is loaded again. */
export function fetchQuietly<Part>(fetchPart: () => Promise<Part>, give: (part: Part) => void = () => undefined): void {
  if (navigator.onLine) fetchPart().then(give, () => undefined);
}

/** Notice about a part that could not be fetched. */
export const notFetched = {
  title: 'That could not be loaded',
  description: 'The connection failed. Try again in a minute, or load the page again.',
  variant: 'destructive',
} as const;
