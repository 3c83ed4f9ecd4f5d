import { PageHeading } from '#web/components/layout/page.tsx';
import { Drawing } from '#web/components/ui/drawing.tsx';

export const submittedTitle = 'Emergency Activation Request Submitted';

/** One answer for all, so that it reveals neither accounts nor contacts. */
export function EmergencySubmitted({ message }: { message: string }) {
  return (
    <div className="card empty">
      <Drawing name="post" />
      <PageHeading className="h-page">{submittedTitle}</PageHeading>
      <p role="status">{message}</p>
      <h2 className="h-card">What happens next</h2>
      <ol className="emergency-next">
        <li>
          The trusted contact gets an email with a link to a page of their own, within a few minutes. If nothing can
          begin yet, the email says why, and when to try again.
        </li>
        <li>There they confirm or cancel the release. Nothing is sent before somebody confirms.</li>
        <li>The account holder is told too, and can stop it as long as nothing is sent.</li>
      </ol>
      <p className="quiet">
        Nothing there after an hour? Look in your spam folder. Then check both addresses for typing mistakes. Another
        spelling of the same mailbox works too.
      </p>
    </div>
  );
}
