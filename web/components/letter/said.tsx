import type { ReactNode } from 'react';
import { LetterWords } from './letter-words.tsx';

/** What a voice or a video says, for whoever can't hear it: opened by a press, without a script too, and printed whole. */
export function Said({ what, transcript }: { what: ReactNode; transcript: string }) {
  return (
    <details className="said">
      <summary>{what}</summary>
      <LetterWords content={transcript} />
    </details>
  );
}
