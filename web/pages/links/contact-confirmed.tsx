import { useState } from 'react';
import { Link, useSearch } from 'wouter';
import { useHistoryState } from 'wouter/use-browser-location';
import { ContactFrame } from '#web/components/layout/contact-frame.tsx';
import { Notice } from '#web/components/layout/notice.tsx';
import { PageHeading } from '#web/components/layout/page.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { useTitle } from '#web/lib/use-title.ts';

/** Tells somebody who has accepted what the role is. */
export function ContactConfirmedPage() {
  useTitle('Role Confirmed');
  const search = new URLSearchParams(useSearch());
  const contactId = search.get('contactId');
  const name = search.get('name');
  const confirmedName = useConfirmedName(contactId);
  return (
    <ContactFrame about="role">
      {contactId && name ? (
        <Confirmed name={confirmedName} />
      ) : (
        <div className="stack">
          <PageHeading>One moment</PageHeading>
          <p role="status" className="lead">
            Loading your confirmation...
          </p>
        </div>
      )}
    </ContactFrame>
  );
}

function Confirmed({ name }: { name: string | null }) {
  const [staysOpen, setStaysOpen] = useState(false);
  const close = () => {
    window.close();
    // A browser closes only windows that a page opened; where this one stays, the person is told what to do.
    setStaysOpen(true);
  };
  return (
    <Notice drawing="hands" title="Role Confirmed">
      <p className="lead">
        {name ? (
          <>
            Thank you, <bdi>{name}</bdi>. You are a trusted contact now.
          </>
        ) : (
          'Thank you. You are a trusted contact now.'
        )}
      </p>
      <div className="outcome" style={{ marginBlock: '1rem' }}>
        <h2 className="h-card">What the role means</h2>
        <ul>
          <li>You do not need to do anything now.</li>
          <li>
            We contact you after 180+ days of inactivity, or sooner where the account holder chose a shorter time.
          </li>
          <li>
            You can <Link href="/emergency-activation">trigger emergency delivery</Link> if something has happened
            before that.
          </li>
          <li>You then get a link to a secure admin portal of your own, by email.</li>
          <li>There you see only messages marked visible: their titles and who they go to.</li>
          <li>
            You can leave the role at any time, with the link in the invitation that we sent you. Keep that email.
          </li>
        </ul>
      </div>
      <Button variant="secondary" onClick={close}>
        Close This Window
      </Button>
      <p role="status" className="quiet">
        {staysOpen ? 'You can close this tab yourself now.' : ''}
      </p>
    </Notice>
  );
}

/**
 * The name, where it came from the service in this very visit. One that stands in the address alone could have been
 * written by anybody, so it is not shown.
 */
function useConfirmedName(contactId: string | null): string | null {
  const state: unknown = useHistoryState();
  if (typeof state !== 'object' || state === null || !('accepted' in state)) return null;
  const { accepted } = state;
  if (typeof accepted !== 'object' || accepted === null) return null;
  if (!('contactId' in accepted) || !('name' in accepted)) return null;
  return accepted.contactId === contactId && typeof accepted.name === 'string' ? accepted.name : null;
}
