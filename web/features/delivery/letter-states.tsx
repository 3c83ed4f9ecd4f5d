import type { ReactNode } from 'react';
import { deliveryLinkDays } from '#shared/rules/retention.ts';
import { PressForm } from '#web/components/layout/press-form.tsx';
import { Banner } from '#web/components/ui/banner.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { Sheet } from '#web/components/ui/card.tsx';
import { Drawing, type DrawingName } from '#web/components/ui/drawing.tsx';
import { Skeleton } from '#web/components/ui/skeleton.tsx';
import { useTitle } from '#web/lib/use-title.ts';
import { newLinkHref } from './letter-calls.ts';
import { useNewLink } from './use-new-link.ts';

const lineWidths = ['30%', '96%', '100%', '88%', '97%', '92%', '40%'];

/** The shape of a letter, before it is there. */
export function LetterSkeleton() {
  useTitle('Your message');
  return (
    <Sheet role="status" aria-label="Loading the message">
      <div className="stack stack-close">
        <Skeleton width="14rem" height="1.25rem" />
        <Skeleton width="80%" height="2.75rem" />
        <Skeleton width="18rem" height="1rem" />
        <div className="stack stack-close">
          {lineWidths.map((width) => (
            <Skeleton key={width} width={width} height="1.125rem" />
          ))}
        </div>
      </div>
    </Sheet>
  );
}

export function InvalidLink() {
  useTitle('Invalid Link');
  return (
    <Notice drawing="post" title="Invalid Link">
      <p>The end of this link is missing. Open it again from the email, or copy all of it.</p>
    </Notice>
  );
}

/** No letter behind the link. If the link has expired, its reader can ask for a new one. */
export function LetterGone({ token }: { token: string }) {
  useTitle('Message Not Found');
  const { renewal, renew } = useNewLink(token);
  return (
    <Notice drawing="letter" title="Message Not Found">
      <p>This message may have expired or been removed.</p>
      {renewal.state === 'sent' ? (
        <Banner tone="ok">{renewal.message}</Banner>
      ) : (
        <>
          <p>
            A link works for {deliveryLinkDays} days. If the message is still kept, we can send the link to the same
            address again.
          </p>
          {renewal.state === 'failed' ? (
            <Banner tone="bad" role="alert">
              {renewal.message}
            </Banner>
          ) : null}
          <PressForm action={newLinkHref(token)} onPress={renew}>
            <Button type="submit" busy={renewal.state === 'busy'}>
              {renewal.state === 'busy' ? 'Sending…' : 'Send me a new link'}
            </Button>
          </PressForm>
        </>
      )}
    </Notice>
  );
}

/** The letter exists but does not open. The operator was notified when that was found. */
export function LetterDamaged({ children }: { children?: ReactNode }) {
  useTitle('This could not be opened');
  return (
    <>
      <Notice drawing="letter" title="This could not be opened">
        <p>The message was damaged where it is kept. Nothing else is affected.</p>
        <p>
          The people who run this service have been told and are looking for an intact copy. Keep the email, and try
          again in some days.
        </p>
      </Notice>
      {children}
    </>
  );
}

/** The letter could not be fetched, so it is unknown if it exists. */
export function LetterUnreachable({ message, onRetry }: { message: string; onRetry: () => void }) {
  useTitle('Message Not Found');
  return (
    <Notice drawing="key" title="Message Not Found">
      <p>This message may have expired or been removed. It may also be there: we could not ask just now.</p>
      <p role="alert">{message}</p>
      <PressForm method="get" onPress={onRetry}>
        <Button type="submit" variant="secondary">
          Try again
        </Button>
      </PressForm>
    </Notice>
  );
}

type NoticeProps = { drawing: DrawingName; title: string; children: ReactNode };

function Notice({ drawing, title, children }: NoticeProps) {
  return (
    <div className="card empty">
      <Drawing name={drawing} />
      <h1>{title}</h1>
      {children}
    </div>
  );
}
