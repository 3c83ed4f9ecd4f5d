import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { complaintAcknowledgedDays } from '#shared/rules/retention.ts';
import { Page } from '#web/components/layout/page.tsx';
import { SkeletonRows } from '#web/components/ui/skeleton.tsx';
import { ComplaintForm, type Received } from '#web/features/privacy/complaint-form.tsx';
import { useSession } from '#web/lib/session.ts';
import '#web/features/privacy/privacy.css';

const title = 'Complain about the use of your data';
const receivedTitle = 'We have your complaint';

/** For all people whose data we may have: owners, contacts, recipients, and addressees by mistake. */
export function ComplaintPage() {
  const { user, isLoading } = useSession();
  const [received, setReceived] = useState<Received | null>(null);
  const [hasErrors, setHasErrors] = useState(false);
  if (received) return <ComplaintEnd received={received} />;
  return (
    <ComplaintBegin hasErrors={hasErrors}>
      {isLoading ? (
        <SkeletonRows rows={3} label="Loading the form" />
      ) : (
        <ComplaintForm user={user} onReceived={setReceived} onErrors={setHasErrors} />
      )}
    </ComplaintBegin>
  );
}

export function ComplaintEnd({ received }: { received: Received }) {
  return (
    <Page title={receivedTitle} width="narrow">
      <section className="card stack" aria-label="What happens next">
        <p role="status">{received.message}</p>
        <p>
          Its reference is <b>{received.reference}</b>.
        </p>
        <p className="quiet">
          Nothing there after an hour? Look in your spam folder. By law you must know within {complaintAcknowledgedDays}{' '}
          days that we have it.
        </p>
      </section>
    </Page>
  );
}

/** @param props.children the form. */
export function ComplaintBegin({ hasErrors, children }: { hasErrors: boolean; children: ReactNode }) {
  return (
    <Page
      title={hasErrors ? `Error: ${title}` : title}
      heading={title}
      width="narrow"
      intro="You don’t need an account for this"
    >
      <p className="lead">
        Tell us what you think is wrong. You get a receipt by email. We look into it without delay, and tell you the
        outcome. Our <Link href="/privacy-policy">privacy policy</Link> says what we keep, and why.
      </p>
      {children}
      <p className="quiet">
        If our answer does not help, or you would rather not ask us, you can complain to the Information Commissioner’s
        Office.
      </p>
    </Page>
  );
}
