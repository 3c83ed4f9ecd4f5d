import { Notice } from '#web/components/layout/notice.tsx';
import { PressForm } from '#web/components/layout/press-form.tsx';
import { Banner } from '#web/components/ui/banner.tsx';
import { Button, ButtonLink } from '#web/components/ui/button.tsx';
import { Skeleton } from '#web/components/ui/skeleton.tsx';
import { isoDay, longDate } from '#web/lib/format.ts';
import type { Removal } from './use-remove-contact.ts';

type RemoveContactCardProps = { contactName: string; askedAt: string; removal: Removal; onRemove: () => void };

/** One question and one button. */
export function RemoveContactCard({ contactName, askedAt, removal, onRemove }: RemoveContactCardProps) {
  const name = <bdi>{contactName}</bdi>;
  return (
    <Notice drawing="key" title={`Remove ${contactName} from your trusted contacts?`}>
      <p className="lead">
        On <time dateTime={isoDay(askedAt)}>{longDate(askedAt)}</time> we were asked in the name of {name} to release
        your messages. You stopped it, and nothing was sent.
      </p>
      <p>
        If you remove {name}, {name} can no longer ask for your messages, and we no longer ask {name} about you. To keep{' '}
        {name}, close this page. Opening it changes nothing.
      </p>
      {removal.state === 'failed' ? (
        <Banner tone="bad" role="alert">
          {removal.message}
        </Banner>
      ) : null}
      {removal.state === 'failed' && removal.needsSignIn ? (
        <ButtonLink size="big" href="/contacts">
          Sign in
        </ButtonLink>
      ) : (
        <PressForm onPress={onRemove}>
          <Button type="submit" variant="danger" size="big" busy={removal.state === 'busy'}>
            {removal.state === 'busy' ? 'Removing…' : `Remove ${contactName}`}
          </Button>
        </PressForm>
      )}
    </Notice>
  );
}

export function ContactRemoved({ contactName }: { contactName: string }) {
  return (
    <Notice drawing="key" title={`${contactName} is no longer your trusted contact`}>
      <p className="lead" role="status">
        If that was a mistake, sign in. You find <bdi>{contactName}</bdi> under Recently deleted.
      </p>
      <ButtonLink variant="secondary" href="/recently-deleted">
        Recently deleted
      </ButtonLink>
    </Notice>
  );
}

export function RemovalLinkDead() {
  return (
    <Notice drawing="key" title="This link has ended">
      <p>It was used already, or it is too old. Your vault shows who your trusted contacts are.</p>
      <ButtonLink href="/contacts">See your trusted contacts</ButtonLink>
    </Notice>
  );
}

export function RemovalSkeleton() {
  return (
    <div className="card empty" role="status" aria-label="Loading the question">
      <Skeleton width="70%" height="3rem" />
      <Skeleton width="95%" height="5rem" />
      <Skeleton width="10rem" height="3.5rem" />
    </div>
  );
}
