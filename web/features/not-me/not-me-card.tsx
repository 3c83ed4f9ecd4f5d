import type { NotMe } from '#shared/contract/not-me.ts';
import { productName } from '#shared/product.ts';
import { plans } from '#shared/rules/plans.ts';
import { accountAfterDeletionDays } from '#shared/rules/retention.ts';
import { Notice } from '#web/components/layout/notice.tsx';
import { PressForm } from '#web/components/layout/press-form.tsx';
import { Banner } from '#web/components/ui/banner.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { Skeleton } from '#web/components/ui/skeleton.tsx';
import { counted, isoDay, longDate } from '#web/lib/format.ts';
import type { SaidState } from './use-not-me.ts';

type NotMeCardProps = { account: NotMe; said: SaidState; onSay: () => void };

/** Content that would be deleted, and one button. */
export function NotMeCard({ account, said, onSay }: NotMeCardProps) {
  const held = heldBy(account);
  const isAtOnce = account.removal === 'at-once';
  return (
    <Notice drawing="key" title="Was this not you?">
      <p className="lead">
        Somebody opened an account at {productName} with the address <bdi className="whole">{account.email}</bdi> on{' '}
        <time dateTime={isoDay(account.openedAt)}>{longDate(account.openedAt)}</time>.{' '}
        {account.isVerified ? 'The address was confirmed since then.' : 'Nobody has confirmed the address yet.'}
      </p>
      <p>
        {held.length > 0 ? (
          <>
            In it there is <strong>{listFormat.format(held)}</strong>.
          </>
        ) : (
          'There is nothing in it yet.'
        )}{' '}
        {account.plan ? `The ${plans[account.plan].title} plan was chosen for it.` : null}
      </p>
      <p>
        {isAtOnce
          ? 'Press the button if you did not open it. The account and everything in it are deleted at once, and this cannot be undone. The address is free again.'
          : `Press the button if you did not open it. Every device is signed out at once, and nothing more is sent from the account. After ${accountAfterDeletionDays} days everything in it is deleted. Until then only a person who reads the mail at this address can undo that. We email that person how.`}
      </p>
      <p>Is it yours? Then close this page. Opening it changes nothing.</p>
      {said.state === 'failed' ? (
        <Banner tone="bad" role="alert">
          {said.message}
        </Banner>
      ) : null}
      <PressForm onPress={onSay}>
        <Button type="submit" variant="danger" size="big" busy={said.state === 'busy'}>
          {said.state === 'busy' ? 'One moment…' : 'This was not me'}
        </Button>
      </PressForm>
    </Notice>
  );
}

const listFormat = new Intl.ListFormat('en-GB', { type: 'conjunction' });

function heldBy({ letters, contacts, documents, checklists, hasPhone, hasOwnSettings }: NotMe): string[] {
  return [
    ...(letters ? [counted(letters, 'letter')] : []),
    ...(contacts ? [counted(contacts, 'trusted contact')] : []),
    ...(documents ? [counted(documents, 'document')] : []),
    ...(checklists ? [counted(checklists, 'checklist')] : []),
    ...(hasPhone ? ['a phone number'] : []),
    ...(hasOwnSettings ? ['settings for when letters are sent'] : []),
  ];
}

export function NotMeDone({ goesAt }: { goesAt: string | null }) {
  if (goesAt === null) {
    return (
      <Notice drawing="seal" title="The account is gone">
        <p className="lead" role="status">
          Thank you for telling us. The account and everything in it have been deleted, and every device is signed out.
        </p>
        <p>
          We tell the people who were invited from it that this was a mistake. Your address is free. If you ever want an
          account of your own here, you begin with an empty one.
        </p>
      </Notice>
    );
  }
  return (
    <Notice drawing="seal" title="The account is closed">
      <p className="lead" role="status">
        Thank you for telling us. Every device is signed out, and nothing is sent from the account any more. On{' '}
        <time dateTime={isoDay(goesAt)}>{longDate(goesAt)}</time> everything in it is deleted.
      </p>
      <p>
        There is nothing more for you to do. We have written to the address. If the account is yours after all, that
        email says how to restore it.
      </p>
    </Notice>
  );
}

export function NotMeLinkDead() {
  return (
    <Notice drawing="key" title="This link has ended">
      <p>
        It was used already, or its 30 days are over. If an account with your address still troubles you, answer the
        email that the link was in: a person reads it.
      </p>
    </Notice>
  );
}

export function NotMeSkeleton() {
  return (
    <div className="card empty" role="status" aria-label="Loading what the account holds">
      <Skeleton width="8.5rem" height="7rem" />
      <Skeleton width="60%" height="3rem" />
      <Skeleton width="95%" height="3.5rem" />
      <Skeleton width="10rem" height="3.5rem" />
    </div>
  );
}
