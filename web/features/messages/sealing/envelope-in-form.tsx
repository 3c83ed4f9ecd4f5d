import type { ReactNode } from 'react';
import { EnvelopeNote } from '#web/components/letter/envelope-note.tsx';
import { Banner } from '#web/components/ui/banner.tsx';
import type { useEnvelope } from './use-envelope.ts';

type EnvelopeInFormProps = Pick<ReturnType<typeof useEnvelope>, 'state' | 'isGivenUp'> & {
  retry: () => void;
  /** The fields of what lies in it. */
  children: ReactNode;
};

/** The envelope of the letter that is written; sealed, it opens with its words, and until then it stays as it is. */
export function EnvelopeInForm({ state, isGivenUp, retry, children }: EnvelopeInFormProps) {
  if (state === 'open') {
    return (
      <>
        {isGivenUp ? (
          <Banner>
            What lies in the envelope opens with the old words alone. It goes when you save; close without saving, and
            it stays.
          </Banner>
        ) : null}
        {children}
      </>
    );
  }
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
