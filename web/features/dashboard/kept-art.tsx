import type { ReactNode } from 'react';

export type KeptKind = 'ready' | 'draft' | 'delivered' | 'blank';

/** One envelope as it stands: sealed in wax, open and in pencil, or stamped and gone. Its words stand beside it. */
export function KeptArt({ kind, initial = '' }: { kind: KeptKind; initial?: string | undefined }) {
  const isPencil = kind === 'draft' || kind === 'blank';
  return (
    <svg
      className={isPencil ? 'kept-svg is-pencil' : 'kept-svg'}
      viewBox={kind === 'draft' ? '0 26 212 166' : '0 58 212 134'}
      aria-hidden="true"
      focusable="false"
    >
      {kind === 'ready' ? <Sealed initial={initial} /> : drawings[kind]}
    </svg>
  );
}

const wax =
  'M41 3c7.6-.5 11.3 4 17 6.6 5.2 2.6 10.4 4.6 13.2 9.9 3 5.4 1.6 10.5 2.6 16.2 1 6.4 4.2 11.4 2 17.8-2 6-7.5 7.8-11.6 12.2-4.2 4.2-6.8 9-12.8 10.4-6 1.4-10-1.4-16-1.4-6.2 0-11.4 2.6-17-.4-5.4-3-6.6-8.4-9.8-13.600C5.4 55.7 1.6 52 1.8 45.600c.2-6 3.8-9.4 5.2-15C8.6 24.4 7.8 18.8 12.4 14.200c4.4-4.4 9.8-3.8 15.2-6.400C31.8 5.8 36.4 3.2 41 3Z';

function Sealed({ initial }: { initial: string }) {
  return (
    <>
      <path className="kept-tone" d="M12 70h196v122H12Z" />
      <path className="kept-front" d="M4 62h196v130H4Z" />
      <path className="kept-tone" d="M9 63 105 125 200 63Z" />
      <path className="kept-line" d="M4 62l87 58q11 7 22 0l87-58" />
      <g transform="translate(78.8 97.8) scale(0.58)">
        <path className="kept-wax" d={wax} />
        <circle className="kept-press" cx="40" cy="40" r="26" />
        <circle className="kept-ring" cx="40" cy="40" r="22.5" />
        <text className="kept-i" x="40" y="51.5" textAnchor="middle">
          {initial}
        </text>
      </g>
    </>
  );
}

const drawings: Record<Exclude<KeptKind, 'ready'>, ReactNode> = {
  draft: (
    <>
      <path className="kept-tone" d="M12 92 103 36 194 92Z" />
      <path className="kept-line" d="M4 92 91 32q11-7 22 0l87 60" />
      <path className="kept-paper" d="M24 108V44h156v64L113 152q-11 7-22 0Z" />
      <path className="kept-line" d="M4 92v100h196V92M4 92l87 59q11 7 22 0l87-59" />
    </>
  ),
  delivered: (
    <>
      <path className="kept-tone" d="M12 70h196v122H12Z" />
      <path className="kept-front kept-old" d="M4 62h196v130H4Z" />
      <path className="kept-tone" d="M156 73h34v42h-34Z" />
      <path
        className="kept-line"
        d="M156 73h34v42h-34ZM167 106h12M169 101c-4-5-4-9 0-12 2-2 2-5 2-8h4c0 3 0 6 2 8 4 3 4 7 0 12Z"
      />
      <g className="kept-mark">
        <circle cx="139" cy="99" r="21" />
        <path d="M127 99h24M131 92h16M131 106h16" />
        <path d="M116 91q-8-5-16 0t-16 0-16 0-16 0M115 99q-8-5-16 0t-16 0-16 0-16 0M116 107q-8-5-16 0t-16 0-16 0-16 0" />
      </g>
    </>
  ),
  blank: (
    <>
      <path className="kept-line" d="M4 62h196v130H4Z" />
      <path className="kept-plus" d="M102 112v30M87 127h30" />
    </>
  ),
};
