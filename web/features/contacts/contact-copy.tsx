import { InvitationCopy } from '#web/components/letter/invitation-copy.tsx';

/** The email as it arrives, and the effect of each answer. */
export function AsItArrives({
  to,
  ownerName,
  word,
}: {
  to: string;
  ownerName: { name: string; firstName: string };
  word: string;
}) {
  return (
    <div className="contact-copy">
      <InvitationCopy to={to} from={ownerName} word={word} />
      <dl className="contact-then">
        <dt>If it is a yes</dt>
        <dd>
          {to || 'They'} {to ? 'gets' : 'get'} an email to keep, with what to do if something happens to you.
        </dd>
        <dt>If it is a no</dt>
        <dd>You hear it from us. We don’t ask {to || 'them'} again.</dd>
      </dl>
    </div>
  );
}

/** Effect of the button, shown before it is pressed. */
export function WhatAddDoes({ to, isVerified }: { to: string; isVerified: boolean }) {
  return (
    <p>
      {isVerified ? (
        <b>We email {to || 'them'} as soon as you press Add Contact</b>
      ) : (
        <b>We email {to || 'them'} once your own address is confirmed</b>
      )}
      , and ask for a yes or a no. If you signed in a while ago, we ask for your password first.
    </p>
  );
}
