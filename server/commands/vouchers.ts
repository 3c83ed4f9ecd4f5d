import { parseArgs } from 'node:util';
import { openInstallation } from '#server/installation.ts';
import { loadSettings } from '#server/settings.ts';
import { AppError } from '#shared/contract/errors.ts';
import { normalizedCode, voucherCodeLengthMax, voucherPercentMax } from '#shared/rules/vouchers.ts';
import { type Command, CommandError, type CommandOptions } from './command.ts';

const usage = [
  'vouchers create CODE free [--uses 5] [--from 2026-12-01] [--until 2026-12-31]',
  'vouchers create CODE 20 [--uses 5] [--from 2026-12-01] [--until 2026-12-31]',
  'vouchers list [--json]',
  'vouchers disable CODE',
];

export const vouchersCommand: Command = {
  usage,
  summary:
    'Makes, lists and disables vouchers. A number is the percentage that is taken off; each person uses one once.',
  async run([verb, code, discount], options) {
    if (verb !== 'create' && verb !== 'list' && verb !== 'disable') {
      throw new CommandError('Say vouchers create, vouchers list or vouchers disable.', 2);
    }
    const wanted = verb === 'create' ? readVoucher(code, discount) : null;
    const installation = await openInstallation(loadSettings());
    const { vouchers } = installation.services.billing;
    try {
      if (wanted) {
        await vouchers.create(wanted);
        console.log(`${wanted.code} can be used now.`);
      } else if (verb === 'disable') {
        await vouchers.disable(readCode(code));
        console.log(`${readCode(code)} cannot be used any more. What was bought with it stays.`);
      } else print(await vouchers.list(), options);
    } catch (error) {
      if (error instanceof AppError) throw new CommandError(error.message);
      throw error;
    } finally {
      await installation.close();
    }
  },
};

function readVoucher(code: string | undefined, discount: string | undefined) {
  const { uses, from, until } = readOptions();
  const isFree = discount === 'free';
  const discountValue = isFree ? 100 : Number(discount);
  if (!isFree && !(/^\d{1,2}(\.\d{1,2})?$/.test(discount ?? '') && discountValue > 0)) {
    throw new CommandError('Say free, or the percentage that is taken off, such as 20 or 12.5.', 2);
  }
  if (!isFree && discountValue > voucherPercentMax) {
    throw new CommandError(
      `More than ${voucherPercentMax} percent leaves less than cards can be charged. Say free.`,
      2,
    );
  }
  if (uses !== undefined && !/^[1-9]\d{0,8}$/.test(uses))
    throw new CommandError('--uses is a whole number above 0.', 2);
  return {
    code: readCode(code),
    discountType: isFree ? ('free' as const) : ('percentage' as const),
    discountValue,
    maxUses: uses === undefined ? null : Number(uses),
    validFrom: readDay(from),
    validUntil: readDay(until, dayMs),
  };
}

const dayMs = 86_400_000;

function readCode(code: string | undefined): string {
  const normal = normalizedCode(code ?? '');
  if (normal.length > voucherCodeLengthMax || !/^[A-Z0-9_-]{3,}$/.test(normal)) {
    throw new CommandError(`A code has 3 to ${voucherCodeLengthMax} letters, digits and dashes.`, 2);
  }
  return normal;
}

/** A day in UTC; its beginning, or so much later. */
function readDay(text: string | undefined, laterMs = 0): Date | null {
  if (text === undefined) return null;
  const ms = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(ms)) throw new CommandError('Give a day such as 2026-12-31.', 2);
  return new Date(ms + laterMs);
}

/** The words of this command that come with a name; the others were read before. */
function readOptions() {
  const options = { uses: { type: 'string' }, from: { type: 'string' }, until: { type: 'string' } } as const;
  const { values } = parseArgs({ args: process.argv.slice(2), allowPositionals: true, strict: false, options });
  return values as { uses?: string; from?: string; until?: string };
}

type Shown = {
  code: string;
  discountType: string;
  discountValue: number;
  currentUses: number;
  maxUses: number | null;
  validFrom: Date | null;
  validUntil: Date | null;
  isActive: boolean;
};

function print(vouchers: readonly Shown[], { json }: CommandOptions): void {
  if (json) {
    console.log(JSON.stringify(vouchers));
    return;
  }
  if (vouchers.length === 0) console.log('There are no vouchers.');
  for (const { code, discountType, discountValue, currentUses, maxUses, validFrom, validUntil, isActive } of vouchers) {
    const discount = discountType === 'free' ? 'free' : `${discountValue}% off`;
    const words = [
      `used ${currentUses} of ${maxUses ?? 'any number of'} times`,
      ...(validFrom ? [`from ${validFrom.toISOString()}`] : []),
      ...(validUntil ? [`until ${validUntil.toISOString()}`] : []),
      ...(isActive ? [] : ['disabled']),
    ];
    console.log(`${code}: ${discount}, ${words.join(', ')}`);
  }
}
