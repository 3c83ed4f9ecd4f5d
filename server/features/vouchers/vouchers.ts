import { randomUUID } from 'node:crypto';
import type { App } from '#server/app.ts';
import { recordAudit } from '#server/features/audit/record.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { AppError } from '#shared/contract/errors.ts';
import { type Discount, type VoucherRefusal, voucherRefusal, voucherRefusals } from '#shared/rules/vouchers.ts';
import {
  countTakenUses,
  countVoucherUse,
  deleteExpiredReservations,
  deleteReservation,
  disableVoucher,
  findVoucher,
  hasSpentVoucher,
  insertReservation,
  insertVoucher,
  isSpentBy,
  listVouchers,
  lockVoucher,
  spendVoucher,
  type Use,
  uncountVoucherUse,
  unspendVoucher,
  type VoucherRow,
} from './vouchers.repository.ts';

export type NewVoucherCode = Discount & {
  code: string;
  maxUses: number | null;
  validFrom: Date | null;
  validUntil: Date | null;
};

/** A voucher code, and the person who wants to use it. */
type Wish = { code: string; email: string | null };

/** Use of a voucher by the person with this address. */
type PersonUse = Omit<Use, 'personHash'> & { email: string };

/** Returns the voucher of a code, without using it. @throws AppError with the reason if it can't be used. */
export async function checkVoucher(app: App, executor: Executor, wish: Wish, at: Date): Promise<VoucherRow> {
  return checked(app, executor, await findVoucher(executor, wish.code), wish, at);
}

/** Does the same as `checkVoucher` and locks the voucher until the transaction ends. */
export async function claimVoucher(app: App, tx: Executor, wish: Wish, at: Date): Promise<VoucherRow> {
  const found = await findVoucher(tx, wish.code);
  return checked(app, tx, found && (await lockVoucher(tx, found.id)), wish, at);
}

/** Reserves a use for a person at a checkout. It counts until `until`. The voucher is claimed. */
export function reserveVoucher(app: App, tx: Executor, { email, ...use }: PersonUse, until: Date): Promise<void> {
  return insertReservation(tx, { ...use, personHash: voucherPersonOf(app, email) }, until);
}

/** Uses a voucher permanently. A person who paid the asked price gets the plan: a use beyond the limit is only recorded. */
export async function consumeVoucher(app: App, tx: Executor, { email, ...person }: PersonUse, at: Date): Promise<void> {
  const use = { ...person, personHash: voucherPersonOf(app, email) };
  await lockVoucher(tx, use.voucherCodeId);
  if (await isSpentBy(tx, use)) return;
  const isFirst = await spendVoucher(tx, use, at);
  const isWithin = isFirst && (await countVoucherUse(tx, use.voucherCodeId));
  await record(app, tx, isWithin ? 'voucher.use' : 'voucher.overuse', use, at);
}

/** Does the same as `take`, and returns false too if the operator has disabled the voucher. */
export async function takeVoucherIfActive(app: App, tx: Executor, use: PersonUse, at: Date): Promise<boolean> {
  const voucher = await lockVoucher(tx, use.voucherCodeId);
  return voucher?.isActive === true && (await takeVoucher(app, tx, use, at));
}

/** Undoes a use, since its price will not be charged. */
export async function returnVoucher(app: App, tx: Executor, { email, ...person }: PersonUse, at: Date): Promise<void> {
  const use = { ...person, personHash: voucherPersonOf(app, email) };
  await lockVoucher(tx, use.voucherCodeId);
  if (!(await unspendVoucher(tx, use))) return;
  await uncountVoucherUse(tx, use.voucherCodeId);
  await record(app, tx, 'voucher.return', use, at);
}

