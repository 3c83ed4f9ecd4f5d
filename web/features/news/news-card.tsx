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
  const words = wordsOf(choice);
  if (choice.wantsNews) {
    return (
      <Notice drawing="letter" title={words.ask}>
        {state.chosen ? <p role="status">{words.again}</p> : null}
        <p className="lead">{words.lead}</p>
        <p>You still get reminders, and emails about your account and your messages.</p>
        {refusal}
        <PressForm onPress={() => onChoose(false)}>
          <Button type="submit" name={pressName} value="stop" busy={isBusy}>
            {isBusy ? 'Stopping…' : words.stop}
          </Button>
        </PressForm>
      </Notice>
    );
  }
  return (
    <Notice drawing="letter" title={words.none}>
      <p className="lead" role="status">
        {words.noneLead} You still get reminders, and emails about your account.
      </p>
      {refusal}
      <PressForm onPress={() => onChoose(true)}>
        <Button type="submit" name={pressName} value="again" variant="secondary" busy={isBusy}>
          {isBusy ? 'One moment…' : words.begin}
        </Button>
      </PressForm>
    </Notice>
  );
}

/** Description of the mails that the link is about. */
function wordsOf({ about, email }: NewsChoice) {
  const address = <bdi className="whole">{email}</bdi>;
  if (about === 'questions') {
    return {
      ask: 'Stop the questions?',
      again: 'You get a question a month again.',
      lead: (
        <>
          Once a month we send {address} a question that a letter can begin with, because you asked for it. Press the
          button and we stop.
        </>
      ),
      stop: 'Stop the questions',
      none: 'You get no more questions',
      noneLead: <>We send no more questions to {address}.</>,
      begin: 'Send me the questions again',
    };
  }
  return {
    ask: 'Stop the news?',
    again: 'You get our news again.',
    lead: (
      <>
        We write now and then to {address} about what is new at {productName}. Press the button and we stop.
      </>
    ),
    stop: 'Stop the news',
    none: 'You get no more news',
    noneLead: <>We send no more news to {address}.</>,
    begin: 'Send me the news again',
  };
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
