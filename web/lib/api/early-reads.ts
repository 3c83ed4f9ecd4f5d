/** Later than that an answer may be another one. */
const freshMs = 10_000;
const early = new Map<string, Promise<Response>>();

/** Request options of a read: with the session, and as JSON. */
export const reading = { credentials: 'include', headers: { accept: 'application/json' } } as const;

/** Begins to read what the page names in its head, while the scripts that are to show it are still on their way. */
export function startReads(): void {
  for (const address of namedReads()) {
    const answer = fetch(address, { ...reading, cache: 'no-store' });
    // The later caller gets the error.
    answer.catch(() => undefined);
    early.set(address, answer);
  }
  setTimeout(() => early.clear(), freshMs);
}

/** The addresses that the page names; none but a page of the vault names any. */
export function namedReads(): string[] {
  const named = document.querySelector<HTMLMetaElement>('meta[name=reads]')?.content ?? '';
  return named.split(' ').filter(Boolean);
}

/** The answer that is on its way, once; undefined where none is. */
export function takeEarly(address: string): Promise<Response> | undefined {
  const answer = early.get(address);
  early.delete(address);
  return answer;
}
