import type { User } from '#shared/contract/accounts.ts';
import type { getPlanLimits } from '#shared/contract/dashboard.ts';
import type { RouteResult } from '#shared/contract/route.ts';
import { isNearLimit, isUnlimited, type PlanUse, plans } from '#shared/rules/plans.ts';
import { fileSize } from '#shared/rules/sizes.ts';
import { Card } from '#web/components/ui/card.tsx';
import { ProgressBar } from '#web/components/ui/progress-bar.tsx';
import { counted } from '#web/lib/format.ts';
import { bytesOf } from './plan-use.rules.ts';

export type PlanLimits = RouteResult<typeof getPlanLimits>;

type CurrentPlanProps = { user: Pick<User, 'plan' | 'intendedPlan'>; limits: PlanLimits };

/** The plan the person has, and how much of it is used. */
export function CurrentPlan({ user, limits }: CurrentPlanProps) {
  const { messages, storage } = limits;
  return (
    <Card as="section" className="plan-now" aria-labelledby="plan-now">
      <div>
        <h2 id="plan-now">Current plan</h2>
        <p className="plan-now-name">{plans[user.plan].title}</p>
        <Intended user={user} />
      </div>
      <div className="plan-uses">
        <Use title="Messages" use={messages} words={messageWords(messages)} />
        <Use title="Storage" use={storage} words={storageWords(storage)} />
      </div>
    </Card>
  );
}

/** Explains to a person who chose a paid plan at registration why they do not have it. */
function Intended({ user: { plan, intendedPlan } }: Pick<CurrentPlanProps, 'user'>) {
  if (plan !== 'free' || intendedPlan === null || intendedPlan === 'free') return null;
  return (
    <p className="quiet">
      You chose {plans[intendedPlan].title} when you joined. Nothing was charged, and your account is on the Free plan.
    </p>
  );
}

function Use({ title, use, words }: { title: string; use: PlanUse; words: string }) {
  return (
    <div className="plan-use">
      <h3>{title}</h3>
      <p>{words}</p>
      {isUnlimited(use) ? null : (
        <ProgressBar
          value={use.current}
          max={use.limit}
          label={`${title}: ${words}`}
          tone={isNearLimit(use) ? 'warn' : 'plain'}
        />
      )}
    </div>
  );
}

/** Messages count until they are delivered. */
function messageWords(use: PlanUse): string {
  if (isUnlimited(use)) return `${counted(use.current, 'message')}, and no limit`;
  return `${use.current} of ${use.limit} used`;
}

function storageWords(storage: PlanLimits['storage']): string {
  const used = fileSize(storage.currentBytes);
  return isUnlimited(storage) ? `${used}, and no limit` : `${used} of ${fileSize(bytesOf(storage.limit))} used`;
}
