import { randomUUID } from 'node:crypto';
import type { Audit } from '#server/features/audit/audit.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import { hashToken } from '#server/platform/crypto/token.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import { AppError } from '#shared/contract/errors.ts';
import { type Discount, type VoucherRefusal, voucherRefusal, voucherRefusals } from '#shared/rules/vouchers.ts';
import {
  countTakenUses,
  countVoucherUse,
  deleteLapsedHolds,
  disableVoucher,
  findVoucher,
  hasSpentVoucher,
  holdVoucher,
  insertVoucher,
  listVouchers,
  lockVoucher,
  releaseHold,
  spendVoucher,
  type Use,
  type VoucherRow,
} from './vouchers.repository.ts';

export type NewVoucherCode = Discount & {
  code: string;
  maxUses: number | null;
  validFrom: Date | null;
  validUntil: Date | null;
};

/** A voucher, and whose it would be. */
type Wish = { code: string; email: string | null };

export type Vouchers = {
  /** What a code takes off. Looking uses nothing up. @throws AppError with the reason why it cannot be used. */
  look(executor: Executor, wish: Wish, at: Date): Promise<VoucherRow>;
  /** The same under the voucher's lock, so that what is decided on it holds until the transaction ends. */
  claim(tx: Executor, wish: Wish, at: Date): Promise<VoucherRow>;
  /** Keeps a use for whoever stands before a checkout; it counts until then. The voucher is claimed. */
  hold(tx: Executor, use: Omit<Use, 'personHash'> & { email: string }, until: Date): Promise<void>;
  /** Uses it for good. What was asked is honoured: a use too many is written down and refused to nobody who paid. */
  spend(tx: Executor, use: Omit<Use, 'personHash'> & { email: string }, at: Date): Promise<void>;
  release(tx: Executor, checkoutId: string): Promise<void>;
  tidy(tx: Executor, at: Date): Promise<void>;
  /** For the operator. @throws AppError `CONFLICT` where the code is taken. */
  create(voucher: NewVoucherCode): Promise<void>;
  list(): Promise<VoucherRow[]>;
  /** @throws AppError `NOT_FOUND`. */
  disable(code: string): Promise<void>;
};

type Dependencies = { db: Database; clock: Clock; audit: Audit };

export function createVouchers({ db, clock, audit }: Dependencies): Vouchers {
  async function checked(executor: Executor, voucher: VoucherRow | null, wish: Wish, at: Date): Promise<VoucherRow> {
    const personHash = wish.email === null ? null : hashToken(wish.email);
    const facts = voucher && {
      ...voucher,
      takenUses: await countTakenUses(executor, { voucherCodeId: voucher.id, personHash, at }),
      isUsedByPerson: personHash !== null && (await hasSpentVoucher(executor, voucher.id, personHash)),
    };
    const refusal = voucherRefusal(facts, at);
    if (refusal || !voucher) throw refused(refusal ?? 'invalid');
    return voucher;
  }

  return {
    look: async (executor, wish, at) => checked(executor, await findVoucher(executor, wish.code), wish, at),

    async claim(tx, wish, at) {
      const found = await findVoucher(tx, wish.code);
      return checked(tx, found && (await lockVoucher(tx, found.id)), wish, at);
    },

    hold: (tx, { email, ...use }, until) => holdVoucher(tx, { ...use, personHash: hashToken(email) }, until),

    async spend(tx, { email, ...use }, at) {
      await lockVoucher(tx, use.voucherCodeId);
      const isFirst = await spendVoucher(tx, { ...use, personHash: hashToken(email) }, at);
      const isWithin = isFirst && (await countVoucherUse(tx, use.voucherCodeId));
      await audit.record(tx, {
        userId: use.userId,
        action: isWithin ? 'voucher.use' : 'voucher.overuse',
        resource: 'voucher',
        resourceId: use.voucherCodeId,
        details: { checkout: use.checkoutId },
        at,
      });
    },

    release: releaseHold,
    tidy: deleteLapsedHolds,

    create: (voucher) =>
      db.transaction(async (tx) => {
        const at = await clock.now(tx);
        const id = randomUUID();
        const isNew = await insertVoucher(tx, { ...voucher, id, createdAt: at });
        if (!isNew) throw new AppError('CONFLICT', 'There is a voucher with this code already.');
        await audit.record(tx, { userId: null, action: 'voucher.create', resource: 'voucher', resourceId: id, at });
      }),

    list: () => listVouchers(db),

    disable: (code) =>
      db.transaction(async (tx) => {
        const at = await clock.now(tx);
        const id = await disableVoucher(tx, code);
        if (!id) throw new AppError('NOT_FOUND', 'There is no voucher with this code.');
        await audit.record(tx, { userId: null, action: 'voucher.disable', resource: 'voucher', resourceId: id, at });
      }),
  };
}

function refused(refusal: VoucherRefusal): AppError {
  return new AppError(refusal === 'invalid' ? 'NOT_FOUND' : 'CONFLICT', voucherRefusals[refusal]);
}
