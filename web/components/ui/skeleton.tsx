type SkeletonProps = {
  /** Any CSS length: the size of what will stand here. */
  width?: string;
  height?: string;
};

/** Placeholder with the final shape of loading content. It does not move. */
export function Skeleton({ width = '100%', height = '1rem' }: SkeletonProps) {
  // The real content would wrap, so its placeholder must not widen a narrow page.
  return <div className="skel" style={{ width: `min(${width}, 100%)`, height }} />;
}

const rowWidths = [
  ['60%', '95%', '80%'],
  ['44%', '79%', '64%'],
  ['52%', '87%', '72%'],
] as const;

/** Rows of a loading list. `label` is for screen readers: "Loading messages". */
export function SkeletonRows({ rows, label }: { rows: number; label: string }) {
  return (
    <div className="skel-rows" role="status" aria-label={label}>
      {Array.from({ length: rows }, (_, row) => {
        const [title, first, second] = rowWidths[row % rowWidths.length] ?? rowWidths[0];
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows are alike and never change places.
          <div className="card skel-row" key={row}>
            <Skeleton width={title} height="1.25rem" />
            <Skeleton width={first} height=".875rem" />
            <Skeleton width={second} height=".875rem" />
          </div>
        );
      })}
    </div>
  );
}
