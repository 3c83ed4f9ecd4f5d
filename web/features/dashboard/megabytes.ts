/** Megabytes with one decimal, as the cards show them: `412.6`, `0.0`. */
export function megabytes(value: number): string {
  return value.toFixed(1);
}
