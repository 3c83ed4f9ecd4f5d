import type { ReactNode } from 'react';
import type { IdentityLink, IdentityUnlink } from '#shared/contract/sign-in/ways-in.ts';
import { productName } from '#shared/product.ts';
import { Notice } from '#web/components/layout/notice.tsx';
import { PressForm } from '#web/components/layout/press-form.tsx';
import { Banner } from '#web/components/ui/banner.tsx';
import { Button, ButtonLink } from '#web/components/ui/button.tsx';
import { Skeleton } from '#web/components/ui/skeleton.tsx';
import { dateAndTime } from '#web/lib/format.ts';
import type { Linked, PressState, Unlinked } from './use-identity-mail.ts';

type Busy = { isBusy: boolean; problem: string | null; onPress: () => void };

/** State of a press, as a card shows it. */
export function busyOf<Done>(press: PressState<Done>, onPress: () => void): Busy {
  return { isBusy: press.state === 'busy', problem: press.state === 'failed' ? press.message : null, onPress };
}

/** Asks whether a provider may open the account. */
export function LinkCard({ link, isBusy, problem, onPress }: { link: IdentityLink } & Busy) {
  const { provider, email, askedAt } = link;
  return (
    <Notice drawing="key" title={`Link ${provider} to your account?`}>
      <p className="lead">
        Somebody signed in at {productName} with {provider}, using the address <bdi className="whole">{email}</bdi>, on{' '}
        <time dateTime={askedAt}>{dateAndTime(askedAt)}</time>.
      </p>
      <p>
        Press the button only if it was you. From then on, {provider} opens your account and everything in it. Opening
        this page changes nothing.
      </p>
      <Problem words={problem} />
      <PressForm onPress={onPress}>
        <Button type="submit" size="big" busy={isBusy}>
          {isBusy ? 'Linking…' : `Link ${provider} to your account`}
        </Button>
      </PressForm>
      <p>Was it somebody else? Choose “This was not me” in the email that brought you here.</p>
    </Notice>
  );
}

export function LinkDone({ provider }: Linked) {
  return (
    <Notice drawing="seal" title={`${provider} is linked`}>
      <p className="lead" role="status">
        You can now sign in with {provider}. You can remove the link at any time under Privacy &amp; Security.
      </p>
      <ButtonLink href="/login">Go to the sign-in page</ButtonLink>
    </Notice>
  );
}

/** Asks for one press that refuses a provider, and undoes its link. */
export function UnlinkCard({ unlink, isBusy, problem, onPress }: { unlink: IdentityUnlink } & Busy) {
  const { provider, email, isLinked } = unlink;
  return (
    <Notice drawing="key" title="Was this not you?">
      <p className="lead">
        {isLinked ? (
          <>
            {provider} opens your account at {productName} now. It was linked with the address{' '}
            <bdi className="whole">{email}</bdi>.
          </>
        ) : (
          <>
            Somebody signed in at {productName} with {provider}, using the address <bdi className="whole">{email}</bdi>.{' '}
            {provider} does not open your account.
          </>
        )}
      </p>
      <p>
        {isLinked
          ? `Press the button if it was not you. The link with ${provider} is removed, and every device is signed out, yours too.`
          : `Press the button if it was not you. ${provider} is refused, and the link in the email stops working.`}
      </p>
      <p>Was it you? Then close this page. Opening it changes nothing.</p>
      <Problem words={problem} />
      <PressForm onPress={onPress}>
        <Button type="submit" variant="danger" size="big" busy={isBusy}>
          {isBusy ? 'One moment…' : 'This was not me'}
        </Button>
      </PressForm>
    </Notice>
  );
}

export function UnlinkDone({ provider, wasLinked }: Unlinked) {
  return (
    <Notice drawing="seal" title={wasLinked ? `The link with ${provider} is removed` : `${provider} is refused`}>
      <p className="lead" role="status">
        Thank you for telling us. {provider} does not open your account
        {wasLinked ? ', and every device is signed out' : ''}.
      </p>
      <p>
        Somebody else may be able to use {provider} or your email with your address. Change the password of your email
        account. Then choose “Forgot password” on the sign-in page here, and set a new password.
      </p>
      <ButtonLink href="/login">Go to the sign-in page</ButtonLink>
    </Notice>
  );
}

export function IdentityLinkDead({ children }: { children: ReactNode }) {
  return (
    <Notice drawing="key" title="This link has ended">
      <p>{children}</p>
      <ButtonLink href="/login">Go to the sign-in page</ButtonLink>
    </Notice>
  );
}

export function IdentitySkeleton() {
  return (
    <div className="card empty" role="status" aria-label="Loading the question">
      <Skeleton width="8.5rem" height="7rem" />
      <Skeleton width="60%" height="3rem" />
      <Skeleton width="95%" height="3.5rem" />
      <Skeleton width="10rem" height="3.5rem" />
    </div>
  );
}

function Problem({ words }: { words: string | null }) {
  if (words === null) return null;
  return (
    <Banner tone="bad" role="alert">
      {words}
    </Banner>
  );
}
