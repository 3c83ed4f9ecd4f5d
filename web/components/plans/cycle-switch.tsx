import type { Ref } from 'react';
import { annualSavingPercent } from '#shared/rules/plans.ts';
import type { BillingCycle } from '#shared/rules/prices.ts';
import { Badge } from '#web/components/ui/badge.tsx';

type CycleSwitchProps = {
  onCycle: (cycle: BillingCycle) => void;
  /** Left out where the style sheet alone follows the choice, before any script runs. */
  cycle?: BillingCycle;
  annualRef?: Ref<HTMLInputElement>;
};

/** By the month or by the year. */
export function CycleSwitch({ onCycle, cycle, annualRef }: CycleSwitchProps) {
  const stateOf = (own: BillingCycle) =>
    cycle === undefined ? { defaultChecked: own === 'monthly' } : { checked: own === cycle };
  return (
    <fieldset className="switch">
      <legend className="vh">Billing period</legend>
      <label>
        <input type="radio" name="period" id="monthly" {...stateOf('monthly')} onChange={() => onCycle('monthly')} />
        Monthly
      </label>
      <label>
        <input
          type="radio"
          name="period"
          id="annual"
          ref={annualRef}
          {...stateOf('annual')}
          onChange={() => onCycle('annual')}
        />
        Annual <Badge tone="warn">Save {annualSavingPercent}%</Badge>
      </label>
    </fieldset>
  );
}
