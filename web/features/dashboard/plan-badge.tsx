import { type PlanName, plans } from '#shared/rules/plans.ts';
import { Badge } from '#web/components/ui/badge.tsx';
import { ButtonLink } from '#web/components/ui/button.tsx';
import { Icon } from '#web/components/ui/icon.tsx';

/** The plan, and a link to a larger one if there is one. */
export function PlanBadge({ plan }: { plan: PlanName }) {
  const hasMore = plan !== 'premium' && plan !== 'lifetime';
  return (
    <>
      <Badge>
        {plan === 'lifetime' ? <Icon name="check" /> : null}
        {plans[plan].title} Plan
      </Badge>
      {hasMore ? (
        <ButtonLink variant="text" size="small" href="/account">
          Upgrade
        </ButtonLink>
      ) : null}
    </>
  );
}
