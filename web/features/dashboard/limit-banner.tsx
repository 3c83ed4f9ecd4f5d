import { isNearLimit } from '#shared/rules/plans.ts';
import { Banner } from '#web/components/ui/banner.tsx';
import { ButtonLink } from '#web/components/ui/button.tsx';
import { limitState, type PlanLimits } from './dashboard-data.ts';
import { megabytes } from './megabytes.ts';

/** Says once, for both limits, that they are reached or near. */
export function LimitBanner({ limits }: { limits: PlanLimits }) {
  const state = limitState(limits);
  if (state === 'free') return null;
  const upgrade = (
    <ButtonLink variant="text" size="small" href="/account">
      Upgrade
    </ButtonLink>
  );
  if (state === 'reached') {
    return (
      <Banner tone="bad" action={upgrade}>
        You've reached your plan limits. Upgrade now to continue adding content.
      </Banner>
    );
  }
  return <Banner action={upgrade}>You're approaching your plan limits. {nearSentences(limits)}</Banner>;
}

function nearSentences({ messages, storage }: PlanLimits): string {
  const sentences = [
    isNearLimit(messages) && `${messages.current} of ${messages.limit} messages are used.`,
    isNearLimit(storage) && `${megabytes(storage.current)} of ${storage.limit} MB are used.`,
  ];
  return sentences.filter(Boolean).join(' ');
}
