import type { ReactNode } from 'react';
import { EnvelopeNote } from '#web/components/letter/envelope-note.tsx';
import type { useEnvelope } from './use-envelope.ts';

type EnvelopeInFormProps = {
  state: ReturnType<typeof useEnvelope>['state'];
  retry: () => void;
  /** The fields of what lies in it. */
  children: ReactNode;
};

/** The envelope of the letter that is written; sealed, it opens with its words, and until then it stays as it is. */
export function EnvelopeInForm({ state, retry, children }: EnvelopeInFormProps) {
  if (state === 'open') return children;
  if (state === 'closed') {
    return <p className="small quiet enclose">Open the letter to see what lies in its envelope, or to change it.</p>;
  }
  return (
    <div className="enclose">
      <EnvelopeNote state={state} retry={retry} />
      {state === 'failed' ? (
        <p className="small quiet">You can save the letter: what lies in it stays as it is.</p>
      ) : null}
    </div>
  );
}
