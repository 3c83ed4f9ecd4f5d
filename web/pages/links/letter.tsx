import { useParams } from 'wouter';
import { SkipLink } from '#web/components/layout/page.tsx';
import { Letter } from '#web/features/delivery/letter.tsx';
import {
  InvalidLink,
  LetterDamaged,
  LetterGone,
  LetterSkeleton,
  LetterUnreachable,
} from '#web/features/delivery/letter-states.tsx';
import { useLetter } from '#web/features/delivery/use-letter.ts';

/** A delivered message, for the person it was written for. No account, no header, nothing but the letter. */
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
  if (loaded.state === 'ready') return <Letter letter={loaded.letter} token={token} />;
  if (loaded.state === 'gone') return <LetterGone token={token} />;
  if (loaded.state === 'damaged') return <LetterDamaged />;
  if (loaded.state === 'failed') return <LetterUnreachable message={loaded.message} onRetry={loaded.retry} />;
  return <LetterSkeleton />;
}
