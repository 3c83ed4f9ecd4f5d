import type { ReactNode } from 'react';
import type { StepName } from './first-steps-words.ts';

/** Pencil while it is to be done, ink once it is: the stylesheet says which. */
export function StepArt({ name }: { name: StepName }) {
  return (
    <span className="fill-art">
      <svg viewBox="0 58 212 134" aria-hidden="true" focusable="false">
        {drawings[name]}
      </svg>
    </span>
  );
}

const drawings: Record<StepName, ReactNode> = {
  letter: (
    <>
      <path className="tone" d="M12 70h196v122H12Z" />
      <path className="paper" d="M4 62h196v130H4Z" />
      <path className="flap" d="M4 62l87 58q11 7 22 0l87-58" />
      <circle className="wax" cx="102" cy="121" r="22" />
    </>
  ),
  yes: (
    <>
      <circle className="tone" cx="110" cy="138" r="54" />
      <circle className="paper" cx="104" cy="132" r="54" />
      <path className="flap" d="M78 134l18 18 36-38" />
    </>
  ),
  rehearsal: (
    <>
      <path className="tone" d="M32 100h164v92H32Z" />
      <path className="paper" d="M24 92h164v100H24Z" />
      <path className="flap" d="M44 112h58M44 168h84M44 140h124" />
      <circle className="paper" cx="52" cy="140" r="7" />
      <circle className="paper" cx="98" cy="140" r="7" />
      <circle className="paper" cx="132" cy="140" r="7" />
      <circle className="paper" cx="164" cy="140" r="7" />
    </>
  ),
  copy: (
    <>
      <path className="tone" d="M30 124h168v68H30Z" />
      <path className="paper" d="M22 116h168v76H22Z" />
      <path className="paper" d="M14 90h184v26H14Z" />
      <path className="flap" d="M92 116v20h28v-20M40 90l12-22h108l12 22" />
    </>
  ),
};
