import { useParams } from 'wouter';
import { Letterhead } from '#web/components/layout/letterhead.tsx';
import { UnreachableNotice } from '#web/components/layout/notice.tsx';
import {
  busyOf,
  IdentityLinkDead,
  IdentitySkeleton,
  LinkCard,
  LinkDone,
} from '#web/features/ways-in/identity-cards.tsx';
import { useIdentityLink, useLinkPress } from '#web/features/ways-in/use-identity-mail.ts';
import { isFinal } from '#web/lib/api/use-loaded.ts';

/** Page of the link in a mail about a new sign-in provider. Only its button changes anything, because mail scanners open links. */
export function LinkSignInPage() {
  const { token = '' } = useParams<{ token?: string }>();
  return (
    <Letterhead>
      <LinkQuestion token={token} />
    </Letterhead>
  );
}

function LinkQuestion({ token }: { token: string }) {
  const { data: link, error, reload } = useIdentityLink(token);
  const { press, submit } = useLinkPress(token);
  if (press.state === 'done') return <LinkDone {...press.done} />;
  if (press.state === 'failed' && press.isFinal) return <Dead />;
  if (link) return <LinkCard link={link} {...busyOf(press, submit)} />;
  if (error === null) return <IdentitySkeleton />;
  if (isFinal(error)) return <Dead />;
  return <UnreachableNotice message={error.message} onRetry={reload} />;
}

function Dead() {
  return (
    <IdentityLinkDead>It was used already, or its hour has passed. Sign in as before for a new email.</IdentityLinkDead>
  );
}
