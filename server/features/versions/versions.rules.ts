/** Version that a change was made from, and the key that names the change. */
export type NamedChange = { version?: string | undefined; changeKey?: string | undefined };

/**
 * Compares a change with the stored version, which is the key of the change that made it. `repeat`: this very change is stored.
 * `refuse`: the change was made from another version.
 */
export function meetVersion(
  stored: { version: string },
  { version, changeKey }: NamedChange,
): 'apply' | 'repeat' | 'refuse' {
  if (changeKey !== undefined && stored.version === changeKey) return 'repeat';
  return version === undefined || stored.version === version ? 'apply' : 'refuse';
}
