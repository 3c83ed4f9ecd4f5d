import { useState } from 'react';
import { Link, useSearch } from 'wouter';
import { useHistoryState } from 'wouter/use-browser-location';
import { firstNameOf } from '#shared/rules/names.ts';
import { ContactFrame } from '#web/components/layout/contact-frame.tsx';
import { Notice } from '#web/components/layout/notice.tsx';
import { PageHeading } from '#web/components/layout/page.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { useTitle } from '#web/lib/use-title.ts';

/** Explains the role to a contact who has accepted. */
export function ContactConfirmedPage() {
  useTitle('Role Confirmed');
  const search = new URLSearchParams(useSearch());
  const contactId = search.get('contactId');
  const name = search.get('name');
  const accepted = useAccepted(contactId);
  return (
    <ContactFrame about="role">
      {contactId && name ? (
        <Confirmed name={accepted?.name} owner={accepted?.ownerName} />
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

type ConfirmedProps = { name: string | undefined; owner: string | undefined };

function Confirmed({ name, owner }: ConfirmedProps) {
  const [staysOpen, setStaysOpen] = useState(false);
  const close = () => {
    window.close();
    // A browser closes only windows that a page opened. If this one stays, the person gets instructions.
    setStaysOpen(true);
  };
  const ownerName = owner ? <bdi>{firstNameOf(owner)}</bdi> : 'the person who named you';
  return (
    <Notice drawing="hands" title="Role Confirmed">
      <p className="lead">
        Thank you{name ? ', ' : null}
        {name ? <bdi>{name}</bdi> : null}. You are a trusted contact
        {owner ? (
          <>
            {' '}
            for <bdi>{owner}</bdi>
          </>
        ) : null}{' '}
        now.
      </p>
      <p>We have sent you an email to keep. It says what to do on the day on which it matters.</p>
      <div className="outcome role">
        <h2 className="h-card">What the role means</h2>
        <ul>
          <li>You do not need to do anything now.</li>
          <li>
            If we hear nothing from {ownerName} for 180 days, or for the time that they chose, we write to you and ask
            what has happened.
          </li>
          <li>
            If something happens before that, <Link href="/emergency-activation">tell us yourself</Link>.
          </li>
          <li>
            You answer on a page of your own. It shows only what {ownerName} let you see: titles, and who they are for.
          </li>
          <li>You can leave at any time, with the link in our email.</li>
        </ul>
      </div>
      <Button variant="secondary" className="needs-scripts" onClick={close}>
        Close This Window
      </Button>
      <p role="status" className="quiet">
        {staysOpen ? 'You can close this tab yourself now.' : ''}
      </p>
    </Notice>
  );
}

/**
 * The contact and the owner, if the service returned them in this visit. A name that is only in the address may be
 * forged, so it is not shown.
 */
function useAccepted(contactId: string | null): { name: string; ownerName: string | undefined } | null {
  const state: unknown = useHistoryState();
  const accepted = fieldOf(state, 'accepted');
  const [name, ownerName] = [fieldOf(accepted, 'name'), fieldOf(accepted, 'ownerName')];
  if (fieldOf(accepted, 'contactId') !== contactId || typeof name !== 'string') return null;
  return { name, ownerName: typeof ownerName === 'string' ? ownerName : undefined };
}

function fieldOf(value: unknown, field: string): unknown {
  return typeof value === 'object' && value !== null ? Object.getOwnPropertyDescriptor(value, field)?.value : undefined;
}
