import { useLocation } from 'wouter';
import { Letterhead } from '#web/components/layout/letterhead.tsx';
import { PageHeading } from '#web/components/layout/page.tsx';
import { ButtonLink } from '#web/components/ui/button.tsx';
import { Drawing } from '#web/components/ui/drawing.tsx';
import { useTitle } from '#web/lib/use-title.ts';

const inReality: Record<string, string> = {
  'check-in': 'In the real email this link leads to a button that tells us you are there.',
  portal: 'In the real email this link leads to the page on which a trusted contact confirms or cancels.',
  letter: 'In the real email this link leads to the letter.',
};

/** Target of every link in a rehearsal: a page that explains so, and does nothing. */
export function RehearsalLinkPage() {
  const [path] = useLocation();
  const link = path.split('/').at(-1) ?? '';
  useTitle('A rehearsal');
  return (
    <Letterhead>
      <div className="card empty">
        <Drawing name="post" />
        <PageHeading>This was a rehearsal</PageHeading>
        <p className="lead">
          {inReality[link] ?? 'In the real email this link would do something.'} Here it does nothing.
        </p>
        {link === 'letter' ? <Says /> : null}
        <ButtonLink variant="secondary" href="/">
          Go to the front page
        </ButtonLink>
      </div>
    </Letterhead>
  );
}

/** The reader's own say stands below a real letter. */
function Says() {
  return (
    <p>
      Below the letter, its reader can press “Keep it for me”, “Not now” or “No more letters”. We tell you nothing of
      what a reader presses.
    </p>
  );
}
