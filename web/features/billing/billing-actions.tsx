import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import {
  type Billing,
  cancelSubscription,
  changeCard,
  changeSubscription,
  resumeSubscription,
} from '#shared/contract/billing.ts';
import type { RouteResult } from '#shared/contract/route.ts';
import { plans } from '#shared/rules/plans.ts';
import { type BillingCycle, catalogPrice, poundsOf } from '#shared/rules/prices.ts';
import { undeliveredAfterPaymentMonths } from '#shared/rules/retention.ts';
import { Button } from '#web/components/ui/button.tsx';
import { ConfirmDialog } from '#web/components/ui/dialog.tsx';
import { call } from '#web/lib/api/api.ts';
import { useChange } from '#web/lib/api/changes.ts';
import { longDate } from '#web/lib/format.ts';
import { toast } from '#web/lib/toast.ts';
import { changeStartWords } from './billing-words.ts';
import { isRecurringPlan, priceWords } from './choice.ts';
import { leaving } from './use-subscribe.ts';

type Asked = 'cancel' | 'resume' | 'change';
type Answer = RouteResult<typeof changeSubscription>;

/** Actions on a paid plan. Each takes two clicks, with its effect explained in between. */
export function BillingActions({ billing }: { billing: Billing }) {
  const [asked, setAsked] = useState<Asked>();
  const client = useQueryClient();
  const act = useMutation({
    mutationFn: (what: Asked) => carryOut(what, billing),
    onSuccess: ({ paymentUrl, message }, what) => {
      if (paymentUrl) return leaving.to(paymentUrl);
      setAsked(undefined);
      // The card says that a plan is cancelled, and until when it runs; a notice would say it a second time.
      if (what !== 'cancel') toast({ title: 'Account & Billing', ...(message ? { description: message } : {}) });
      client.invalidateQueries();
    },
    onError: (error) => {
      setAsked(undefined);
      toast({ title: 'Subscription Error', description: error.message, variant: 'destructive' });
    },
  });
  const card = useChange(changeCard, {
    onSuccess: ({ paymentUrl }) => leaving.to(paymentUrl),
    onError: (error) => toast({ title: 'Subscription Error', description: error.message, variant: 'destructive' }),
  });
  const { can } = billing;
  const other = otherCycle(billing);
  if (!Object.values(can).includes(true)) return null;
  const words = asked ? wordsOf(asked, billing) : undefined;
  return (
    <div className="btns">
      {can.resume ? <Button onClick={() => setAsked('resume')}>Keep my plan</Button> : null}
      {can.changeCard ? (
        <Button variant="secondary" busy={card.isPending} onClick={() => card.mutate()}>
          Change the card
        </Button>
      ) : null}
      {can.change && other ? (
        <Button variant="secondary" onClick={() => setAsked('change')}>
          Pay by the {other === 'annual' ? 'year' : 'month'}
        </Button>
      ) : null}
      {can.cancel ? (
        <Button variant="danger-outline" onClick={() => setAsked('cancel')}>
          Cancel the plan
        </Button>
      ) : null}
      <ConfirmDialog
        open={asked !== undefined}
        onClose={() => setAsked(undefined)}
        onConfirm={() => {
          if (asked && !act.isPending) act.mutate(asked);
        }}
        title={words?.title ?? ''}
        text={words?.text ?? ''}
        cancelLabel={words?.cancel ?? 'Cancel'}
        confirmLabel={act.isPending ? 'One moment…' : (words?.confirm ?? '')}
        busy={act.isPending}
        danger={asked === 'cancel'}
      />
    </div>
  );
}

/** The cycle that a plan by the month or by the year is not paid in; undefined for any other. */
function otherCycle({ term }: Billing): BillingCycle | undefined {
  if (term === 'monthly') return 'annual';
  return term === 'annual' ? 'monthly' : undefined;
}

/** A plan and what it would cost in its other cycle. */
function otherPrice(billing: Billing) {
  const cycle = otherCycle(billing);
  if (!cycle || !isRecurringPlan(billing.plan)) return undefined;
  return { plan: billing.plan, cycle, ...catalogPrice(billing.plan, cycle) };
}

function carryOut(what: Asked, billing: Billing): Promise<Answer> {
  if (what === 'cancel') return call(cancelSubscription);
  if (what === 'resume') return call(resumeSubscription);
  const other = otherPrice(billing);
  if (!other) throw new Error('Only a plan by the month or by the year has another cycle.');
  const body = { plan: other.plan, billingCycle: other.cycle, finalPrice: poundsOf(other.listPence) };
  return call(changeSubscription, { body });
}

function wordsOf(asked: Asked, billing: Billing) {
  const { title } = plans[billing.plan];
  const until = billing.endsAt ?? billing.nextPaymentAt;
  if (asked === 'cancel') {
    return {
      title: `Cancel ${title}?`,
      text: `Your plan runs ${until ? `until ${longDate(until)}` : 'to the end of the time you have paid for'}, then you are on the Free plan. Nothing you stored is deleted then, and check-ins and releases go on. Anything above the limits of the Free plan is kept for ${undeliveredAfterPaymentMonths} months after that, and we tell you before we delete it. You can take this back until that day.`,
      cancel: 'Keep my plan',
      confirm: 'Cancel the plan',
    };
  }
  if (asked === 'resume') {
    return {
      title: `Keep ${title}?`,
      text: `Your plan goes on${until ? `, and the next payment is taken on ${longDate(until)}` : ''}.`,
      cancel: 'Leave it cancelled',
      confirm: 'Keep my plan',
    };
  }
  const other = otherPrice(billing);
  return {
    title: `Pay by the ${other?.cycle === 'annual' ? 'year' : 'month'}?`,
    text: other ? `${title} is then ${priceWords(other.listPence, other.term)}. ${changeStartWords(billing)}` : '',
    cancel: 'Leave it as it is',
    confirm: `Pay by the ${other?.cycle === 'annual' ? 'year' : 'month'}`,
  };
}
