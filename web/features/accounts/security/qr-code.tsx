import { encode } from 'uqr';

/** Modules of quiet around a code (ISO/IEC 18004 asks for four). */
const quiet = 4;

/** A QR code as one path. Dark on light in both themes: many cameras read no other. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { size, data } = encode(text, { ecc: 'M', border: 0 });
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('');
  const extent = size + 2 * quiet;
  return (
    <svg className="qr" viewBox={`${-quiet} ${-quiet} ${extent} ${extent}`} role="img" aria-label={label}>
      <rect className="qr-paper" x={-quiet} y={-quiet} width={extent} height={extent} />
      <path className="qr-ink" d={path} shapeRendering="crispEdges" />
    </svg>
  );
}
