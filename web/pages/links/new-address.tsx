import { useParams } from 'wouter';
import { ContactFrame } from '#web/components/layout/contact-frame.tsx';
import { NewAddressLetters } from '#web/features/release-portal/new-address-letters.tsx';
import { AccessError, PortalSkeleton } from '#web/features/release-portal/portal-states.tsx';
import { deadLinkDetail } from '#web/features/release-portal/portal-words.ts';
import { useNewAddress } from '#web/features/release-portal/use-new-address.ts';
import { isFinal } from '#web/lib/api/use-loaded.ts';

/** Page where a trusted contact proposes another address for an unreachable recipient. Opening it changes nothing. */
export function NewAddressPage() {
  const { token = '' } = useParams<{ token?: string }>();
  const { page, error, reload, actions } = useNewAddress(token);
  const isDead = error !== null && isFinal(error);
  if (page && !isDead) {
    return (
      <ContactFrame about="release" onlyFor={page.contactName}>
        <NewAddressLetters page={page} actions={actions} />
      </ContactFrame>
    );
  }
  return (
    <ContactFrame about="release">
      {error === null ? <PortalSkeleton /> : null}
      {isDead ? <AccessError message={error.message} detail={deadLinkDetail} /> : null}
      {error && !isDead ? (
        <AccessError
          message="We could not look at this just now"
          detail={error.message}
          action={{ label: 'Try again', onPress: reload }}
        />
      ) : null}
    </ContactFrame>
  );
}
