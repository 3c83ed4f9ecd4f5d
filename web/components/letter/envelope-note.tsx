import { Banner } from '#web/components/ui/banner.tsx';
import { Button } from '#web/components/ui/button.tsx';
import type { SealedEnvelope } from './use-sealed-envelope.ts';

/** Progress of the enclosures of a sealed letter, shown while its text is read. */
export function EnvelopeNote({ state, retry }: Pick<SealedEnvelope, 'state' | 'retry'>) {
  return (
    <div role="status" className="noprint">
      {state === 'opening' ? <p className="small quiet">Opening the envelope, on your device…</p> : null}
      {state === 'failed' ? (
        <Banner>
          The contents of the envelope could not be opened. They are still there.{' '}
          <Button variant="text" size="small" onClick={retry}>
            Try again
          </Button>
        </Banner>
      ) : null}
    </div>
  );
}
