export type ChartBar = { x: number; y: number; width: number; height: number };

/** Size of the drawing in its own units. Each month gets an equal share of the width. */
export const chartSize = { width: 120, height: 100 };
/** Share of a month that its bar fills; the rest is space. */
const barShare = 0.7;
/** A month that brought anything shows at least this, or it would look like none. */
const heightMin = 1;

/** The round figure at the top of the chart: 1, 2 or 5 and zeros, no less than any month. */
export function chartTop(values: readonly number[]): number {
  const most = Math.max(0, ...values);
  if (most === 0) return 0;
  const magnitude = 10 ** Math.floor(Math.log10(most));
  const steps = [1, 2, 5, 10].map((step) => step * magnitude);
  return steps.find((step) => step >= most) ?? most;
}

/** Positions of the bars. A month with more refunds than income is negative, and is drawn as zero. */
export function chartBars(values: readonly number[]): ChartBar[] {
  const top = chartTop(values);
  const share = chartSize.width / Math.max(1, values.length);
  return values.map((value, index) => {
    const height = value > 0 ? Math.max(heightMin, (value / top) * chartSize.height) : 0;
    return {
      x: index * share + (share * (1 - barShare)) / 2,
      y: chartSize.height - height,
      width: share * barShare,
      height,
    };
  });
}
