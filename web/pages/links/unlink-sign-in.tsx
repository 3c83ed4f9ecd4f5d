import { useParams } from 'wouter';
import { Letterhead } from '#web/components/layout/letterhead.tsx';
import { UnreachableNotice } from '#web/components/layout/notice.tsx';
import {
  busyOf,
  IdentityLinkDead,
  IdentitySkeleton,
  UnlinkCard,
  UnlinkDone,
} from '#web/features/ways-in/identity-cards.tsx';
import { useIdentityUnlink, useUnlinkPress } from '#web/features/ways-in/use-identity-mail.ts';
import { isFinal } from '#web/lib/api/use-loaded.ts';

/** Page of the link "This was not me" in a mail about a sign-in provider. Only its button changes anything, because mail scanners open links. */
export function UnlinkSignInPage() {
  const { token = '' } = useParams<{ token?: string }>();
  return (
    <Letterhead>
      <UnlinkQuestion token={token} />
    </Letterhead>
  );
}

function UnlinkQuestion({ token }: { token: string }) {
  const { data: unlink, error, reload } = useIdentityUnlink(token);
  const { press, submit } = useUnlinkPress(token);
  if (press.state === 'done') return <UnlinkDone {...press.done} />;
  if (press.state === 'failed' && press.isFinal) return <Dead />;
  if (unlink) return <UnlinkCard unlink={unlink} {...busyOf(press, submit)} />;
  if (error === null) return <IdentitySkeleton />;
  if (isFinal(error)) return <Dead />;
  return <UnreachableNotice message={error.message} onRetry={reload} />;
}

function Dead() {
  return (
    <IdentityLinkDead>
      It was used already, or its 30 days have passed. You can still remove a way to sign in under Privacy &amp;
      Security. Or choose “Forgot password” on the sign-in page: a password set that way removes every linked provider.
    </IdentityLinkDead>
  );
}
