import { randomUUID } from 'node:crypto';
import type { Audit } from '#server/features/audit/audit.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';
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
  isSpentBy,
  listVouchers,
  lockVoucher,
  releaseHold,
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

/** A voucher, and whose it would be. */
type Wish = { code: string; email: string | null };

/** Whose use, with the address that tells people apart. */
type PersonUse = Omit<Use, 'personHash'> & { email: string };

export type Vouchers = {
  /** What a code takes off. Looking uses nothing up. @throws AppError with the reason why it cannot be used. */
  look(executor: Executor, wish: Wish, at: Date): Promise<VoucherRow>;
  /** The same under the voucher's lock, so that what is decided on it holds until the transaction ends. */
  claim(tx: Executor, wish: Wish, at: Date): Promise<VoucherRow>;
  /** Keeps a use for whoever stands before a checkout; it counts until then. The voucher is claimed. */
  hold(tx: Executor, use: PersonUse, until: Date): Promise<void>;
  /**
   * Uses it for a price that was agreed to and is not paid yet, where a use is held for this person or left for anybody;
   * otherwise gives false. A voucher that has ended meanwhile counts: it was good when the price was shown.
   */
  take(tx: Executor, use: PersonUse, at: Date): Promise<boolean>;
  /** Does the same as `take`, and returns false too if the operator has disabled the voucher. */
  takeIfActive(tx: Executor, use: PersonUse, at: Date): Promise<boolean>;
  /** Takes back a use of a price that is not to come any more. */
  giveBack(tx: Executor, use: PersonUse, at: Date): Promise<void>;
  /** Uses it for good. What was asked is honoured: a use too many is written down and refused to nobody who paid. */
  spend(tx: Executor, use: PersonUse, at: Date): Promise<void>;
  release(tx: Executor, checkoutId: string): Promise<void>;
  tidy(tx: Executor, at: Date): Promise<void>;
  /** How a person is told apart in rows: nothing can be tried against it without a key of the installation. */
  personOf(email: string): string;
  /** For the operator. @throws AppError `CONFLICT` where the code is taken. */
  create(voucher: NewVoucherCode): Promise<void>;
  list(): Promise<VoucherRow[]>;
  /** @throws AppError `NOT_FOUND`. */
  disable(code: string): Promise<void>;
};

type Dependencies = { db: Database; clock: Clock; audit: Audit; serviceKeys: Pick<ServiceKeys, 'derive'> };

export function createVouchers({ db, clock, audit, serviceKeys }: Dependencies): Vouchers {
  /** Whoever reads the rows cannot try addresses against them: that takes a key of this installation. */
  const personOf = (email: string) => serviceKeys.derive('voucher-person', email);

  /** Rows tell of uses and holds; the count that is written on the voucher may know of more, such as given out by hand. */
  async function takenUses(executor: Executor, voucher: VoucherRow, personHash: string | null, at: Date) {
    const counted = await countTakenUses(executor, { voucherCodeId: voucher.id, personHash, at });
    return Math.max(voucher.currentUses, counted);
  }

  async function checked(executor: Executor, voucher: VoucherRow | null, wish: Wish, at: Date): Promise<VoucherRow> {
    const personHash = wish.email === null ? null : personOf(wish.email);
    const facts = voucher && {
      ...voucher,
      takenUses: await takenUses(executor, voucher, personHash, at),
      isUsedByPerson: personHash !== null && (await hasSpentVoucher(executor, voucher.id, personHash)),
    };
    const refusal = voucherRefusal(facts, at);
    if (refusal || !voucher) throw refused(refusal ?? 'invalid');
    return voucher;
  }

  async function record(tx: Executor, action: string, use: Use, at: Date): Promise<void> {
    const { userId, voucherCodeId: resourceId, checkoutId } = use;
    await audit.record(tx, { userId, action, resource: 'voucher', resourceId, details: { checkout: checkoutId }, at });
  }

  async function take(tx: Executor, { email, ...person }: PersonUse, at: Date): Promise<boolean> {
    const use = { ...person, personHash: personOf(email) };
    const { voucherCodeId, personHash } = use;
    const voucher = await lockVoucher(tx, voucherCodeId);
    if (await isSpentBy(tx, use)) return true;
    const isLeft =
      voucher !== null &&
      (voucher.maxUses === null || (await takenUses(tx, voucher, personHash, at)) < voucher.maxUses);
    const isTaken = isLeft && (await spendVoucher(tx, use, at)) && (await countVoucherUse(tx, voucherCodeId));
    await record(tx, isTaken ? 'voucher.use' : 'voucher.refuse', use, at);
    return isTaken;
  }

  return {
    look: async (executor, wish, at) => checked(executor, await findVoucher(executor, wish.code), wish, at),

    async claim(tx, wish, at) {
      const found = await findVoucher(tx, wish.code);
      return checked(tx, found && (await lockVoucher(tx, found.id)), wish, at);
    },

    hold: (tx, { email, ...use }, until) => holdVoucher(tx, { ...use, personHash: personOf(email) }, until),

    async spend(tx, { email, ...person }, at) {
      const use = { ...person, personHash: personOf(email) };
      await lockVoucher(tx, use.voucherCodeId);
      if (await isSpentBy(tx, use)) return;
      const isFirst = await spendVoucher(tx, use, at);
      const isWithin = isFirst && (await countVoucherUse(tx, use.voucherCodeId));
      await record(tx, isWithin ? 'voucher.use' : 'voucher.overuse', use, at);
    },

    take,

    async takeIfActive(tx, use, at) {
      const voucher = await lockVoucher(tx, use.voucherCodeId);
      return voucher?.isActive === true && (await take(tx, use, at));
    },

    async giveBack(tx, { email, ...person }, at) {
      const use = { ...person, personHash: personOf(email) };
      await lockVoucher(tx, use.voucherCodeId);
      if (!(await unspendVoucher(tx, use))) return;
      await uncountVoucherUse(tx, use.voucherCodeId);
      await record(tx, 'voucher.return', use, at);
    },

    release: releaseHold,
    tidy: deleteLapsedHolds,
    personOf,

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
