import { useContext } from 'react';
import { useParams, useSearch } from 'wouter';
import { SkipLink } from '#web/components/layout/page.tsx';
import { Letter } from '#web/features/delivery/letter.tsx';
import { letterAddress, wordsOfLetter } from '#web/features/delivery/letter-calls.ts';
import {
  InvalidLink,
  LetterDamaged,
  LetterGone,
  LetterSkeleton,
  LetterUnreachable,
} from '#web/features/delivery/letter-states.tsx';
import { OtherLetters } from '#web/features/delivery/other-letters.tsx';
import { Threshold, Thresholds } from '#web/features/delivery/threshold.tsx';
import { placeBefore } from '#web/features/delivery/threshold-words.ts';
import { useLetter } from '#web/features/delivery/use-letter.ts';
import { SentAnswers } from '#web/lib/api/sent-context.ts';

/** A delivered message, for the person it was written for. No account, no header: its envelope, and then the letter. */
export function LetterPage() {
  const { token } = useParams<{ token?: string }>();
  return (
    <>
      <SkipLink />
      <main id="main" className="reading" tabIndex={-1}>
        {token ? <LinkedLetter token={token} /> : <InvalidLink />}
      </main>
    </>
  );
}

function LinkedLetter({ token }: { token: string }) {
  const loaded = useLetter(token);
  const isChosen = new URLSearchParams(useSearch()).has('open');
  const { withhold } = useContext(SentAnswers);
  if (loaded.state === 'gone') return <LetterGone token={token} />;
  if (loaded.state === 'failed') return <LetterUnreachable message={loaded.message} onRetry={loaded.retry} />;
  if (loaded.state === 'loading') return <LetterSkeleton />;
  const { letter } = loaded;
  const place = placeBefore(letter, isChosen);
  if (place !== 'letter') withhold?.(letterAddress(token), wordsOfLetter);
  if (place === 'envelopes') return <Thresholds letter={letter} />;
  if (place === 'envelope') return <Threshold letter={letter} token={token} />;
  if (!letter.isDamaged) return <Letter letter={letter} token={token} />;
  return (
    <LetterDamaged>
      <OtherLetters {...letter} token={token} />
    </LetterDamaged>
  );
}
