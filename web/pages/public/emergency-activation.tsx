import { type ReactNode, useState } from 'react';
import { Page } from '#web/components/layout/page.tsx';
import { SupportLines } from '#web/components/ui/support-lines.tsx';
import { EmergencyForm } from '#web/features/emergency/emergency-form.tsx';
import { EmergencySubmitted, submittedTitle } from '#web/features/emergency/emergency-submitted.tsx';
import '#web/features/emergency/emergency.css';

const title = 'Emergency Activation';

/** For a trusted contact who knows that something has happened, long before silence would tell. */
export function EmergencyActivationPage() {
  const [message, setMessage] = useState<string | null>(null);
  const [hasErrors, setHasErrors] = useState(false);
  if (message !== null) return <EmergencyEnd message={message} />;
  return (
    <EmergencyBegin hasErrors={hasErrors}>
      <EmergencyForm onSubmitted={setMessage} onErrors={setHasErrors} />
    </EmergencyBegin>
  );
}

export function EmergencyEnd({ message }: { message: string }) {
  return (
    <Page title={submittedTitle} heading={null} width="narrow">
      <EmergencySubmitted message={message} />
    </Page>
  );
}

/** @param props.children the form. */
export function EmergencyBegin({ hasErrors, children }: { hasErrors: boolean; children: ReactNode }) {
  return (
    <Page
      title={hasErrors ? `Error: ${title}` : title}
      heading={title}
      width="narrow"
      intro="For trusted contacts of somebody who has died or can’t act"
    >
      <p className="lead">
        Tell us what has happened. If your email is that of a registered trusted contact, we send it a link. There you
        confirm or cancel the release of the messages.
      </p>
      {children}
      <p className="quiet">
        If someone is in danger now, call 999. After a death, <SupportLines />
      </p>
    </Page>
  );
}
