/** Fault of a typed number of days; undefined if it is valid. */
export function daysError(typed: string, max: number): string | undefined {
  const isFine = /^\d{1,2}$/.test(typed.trim()) && Number(typed) <= max;
  return isFine ? undefined : `Please give a whole number of days, from 0 to ${max}.`;
}
