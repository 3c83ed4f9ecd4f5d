import type { ReactNode } from 'react';

type Plate = { viewBox: string; className: string; plates: ReactNode };

/** What the lamp has whether or not it is lit. */
const lampTone = (
  <>
    <path d="M42 122q2 22 32 22t32-22q-8-9-32-9t-32 9Z" />
    <path d="M48 176q3-12 26-14q23 2 26 14Z" />
  </>
);
const lampLines = (
  <>
    <path d="M38 118q2 22 32 22t32-22q-8-9-32-9t-32 9Z" />
    <path d="M62 140c0 8-3 10-3 14M78 140c0 8 3 10 3 14" />
    <path d="M40 172q4-16 30-18q26 2 30 18" />
    <path d="M34 172h72v5H34Z" />
    <path d="M58 100h24v9.500M58 100v9.500M55 96h30v4H55Z" />
    <path d="M82 105h14" />
    <circle cx="100" cy="105" r="4" />
    <path d="M58 96C44 80 46 62 55 50c5-7 6-16 6-32h18c0 16 1 25 6 32c9 12 11 30-3 46" />
    <path d="M59 18q11-4 22 0" />
  </>
);

const drawings = {
  letter: {
    viewBox: '24 14 148 125',
    className: 'art art-letter',
    plates: (
      <>
        <g className="art-t">
          <path d="M32 70 99 118 166 70V142H32Z" />
        </g>
        <g className="art-l">
          <path d="M28 66V138H164V66" />
          <path d="M28 66 96 18l68 48" />
          <path className="art-p" d="M46 78.500V30H146V78.500L104 109q-8 5.6-16 0Z" />
          <path d="M28 66l60 43q8 5.6 16 0l60-43" />
          <path d="M28 138l52-34.500M164 138l-52-34.5" />
          <path d="M60 44h44M60 55h72M60 66h64M66 77h58M80 88h30" />
        </g>
      </>
    ),
  },
  key: {
    viewBox: '6 28 200 92',
    className: 'art art-key',
    plates: (
      <>
        <g className="art-t">
          <path
            fillRule="evenodd"
            d="M48 36a25 25 0 1 1 0 50a25 25 0 0 1 0-50Zm0 14a11 11 0 1 0 0 22a11 11 0 0 0 0-22Z"
          />
          <path d="M168 66h28v22h-9v-8h-8v12h-11Z" />
        </g>
        <g className="art-l">
          <circle cx="44" cy="57" r="25" />
          <circle cx="44" cy="57" r="11" />
          <path d="M69 50h8v14h-8zM77 52.500h6v9h-6z" />
          <path d="M83 53.500H196q6 0 6 3.500t-6 3.500H83" />
          <path d="M164 60.500V87h11V75h8v8h9V60.5" />
          <path d="M37 65C26 78 22 88 24 101" />
          <path d="M44 68c-3 12-5 20-8 30" />
          <path className="art-p" d="M12 98l34 4-2.5 16L9.5 114Z" />
          <path d="M17 105.500l20 2.4" />
        </g>
      </>
    ),
  },
  'lamp-lit': {
    viewBox: '20 10 100 168',
    className: 'art art-lamp is-lit',
    plates: (
      <>
        <g className="art-t">
          {lampTone}
          <path className="art-w" d="M72 92C60 80 63 66 73 50c10 16 13 30 1 42Z" />
        </g>
        <g className="art-l">
          {lampLines}
          <path d="M70 92C58 82 61 66 70 50c9 16 12 32 0 42Z" />
          <path d="M70 92v-12" />
        </g>
      </>
    ),
  },
  lamp: {
    viewBox: '20 10 100 168',
    className: 'art art-lamp',
    plates: (
      <>
        <g className="art-t">{lampTone}</g>
        <g className="art-l">
          {lampLines}
          <path d="M70 96v-8" />
        </g>
      </>
    ),
  },
  hands: {
    viewBox: '4 34 284 84',
    className: 'art art-hands',
    plates: (
      <>
        <g className="art-t">
          <path d="M103 44h92v58h-92Z" />
          <path d="M281 66l-34-10-17 50 36 13ZM15 70l34-10 17 50-36 13Z" />
        </g>
        <g className="art-l">
          <BothSides>
            <path className="art-p" d="M245 57C228 50 206 52 186 62V92C198 103 214 109 229 104" />
            <path className="art-p" d="M278 60l-34-10-17 50 36 13Z" />
            <circle cx="238" cy="94" r="2.2" />
          </BothSides>
          <path className="art-p" d="M98 38h92v58H98Z" />
          <path d="M98 38l46 33 46-33" />
          <BothSides>
            <path
              className="art-p art-n"
              d="M222 60C204 58 186 62 172 67.500C163 71 165 81.5 175 80.500L200 79.500C208 79.5 214 76 218 72Z"
            />
            <path d="M206 56.500C194 58 182 63 172 67.500C163 71 165 81.5 175 80.500L199 79.5" />
            <path d="M199 79.500C195 84 193 88 192.5 92" />
          </BothSides>
        </g>
      </>
    ),
  },
  seal: {
    viewBox: '0 0 160 160',
    className: 'art art-seal',
    plates: (
      <>
        <g className="art-t">
          <path d="M86 14c15-1 22 8 34 13 10 5 21 9 26 20 6 11 3 21 5 32 2 13 9 23 4 36-4 12-15 16-23 25-8 8-14 18-26 20-12 3-20-3-32-3-12 0-22 6-33 0-11-6-13-17-20-27-6-10-14-18-13-31 0-12 7-19 10-30 3-12 2-24 11-33 9-9 20-8 30-13 9-4 17-9 27-9Z" />
        </g>
        <g className="art-l">
          <path d="M82 9c15-1 22 8 34 13 10 5 21 9 26 20 6 11 3 21 5 32 2 13 9 23 4 36-4 12-15 16-23 25-8 8-14 18-26 20-12 3-20-3-32-3-12 0-22 6-33 0-11-6-13-17-20-27-6-10-14-18-13-31 0-12 7-19 10-30 3-12 2-24 11-33 9-9 20-8 30-13 9-4 17-9 27-9Z" />
          <circle cx="79" cy="81" r="49" />
          <path d="M79 40a41 41 0 0 1 40 36M42 64a41 41 0 0 0 3 40" />
          <path d="M56 82H103c0-15-9-25-23-25-14.5 0-24.5 11-24.5 25 0 14.5 10 24 24 24 9.5 0 16-3.5 21-9.5" />
        </g>
      </>
    ),
  },
  post: {
    viewBox: '0 52 174 87',
    className: 'art art-post',
    plates: (
      <>
        <g className="art-t">
          <path d="M40 62h128v80H40Z" />
        </g>
        <g className="art-l">
          <path d="M34 56h132v82H34Z" />
          <path d="M34 56l56 43q10 7 20 0l56-43" />
          <path d="M34 138l50-44M166 138l-50-44" />
          <path
            className="art-w2"
            d="M100 86c6-.5 9 4 14 5.5 5 2 6 6 6 11 0 5 1 9-3 13-4 3-8 2.5-13 3.5-5 1-9 1-13-3-4-3-3-8-4-13-1-6 1-9 4-12 3-4 5-4.5 9-5Z"
          />
          <path d="M93 103h14c0-5-3-7.5-7-7.5-4.5 0-7.5 3-7.5 7.5 0 4.5 3 7 7 7 3 0 5-1 6.5-3" />
          <path d="M8 80h16M2 96h20M12 112h12" />
        </g>
      </>
    ),
  },
  inkwell: {
    viewBox: '0 0 200 160',
    className: 'art art-inkwell',
    plates: (
      <>
        <g className="art-t">
          <path d="M66 92h64l10 50q0 6-6 6H62q-6 0-6-6Z" />
        </g>
        <g className="art-l">
          <path d="M62 86h64l10 52q1 6-6 6H58q-7 0-6-6Z" />
          <path d="M72 86V72h44v14M66 64h56v8H66Z" />
          <path d="M57 112q18 7 37 0t37 0" />
          <path className="art-p" d="M101 66C112 40 130 18 164 6c2 26-14 46-46 50Z" />
          <path d="M90 92 164 6M118 56l-4-17M130 53l-2-26M112 49l-3 17" />
        </g>
      </>
    ),
  },
} satisfies Record<string, Plate>;

/** One hand, and the same one mirrored across the letter that they hold. */
function BothSides({ children }: { children: ReactNode }) {
  return (
    <>
      <g>{children}</g>
      <g transform="translate(288 7) scale(-1 1)">{children}</g>
    </>
  );
}

export type DrawingName = keyof typeof drawings;

/** A letterpress drawing: an ink line over one flat tone. It decorates, so it has no name for a screen reader. */
export function Drawing({ name }: { name: DrawingName }) {
  const { viewBox, className, plates } = drawings[name];
  return (
    <svg className={className} viewBox={viewBox} aria-hidden="true" focusable="false">
      {plates}
    </svg>
  );
}