/** Creates a voucher for the operator. @throws AppError `CONFLICT` if the code exists. */
export function createVoucher(app: App, voucher: NewVoucherCode): Promise<void> {
  return app.db.transaction(async (tx) => {
    const at = await app.clock.now(tx);
    const id = randomUUID();
    const isNew = await insertVoucher(tx, { ...voucher, id, createdAt: at });
    if (!isNew) throw new AppError('CONFLICT', 'There is a voucher with this code already.');
    await recordAudit(app, tx, { userId: null, action: 'voucher.create', resource: 'voucher', resourceId: id, at });
  });
}

export function listVoucherCodes(app: App): Promise<VoucherRow[]> {
  return listVouchers(app.db);
}

/** @throws AppError `NOT_FOUND`. */
export function disableVoucherCode(app: App, code: string): Promise<void> {
  return app.db.transaction(async (tx) => {
    const at = await app.clock.now(tx);
    const id = await disableVoucher(tx, code);
    if (!id) throw new AppError('NOT_FOUND', 'There is no voucher with this code.');
    await recordAudit(app, tx, { userId: null, action: 'voucher.disable', resource: 'voucher', resourceId: id, at });
  });
}

/** Value that identifies a person in rows. A reader of the rows can't test addresses against it without a key of the installation. */
export function voucherPersonOf(app: App, email: string): string {
  return app.serviceKeys.derive('voucher-person', email);
}

/**
 * Uses a voucher for a price that its owner agreed to and has not paid yet. Returns false if no use is reserved for
 * this person and none is left. An ended voucher counts, because it was valid when the price was shown.
 */
export async function takeVoucher(app: App, tx: Executor, { email, ...person }: PersonUse, at: Date): Promise<boolean> {
  const use = { ...person, personHash: voucherPersonOf(app, email) };
  const { voucherCodeId, personHash } = use;
  const voucher = await lockVoucher(tx, voucherCodeId);
  if (await isSpentBy(tx, use)) return true;
  const isLeft =
    voucher !== null && (voucher.maxUses === null || (await takenUses(tx, voucher, personHash, at)) < voucher.maxUses);
  const isTaken = isLeft && (await spendVoucher(tx, use, at)) && (await countVoucherUse(tx, voucherCodeId));
  await record(app, tx, isTaken ? 'voucher.use' : 'voucher.refuse', use, at);
  return isTaken;
}

/** Counts uses and reservations. The voucher's own count may be higher, such as for uses that were given out by hand. */
async function takenUses(executor: Executor, voucher: VoucherRow, personHash: string | null, at: Date) {
  const counted = await countTakenUses(executor, { voucherCodeId: voucher.id, personHash, at });
  return Math.max(voucher.currentUses, counted);
}

async function checked(
  app: App,
  executor: Executor,
  voucher: VoucherRow | null,
  wish: Wish,
  at: Date,
): Promise<VoucherRow> {
  const personHash = wish.email === null ? null : voucherPersonOf(app, wish.email);
  const facts = voucher && {
    ...voucher,
    takenUses: await takenUses(executor, voucher, personHash, at),
    isUsedByPerson: personHash !== null && (await hasSpentVoucher(executor, voucher.id, personHash)),
  };
  const refusal = voucherRefusal(facts, at);
  if (refusal || !voucher) throw refused(refusal ?? 'invalid');
  return voucher;
}

async function record(app: App, tx: Executor, action: string, use: Use, at: Date): Promise<void> {
  const { userId, voucherCodeId: resourceId, checkoutId } = use;
  await recordAudit(app, tx, {
    userId,
    action,
    resource: 'voucher',
    resourceId,
    details: { checkout: checkoutId },
    at,
  });
}

/** Frees the use that is reserved for a checkout. */
export function releaseVoucherHold(tx: Executor, checkoutId: string): Promise<void> {
  return deleteReservation(tx, checkoutId);
}

export function deleteLapsedVoucherHolds(tx: Executor, at: Date): Promise<void> {
  return deleteExpiredReservations(tx, at);
}

function refused(refusal: VoucherRefusal): AppError {
  return new AppError(refusal === 'invalid' ? 'NOT_FOUND' : 'CONFLICT', voucherRefusals[refusal]);
}
