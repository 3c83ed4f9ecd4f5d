import type { ReactNode } from 'react';
import { EnvelopeNote } from '#web/components/letter/envelope-note.tsx';
import { Banner } from '#web/components/ui/banner.tsx';
import type { useEnvelope } from './use-envelope.ts';

type EnvelopeInFormProps = Pick<ReturnType<typeof useEnvelope>, 'state' | 'isGivenUp'> & {
  retry: () => void;
  /** Fields for the contents. */
  children: ReactNode;
};

/** The envelope of the letter that is written; sealed, it opens with its words, and until then it stays as it is. */
export function EnvelopeInForm({ state, isGivenUp, retry, children }: EnvelopeInFormProps) {
  if (state === 'open') {
    return (
      <>
        {isGivenUp ? (
          <Banner>
            The contents of the envelope open only with the old words. They are removed when you save. To keep them,
            close without saving.
          </Banner>
        ) : null}
        {children}
      </>
    );
  }
  if (state === 'closed') {
    return (
      <p className="small quiet enclose">Open the letter to see the contents of its envelope, or to change them.</p>
    );
  }
  return (
    <div className="enclose">
      <EnvelopeNote state={state} retry={retry} />
      {state === 'failed' ? (
        <p className="small quiet">You can save the letter. The contents of its envelope stay as they are.</p>
      ) : null}
    </div>
  );
}
