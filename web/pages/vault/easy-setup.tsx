import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import type { User } from '#shared/contract/accounts.ts';
import { listContacts } from '#shared/contract/contacts.ts';
import { getUserProfile } from '#shared/contract/phone.ts';
import { getRelease } from '#shared/contract/release/release.ts';
import { Page } from '#web/components/layout/page.tsx';
import { PublicHeader } from '#web/components/layout/public-header.tsx';
import { LoadError } from '#web/components/ui/empty.tsx';
import { SkeletonRows } from '#web/components/ui/skeleton.tsx';
import { beginSession } from '#web/features/accounts/sign-in.ts';
import { ThinFooter } from '#web/features/accounts/sign-in-frame.tsx';
import { useSessionEnded } from '#web/features/accounts/use-session-ended.ts';
import type { VaultFacts } from '#web/features/easy-setup/saved-step.tsx';
import { SetupWizard } from '#web/features/easy-setup/setup-wizard.tsx';
import { useAnswers } from '#web/features/easy-setup/use-answers.ts';
import { GoingAway } from '#web/features/release/going-away.tsx';
import { light } from '#web/lib/api/light-routes.ts';
import { useRead } from '#web/lib/api/reads.ts';
import { sessionKey, useSession } from '#web/lib/session.ts';

/** Easy Setup. Signed in it stands inside the letterhead; a visitor has the one of the public pages. */
export function EasySetupPage() {
  const { user, isLoading } = useSession();
  if (isLoading) return <Loading />;
  if (user) return <OwnersSetup key={user.id} user={user} />;
  return (
    <div className="login">
      <PublicHeader offers="sign-in" />
      <Setup key="visitor" user={null} vault={null} footer={<ThinFooter />} />
    </div>
  );
}

function OwnersSetup({ user }: { user: User }) {
  const profile = useRead(getUserProfile, { refetchOnMount: 'always' });
  const contacts = useRead(listContacts, { refetchOnMount: 'always' });
  const letters = useRead(light.getLettersSummary, { refetchOnMount: 'always' });
  const reads = [profile, contacts, letters];
  useSessionEnded(reads.some(({ data }) => data === null));
  if (profile.data && contacts.data && letters.data) {
    const vault = { profile: profile.data, contacts: contacts.data, letters: letters.data.all };
    return <Setup user={user} vault={vault} />;
  }
  if (!reads.some(({ isError, data }) => isError && !data)) return <Loading />;
  return (
    <Page title="Easy Setup">
      <LoadError
        title="We could not load your vault"
        text="It is safe. The connection failed. Try again, or come back in a few minutes."
        onRetry={() => {
          for (const read of reads) read.refetch();
        }}
      />
    </Page>
  );
}

type SetupProps = {
  user: User | null;
  vault: VaultFacts | null;
  /** Comes with the wizard, whose height would move it. */
  footer?: ReactNode;
};

function Setup(props: SetupProps) {
  const [round, setRound] = useState(0);
  return <StartedSetup key={round} {...props} onStartAgain={() => setRound(round + 1)} />;
}

function StartedSetup({ user, vault, footer, onStartAgain }: SetupProps & { onStartAgain: () => void }) {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const state = useAnswers(user?.id ?? null);
  if (!state) return <Loading />;
  const takeIn = (signedIn: User) => {
    // The page may have found out by itself, and be reading the new vault already.
    if (client.getQueryData(sessionKey)?.id !== signedIn.id) beginSession(client, signedIn);
  };
  return (
    <>
      <SetupWizard
        user={user}
        vault={vault}
        state={state}
        goingAway={user ? <OwnersJourney /> : null}
        onSignedIn={takeIn}
        onLeave={() => state.forget().then(() => navigate('/'))}
        onStartAgain={() => state.forget().then(onStartAgain)}
      />
      {footer}
    </>
  );
}

/** Nothing where the day can't be read: the wizard is done all the same. */
function OwnersJourney() {
  const release = useRead(getRelease, { refetchOnMount: 'always' });
  return release.data ? <GoingAway awayUntil={release.data.awayUntil} /> : null;
}

function Loading() {
  return (
    <Page title="Easy Setup">
      <SkeletonRows rows={1} label="Loading Easy Setup" />
    </Page>
  );
}
