import { PaymentError } from '#server/platform/payments/payments.ts';
import { AppError } from '#shared/contract/errors.ts';
import { plans } from '#shared/rules/plans.ts';
import type { PaidPlanName } from '#shared/rules/prices.ts';

/** Calls a provider and turns its failure into a sentence for a person. @throws AppError */
export async function asking<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof PaymentError)) throw error;
    if (error.failure === 'refused') {
      throw new AppError('CONFLICT', 'The payment service did not accept this. Nothing has changed.');
    }
    const words = 'We cannot reach the payment service just now. Nothing has changed. Please try again in a while.';
    throw new AppError('UNAVAILABLE', words);
  }
}

/** Answer to a purchase with nothing to pay. */
export function activated(
  plan: PaidPlanName,
  { isSignedIn, isWaiting }: { isSignedIn: boolean; isWaiting: boolean },
): string {
  const { title } = plans[plan];
  // The words are equal for known and unknown addresses, because a visitor can type any address.
  if (!isSignedIn) {
    return `Create an account with this email address and confirm it, or sign in to the one you have. If the voucher has a use left then and you have no paid plan, the ${title} plan is yours, with nothing to pay.`;
  }
  return isWaiting
    ? `Confirm your email address to use the voucher. If it has a use left then, you are on the ${title} plan, with nothing to pay. Until then you are on the Free plan.`
    : `You are on the ${title} plan now. There is nothing to pay.`;
}

/** PayPal does not resume a cancelled plan on a change of its price. */
export function cancelledFirst(): AppError {
  const message = 'Your plan is cancelled. Choose Keep my plan under Account & Billing first, then change it.';
  return new AppError('CONFLICT', message);
}

export function nothingIsSold(): AppError {
  const message = 'Plans cannot be bought here at present. Nothing was ordered, and your Free plan stays as it is.';
  return new AppError('UNAVAILABLE', message);
}

export function nothingToChange(): AppError {
  return new AppError('CONFLICT', 'You have no plan that can be changed. Choose one on the subscription page.');
}
