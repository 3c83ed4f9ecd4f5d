import { randomUUID } from 'node:crypto';
import type { App } from '#server/app.ts';
import { recordAudit } from '#server/features/audit/record.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { AppError } from '#shared/contract/errors.ts';
import { type Discount, type VoucherRefusal, voucherRefusal, voucherRefusals } from '#shared/rules/vouchers.ts';
import {
  countTakenUses,
  countVoucherUse,
  deleteLapsedReservations,
  deleteReservation,
  deleteSpentUse,
  disableVoucher,
  findVoucher,
  insertVoucher,
  isSpentByCheckout,
  isSpentByPerson,
  listVouchers,
  lockVoucher,
  storeReservation,
  storeSpentUse,
  type Use,
  uncountVoucherUse,
  type VoucherRow,
} from './vouchers.repository.ts';

export type NewVoucherCode = Discount & {
  code: string;
  maxUses: number | null;
  validFrom: Date | null;
  validUntil: Date | null;
};

/** A voucher code, and the address of the person who wants to use it. The address is null if it is unknown. */
type VoucherRequest = { code: string; email: string | null };

/** Use of a voucher by the person with this address. */
type PersonUse = Omit<Use, 'personHash'> & { email: string };

/** Returns the voucher of a code, without using it. @throws AppError with the reason if it can't be used. */
export async function checkVoucher(
  app: App,
  executor: Executor,
  request: VoucherRequest,
  at: Date,
): Promise<VoucherRow> {
  return checked(app, executor, await findVoucher(executor, request.code), request, at);
}

/** Checks as `checkVoucher` does, and locks the voucher until the transaction ends. */
export async function checkAndLockVoucher(
  app: App,
  tx: Executor,
  request: VoucherRequest,
  at: Date,
): Promise<VoucherRow> {
  const found = await findVoucher(tx, request.code);
  return checked(app, tx, found && (await lockVoucher(tx, found.id)), request, at);
}

/** Reserves a use for a person at a checkout, until the time `until`. The caller has locked the voucher. */
export function reserveVoucher(app: App, tx: Executor, { email, ...use }: PersonUse, until: Date): Promise<void> {
  return storeReservation(tx, { ...use, personHash: voucherPersonOf(app, email) }, until);
}

/** Releases the use that is reserved for a checkout. */
export function releaseVoucherReservation(tx: Executor, checkoutId: string): Promise<void> {
  return deleteReservation(tx, checkoutId);
}

export function deleteLapsedVoucherReservations(tx: Executor, at: Date): Promise<void> {
  return deleteLapsedReservations(tx, at);
}

/** Spends a use without a check, because its price was paid or is nothing. A use beyond the limit is only recorded. */
export async function spendVoucher(app: App, tx: Executor, { email, ...rest }: PersonUse, at: Date): Promise<void> {
  const use = { ...rest, personHash: voucherPersonOf(app, email) };
  await lockVoucher(tx, use.voucherCodeId);
  if (await isSpentByCheckout(tx, use)) return;
  const isFirst = await storeSpentUse(tx, use, at);
  const isWithin = isFirst && (await countVoucherUse(tx, use.voucherCodeId));
  await record(app, tx, isWithin ? 'voucher.use' : 'voucher.overuse', use, at);
}

/**
 * Spends a use for a price that is agreed and not paid yet. Returns false if other people have taken every use. An
 * expired voucher is accepted, because it was valid when the price was shown.
 */
export async function spendVoucherIfLeft(
  app: App,
  tx: Executor,
  { email, ...rest }: PersonUse,
  at: Date,
): Promise<boolean> {
  const use = { ...rest, personHash: voucherPersonOf(app, email) };
  const { voucherCodeId, personHash } = use;
  const voucher = await lockVoucher(tx, voucherCodeId);
  if (await isSpentByCheckout(tx, use)) return true;
  const isLeft =
    voucher !== null && (voucher.maxUses === null || (await takenUses(tx, voucher, personHash, at)) < voucher.maxUses);
  const isTaken = isLeft && (await storeSpentUse(tx, use, at)) && (await countVoucherUse(tx, voucherCodeId));
  await record(app, tx, isTaken ? 'voucher.use' : 'voucher.refuse', use, at);
  return isTaken;
}

/** Spends as `spendVoucherIfLeft` does. Returns false also if the operator has disabled the voucher. */
export async function spendVoucherIfActive(app: App, tx: Executor, use: PersonUse, at: Date): Promise<boolean> {
  const voucher = await lockVoucher(tx, use.voucherCodeId);
  return voucher?.isActive === true && (await spendVoucherIfLeft(app, tx, use, at));
}

/** Undoes a use of this checkout, because its price will not be charged. */
export async function returnVoucher(app: App, tx: Executor, { email, ...rest }: PersonUse, at: Date): Promise<void> {
  const use = { ...rest, personHash: voucherPersonOf(app, email) };
  await lockVoucher(tx, use.voucherCodeId);
  if (!(await deleteSpentUse(tx, use))) return;
  await uncountVoucherUse(tx, use.voucherCodeId);
  await record(app, tx, 'voucher.return', use, at);
}

/** Keyed hash of an address. Without the installation's key, no reader of the rows can test addresses against it. */
export function voucherPersonOf(app: App, email: string): string {
  return app.serviceKeys.derive('voucher-person', email);
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

async function checked(
  app: App,
  executor: Executor,
  voucher: VoucherRow | null,
  request: VoucherRequest,
  at: Date,
): Promise<VoucherRow> {
  const personHash = request.email === null ? null : voucherPersonOf(app, request.email);
  const facts = voucher && {
    ...voucher,
    takenUses: await takenUses(executor, voucher, personHash, at),
    isUsedByPerson: personHash !== null && (await isSpentByPerson(executor, voucher.id, personHash)),
  };
  const refusal = voucherRefusal(facts, at);
  if (refusal || !voucher) throw refused(refusal ?? 'invalid');
  return voucher;
}

/** Counts the uses and reservations of other people. The voucher's own count may be higher, such as for uses that an operator added. */
async function takenUses(executor: Executor, voucher: VoucherRow, personHash: string | null, at: Date) {
  const counted = await countTakenUses(executor, { voucherCodeId: voucher.id, personHash, at });
  return Math.max(voucher.currentUses, counted);
}

function refused(refusal: VoucherRefusal): AppError {
  return new AppError(refusal === 'invalid' ? 'NOT_FOUND' : 'CONFLICT', voucherRefusals[refusal]);
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
