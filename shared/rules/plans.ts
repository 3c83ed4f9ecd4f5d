/** The one catalogue of plans: prices, limits, features and sales text. Everything that speaks of a plan reads it. */

export const planNames = ['free', 'essential', 'premium', 'lifetime'] as const;
export type PlanName = (typeof planNames)[number];

/** Plans that can be named at registration. Only a payment grants a paid one. */
export const registrablePlanNames = ['free', 'essential', 'premium'] as const satisfies readonly PlanName[];

/** Bytes of a megabyte, as shown to people. */
export const bytesPerMegabyte = 1_000_000;

/** On the wire, a limit that is not there. */
export const unlimited = -1;

/** Number of bytes a plan stores. */
export function storageBytesOf(plan: PlanName): number {
  return plans[plan].storageLimitMb * bytesPerMegabyte;
}

/** Share of a limit, in percent, from which the dashboard warns. */
export const warningPercent = 80;

/** Saving of paying by the year, in percent, as the badge says it. */
export const annualSavingPercent = 15;

export type Feature = 'attachments' | 'documentVault' | 'templates' | 'checklists' | 'premiumTemplates' | 'video';

export type Plan = {
  name: PlanName;
  title: string;
  isMostPopular: boolean;
  /** `null` where the plan is not sold that way. */
  priceMonthlyPence: number | null;
  priceAnnualPence: number | null;
  priceOncePence: number | null;
  /** `unlimited` for no limit. Messages count until they are delivered. */
  messageLimit: number;
  storageLimitMb: number;
  features: readonly Feature[];
  salesPoints: readonly string[];
};

export const plans: Record<PlanName, Plan> = {
  free: {
    name: 'free',
    title: 'Free',
    isMostPopular: false,
    priceMonthlyPence: 0,
    priceAnnualPence: 0,
    priceOncePence: null,
    messageLimit: 2,
    storageLimitMb: 1,
    features: [],
    salesPoints: [
      '2 messages, text only',
      '1 MB of storage',
      'Check-ins and trusted contacts',
      'Basic guides',
      'Basic encryption, as strong as on every plan',
    ],
  },
  essential: {
    name: 'essential',
    title: 'Essential',
    isMostPopular: true,
    priceMonthlyPence: 499,
    priceAnnualPence: 4999,
    priceOncePence: null,
    messageLimit: 10,
    storageLimitMb: 500,
    features: ['attachments', 'documentVault', 'templates', 'checklists'],
    salesPoints: [
      '10 messages',
      '500 MB of storage',
      'Document vault',
      'Document and image upload, up to 10 MB each',
      'Templates and checklists',
      'Delivery verification, trusted contacts and free guides, as on every plan',
    ],
  },
  premium: {
    name: 'premium',
    title: 'Premium',
    isMostPopular: false,
    priceMonthlyPence: 999,
    priceAnnualPence: 9999,
    priceOncePence: null,
    messageLimit: unlimited,
    storageLimitMb: 5_000,
    features: ['attachments', 'documentVault', 'templates', 'checklists', 'premiumTemplates', 'video'],
    salesPoints: [
      'Unlimited messages',
      '5 GB of storage',
      'Digital vault for documents and videos',
      'Video messages',
      'Premium templates',
      'Everything in Essential',
    ],
  },
  lifetime: {
    name: 'lifetime',
    title: 'Lifetime',
    isMostPopular: false,
    priceMonthlyPence: null,
    priceAnnualPence: null,
    priceOncePence: 29_900,
    messageLimit: unlimited,
    storageLimitMb: 10_000,
    features: ['attachments', 'documentVault', 'templates', 'checklists', 'premiumTemplates', 'video'],
    salesPoints: ['Unlimited messages', '10 GB of storage', 'All Premium features', 'No recurring fees'],
  },
};

/** True if one more message fits. `current` is the number of messages not yet delivered. */
export function canCreateMessage(plan: PlanName, current: number): boolean {
  const { messageLimit } = plans[plan];
  return messageLimit === unlimited || current < messageLimit;
}

/** True if `addedBytes` more fit beside the `usedBytes` already stored. */
export function canStore(plan: PlanName, usedBytes: number, addedBytes: number): boolean {
  return usedBytes + addedBytes <= plans[plan].storageLimitMb * bytesPerMegabyte;
}

export function hasFeature(plan: PlanName, feature: Feature): boolean {
  return plans[plan].features.includes(feature);
}

/** Used part of a limit, in the limit's own unit. `unlimited` means no limit. */
export type PlanUse = { current: number; limit: number };

export function isUnlimited({ limit }: PlanUse): boolean {
  return limit === unlimited;
}

/** True if at least the warning share of a limit is used. An unlimited use never is. */
export function isNearLimit(use: PlanUse): boolean {
  return !isUnlimited(use) && use.limit > 0 && (use.current / use.limit) * 100 >= warningPercent;
}
