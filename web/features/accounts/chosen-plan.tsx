import { plans } from '#shared/rules/plans.ts';
import { Card } from '#web/components/ui/card.tsx';
import { money } from '#web/lib/format.ts';
import type { RegistrablePlan } from './register-fields.tsx';

/** Price and content of the plan chosen in the form. */
export function ChosenPlan({ plan }: { plan: RegistrablePlan }) {
  const { title, priceMonthlyPence, salesPoints } = plans[plan];
  const pence = priceMonthlyPence ?? 0;
  return (
    <Card as="section" className="chosen joining-plan" aria-labelledby="chosen-plan">
      <h2 className="h-card" id="chosen-plan">
        Your Selected Plan
      </h2>
      <div aria-live="polite">
        <h3>{title}</h3>
        <p className="price">
          {money(pence)} {pence > 0 ? <small>a month</small> : null}
        </p>
        <ul>
          {salesPoints.map((point) => (
            <li key={point}>{point}</li>
          ))}
        </ul>
      </div>
      <p className="hint">
        {pence > 0
          ? 'Your account starts on the free plan. Nothing is charged until you have paid for this one. You can change your plan anytime from your account settings.'
          : 'You can change your plan anytime from your account settings.'}
      </p>
    </Card>
  );
}
