/**
 * Columns of the words below the timeline. The line is to scale, so close marks would overlap. Their words are in
 * columns, and a lead runs from each mark to its own. All values are percentages.
 */
export type Column = {
  /** Place of the mark along the line. */
  x: number;
  width: number;
};

type Frame = {
  /** Start of the words. */
  startX: number;
  /** One whose words begin at one place whatever its mark: the people on the page below hang on it. */
  fixed: { index: number; x: number } | null;
};

/** The beginning of each column, from left to right: as near to its mark as the columns to its right allow. */
export function placeColumns(columns: readonly Column[], { startX, fixed }: Frame): number[] {
  if (fixed === null) return settle(columns, startX, 100);
  return [
    ...settle(columns.slice(0, fixed.index), startX, fixed.x),
    ...settle(columns.slice(fixed.index), fixed.x, 100, true),
  ];
}

function settle(columns: readonly Column[], fromX: number, toX: number, isHeld = false): number[] {
  const wanted = columns.reduce((sum, { width }) => sum + width, 0);
  const share = Math.min(1, (toX - fromX) / Math.max(wanted, 1));
  const starts: number[] = [];
  let end = toX;
  for (const { x, width } of columns.toReversed()) {
    end = Math.min(x, end - width * share);
    starts.unshift(end);
  }
  let least = fromX;
  return starts.map((start, index) => {
    const at = isHeld && index === 0 ? fromX : Math.max(start, least);
    least = at + (columns[index]?.width ?? 0) * share;
    return at;
  });
}
