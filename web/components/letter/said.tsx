import type { ReactNode } from 'react';
import { LetterWords } from './letter-words.tsx';

/**
 * Transcript of a voice or video for deaf readers. Opens with a press, also without scripts, and is printed in full.
 */
export function Said({ what, transcript }: { what: ReactNode; transcript: string }) {
  return (
    <details className="said">
      <summary>{what}</summary>
      <LetterWords content={transcript} />
    </details>
  );
}
