import type { NewsChoice } from '#shared/contract/news.ts';
import { productName } from '#shared/product.ts';
import { Notice } from '#web/components/layout/notice.tsx';
import { PressForm, pressName } from '#web/components/layout/press-form.tsx';
import { Banner } from '#web/components/ui/banner.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { Skeleton } from '#web/components/ui/skeleton.tsx';
import type { NewsState } from './use-news.ts';

type NewsCardProps = { choice: NewsChoice; state: NewsState; onChoose: (wantsNews: boolean) => void };

/** One question and one button; afterwards, the way back. */
export function NewsCard({ choice, state, onChoose }: NewsCardProps) {
  const { isBusy, message } = state;
  const refusal = message ? (
    <Banner tone="bad" role="alert">
      {message}
    </Banner>
  ) : null;
  if (choice.wantsNews) {
    return (
      <Notice drawing="letter" title="Stop the news?">
        {state.chosen ? <p role="status">You get our news again.</p> : null}
        <p className="lead">
          We write now and then to <bdi>{choice.email}</bdi> about what is new at {productName}. Press the button and we
          stop.
        </p>
        <p>Reminders, and whatever else concerns your account and your messages, still reach you.</p>
        {refusal}
        <PressForm onPress={() => onChoose(false)}>
          <Button type="submit" name={pressName} value="stop" busy={isBusy}>
            {isBusy ? 'Stopping…' : 'Stop the news'}
          </Button>
        </PressForm>
      </Notice>
    );
  }
  return (
    <Notice drawing="letter" title="You get no more news">
      <p className="lead" role="status">
        We send no more news to <bdi>{choice.email}</bdi>. Reminders, and whatever else concerns your account, still
        reach you.
      </p>
      {refusal}
      <PressForm onPress={() => onChoose(true)}>
        <Button type="submit" name={pressName} value="again" variant="secondary" busy={isBusy}>
          {isBusy ? 'One moment…' : 'Send me the news again'}
        </Button>
      </PressForm>
    </Notice>
  );
}

export function NewsLinkDead() {
  return (
    <Notice drawing="key" title="We do not know this link">
      <p>Take the one at the foot of our latest email.</p>
    </Notice>
  );
}

export function NewsSkeleton() {
  return (
    <div className="card empty" role="status" aria-label="Loading your choice">
      <Skeleton width="8.5rem" height="7rem" />
      <Skeleton width="60%" height="3rem" />
      <Skeleton width="95%" height="3.5rem" />
      <Skeleton width="10rem" height="2.75rem" />
    </div>
  );
}
