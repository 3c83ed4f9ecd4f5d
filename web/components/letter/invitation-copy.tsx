import { productName } from '#shared/product.ts';
import './invitation-copy.css';

type InvitationCopyProps = {
  /** First name of the contact; empty until it is typed. */
  to: string;
  /** Whole name and first name of the owner, as in the email; empty until they are typed. */
  from: { name: string; firstName: string };
  /** The owner's own words, which come last. */
  word?: string;
};

/** The email that a trusted person gets, as it arrives. Its buttons are a picture and no controls. */
export function InvitationCopy({ to, from, word = '' }: InvitationCopyProps) {
  const owner = from.firstName || '[your name]';
  return (
    <figure className="mail-copy">
      <figcaption className="it">The email {to === '' ? 'they get' : `${to} gets`}</figcaption>
      <div className="mail-copy-in">
        <p className="mail-copy-top">
          <b>
            <bdi>{from.name || owner}</bdi> has named you as a trusted contact
          </b>
        </p>
        <p>Hello {to === '' ? '…' : <bdi>{to}</bdi>},</p>
        <p>
          <bdi>{owner}</bdi> keeps messages for other people in {productName}. You do not need to do anything about them
          now. If <bdi>{owner}</bdi> stops answering, we will ask you to tell us what has happened.
        </p>
        <p>We ask you only if you agree. You can accept or decline, and you don’t need an account.</p>
        <p className="mail-copy-btn" aria-hidden="true">
          Answer the invitation
        </p>
        {word.trim() === '' ? null : (
          <>
            <p>
              <bdi>{owner}</bdi> added a few words. They are <bdi>{owner}</bdi>’s, not ours:
            </p>
            <p className="mail-copy-word" dir="auto">
              “{word.trim()}”
            </p>
          </>
        )}
      </div>
    </figure>
  );
}
