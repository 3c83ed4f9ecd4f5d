export const discountTypes = ['free', 'percentage'] as const;
export type DiscountType = (typeof discountTypes)[number];

/** `discountValue` is a percentage from 0 to 100 with at most two decimals. It has no meaning for the type `free`. */
export type Discount = { discountType: DiscountType; discountValue: number };

/** Longest code there is. */
export const voucherCodeLengthMax = 40;

/** More than this leaves less than 30p of the smallest price, which cards cannot be charged. */
export const voucherPercentMax = 93;

/** A code as it is stored and compared: in upper case, without spaces, seen or unseen, that came along from a mail. */
export function normalizedCode(typed: string): string {
  return typed.replace(/[\s\p{Cf}]+/gu, '').toUpperCase();
}

/** Hundredths of a percent in a whole, so that a percentage with two decimals is a whole number. */
const wholeBasisPoints = 10_000;

/** The price after the discount, in pence. A percentage is rounded once, halves up. */
export function discountedPence(listPence: number, { discountType, discountValue }: Discount): number {
  if (discountType === 'free') return 0;
  const kept = wholeBasisPoints - Math.round(discountValue * 100);
  return Math.round((listPence * kept) / wholeBasisPoints);
}

/** Facts about a voucher at the moment of use. */
export type VoucherFacts = {
  isActive: boolean;
  validFrom: Date | null;
  validUntil: Date | null;
  /** Null for no limit. */
  maxUses: number | null;
  /** Number of uses that are spent, or reserved by another person's open checkout. */
  takenUses: number;
  /** True if this person has spent it before. */
  isUsedByPerson: boolean;
};

export const voucherRefusals = {
  invalid: 'This voucher code is not valid.',
  early: 'This voucher code is not active yet.',
  expired: 'This voucher code has expired.',
  used: 'This voucher code has already been used.',
} as const;

export type VoucherRefusal = keyof typeof voucherRefusals;

/** Reason why a voucher can't be used now; null if it can. An unknown code is `invalid`. */
export function voucherRefusal(facts: VoucherFacts | null, now: Date): VoucherRefusal | null {
  if (!facts?.isActive) return 'invalid';
  if (facts.validFrom && now < facts.validFrom) return 'early';
  if (facts.validUntil && now >= facts.validUntil) return 'expired';
  if (facts.isUsedByPerson) return 'used';
  return facts.maxUses !== null && facts.takenUses >= facts.maxUses ? 'used' : null;
}
