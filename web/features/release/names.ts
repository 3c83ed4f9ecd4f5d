/** `Priya`, `Priya and Tom`, `Priya, Tom and Ada`. */
export function joinedNames(names: readonly string[]): string {
  const last = names.at(-1);
  if (last === undefined) return '';
  return names.length === 1 ? last : `${names.slice(0, -1).join(', ')} and ${last}`;
}

/** The first person of one, and the rest counted, where all the names would not fit. */
export function shortNames(names: readonly string[], lengthMax: number): string {
  const all = joinedNames(names);
  return all.length <= lengthMax ? all : `${names.length} contacts`;
}
