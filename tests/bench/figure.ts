/** One line of the performance table. */
export type Figure = { what: string; figure: string; goal?: string; met?: boolean };

export function ms(value: number): string {
  return value < 10 ? `${value.toFixed(2)} ms` : `${value.toFixed(0)} ms`;
}

/** Compares our rate with another one of the same run. */
export function ratio(what: string, ours: number, other: number, goal?: number): Figure {
  const value = ours / other;
  const figure = { what, figure: value.toFixed(2) };
  return goal === undefined ? figure : { ...figure, goal: `≥ ${goal}`, met: value >= goal };
}

/** Compares a time of ours with another one of the same run, which ours may exceed by a factor. */
export function ratioBelow(what: string, ours: number, other: number, goal?: number): Figure {
  const value = ours / other;
  const figure = { what, figure: value.toFixed(2) };
  return goal === undefined ? figure : { ...figure, goal: `≤ ${goal}`, met: value <= goal };
}

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

export function table(figures: Figure[]): string {
  const rows = figures.map(({ what, figure, goal, met }) => {
    const verdict = met === undefined ? '' : met ? 'met' : 'not met';
    return [what, figure, goal ?? '', verdict];
  });
  const all = [['what', 'figure', 'goal', ''], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
