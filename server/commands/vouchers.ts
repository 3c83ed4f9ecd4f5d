import type { App } from '#server/app.ts';
import { createVoucher, disableVoucherCode, listVoucherCodes } from '#server/features/vouchers/vouchers.ts';
import { openInstallation } from '#server/installation.ts';
import { loadSettings } from '#server/settings.ts';
import { AppError } from '#shared/contract/errors.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { normalizedCode, voucherCodeLengthMax, voucherPercentMax } from '#shared/rules/vouchers.ts';
import { type Command, CommandError, type CommandOptions } from './command.ts';

const usage = [
  'vouchers create CODE free [--uses 5] [--from 2026-12-01] [--until 2026-12-31] [--json]',
  'vouchers create CODE 20 [--uses 5] [--from 2026-12-01] [--until 2026-12-31] [--json]',
  'vouchers list [--json]',
  'vouchers disable CODE [--json]',
];
const takes = ['uses', 'from', 'until'];

export const vouchersCommand: Command = {
  usage,
  takes,
  wordsMax: 3,
  summary:
    'Creates, lists and disables vouchers. A number is the discount in percent. Each person can use a voucher once. Days are those of London, the last one included.',
  async run([verb, ...words], options) {
    const act = wanted(verb, words, options);
    const installation = await openInstallation(loadSettings());
    try {
      await act(installation, (await installation.clock.now()).getTime());
    } catch (error) {
      if (error instanceof AppError) throw new CommandError(error.message);
      throw error;
    } finally {
      await installation.close();
    }
  },
};

type Act = (app: App, nowMs: number) => Promise<void>;

/** Parses the request and checks its words before the database is opened. */
function wanted(verb: string | undefined, words: readonly string[], { json, given }: CommandOptions): Act {
  const [code, discount] = words;
  const wordsMax = { create: 2, list: 0, disable: 1 };
  if (verb !== 'create' && verb !== 'list' && verb !== 'disable') {
    throw new CommandError('Use vouchers create, vouchers list or vouchers disable.', 2);
  }
  if (words.length > wordsMax[verb]) throw new CommandError(`There is one argument too many. ${usageOf(verb)}`, 2);
  if (verb !== 'create' && given.size > 0) {
    throw new CommandError(`--${[...given.keys()][0]} goes with vouchers create only.`, 2);
  }
  if (verb === 'list') return async (app) => print(await listVoucherCodes(app), json);
  if (verb === 'disable') {
    const normal = readCode(code);
    return async (app) => {
      await disableVoucherCode(app, normal);
      if (json) console.log(JSON.stringify({ code: normal, isActive: false }));
      else console.log(`${normal} can no longer be used. Plans that were bought with it stay.`);
    };
  }
  const voucher = readVoucher(code, discount, given);
  return async (app, nowMs) => {
    const { validFrom, validUntil } = voucher;
    if (validUntil && validUntil.getTime() <= nowMs) throw new CommandError('The last day has passed already.', 2);
    await createVoucher(app, voucher);
    if (json) console.log(JSON.stringify(voucher));
    else if (validFrom && validFrom.getTime() > nowMs) {
      console.log(`${voucher.code} can be used from ${dayWords.format(validFrom)}.`);
    } else console.log(`${voucher.code} can be used now.`);
  };
}

function usageOf(verb: string): string {
  return `Use ${usage.filter((line) => line.startsWith(`vouchers ${verb}`)).join(', or ')}.`;
}

function readVoucher(code: string | undefined, discount: string | undefined, given: ReadonlyMap<string, string>) {
  const isFree = discount?.toLowerCase() === 'free';
  const discountValue = isFree ? 100 : Number(discount);
  if (!isFree && !(/^\d{1,3}(\.\d{1,2})?$/.test(discount ?? '') && discountValue > 0)) {
    throw new CommandError('Give free, or the discount in percent, such as 20 or 12.5.', 2);
  }
  if (!isFree && discountValue > voucherPercentMax) {
    throw new CommandError(
      `More than ${voucherPercentMax} percent leaves less than cards can be charged. Use free.`,
      2,
    );
  }
  const uses = given.get('uses');
  if (uses !== undefined && !/^[1-9]\d{0,8}$/.test(uses)) {
    throw new CommandError('--uses is a whole number above 0.', 2);
  }
  const validFrom = readDay('from', given);
  const validUntil = readDay('until', given, 1);
  if (validFrom && validUntil && validUntil <= validFrom) {
    throw new CommandError('The last day is before the first one.', 2);
  }
  return {
    code: readCode(code),
    discountType: isFree ? ('free' as const) : ('percentage' as const),
    discountValue,
    maxUses: uses === undefined ? null : Number(uses),
    validFrom,
    validUntil,
  };
}

function readCode(code: string | undefined): string {
  const normal = normalizedCode(code ?? '');
  if (normal.length > voucherCodeLengthMax || !/^[A-Z0-9_-]{3,}$/.test(normal)) {
    throw new CommandError(`A code has 3 to ${voucherCodeLengthMax} letters, digits and dashes.`, 2);
  }
  return normal;
}

/** The beginning of a day in London, or of one so many days later; null where none is given. */
function readDay(name: string, given: ReadonlyMap<string, string>, laterDays = 0): Date | null {
  const text = given.get(name);
  if (text === undefined) return null;
  const [, year, month, day] = (/^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? []).map(Number);
  const ms = year && month && day ? Date.UTC(year, month - 1, day) : Number.NaN;
  // The thirtieth of February would pass for the second of March.
  if (Number.isNaN(ms) || new Date(ms).getUTCDate() !== day || new Date(ms).getUTCMonth() + 1 !== month) {
    throw new CommandError(`--${name} is a day such as 2026-12-31.`, 2);
  }
  return londonMidnight(new Date(ms + laterDays * dayMs));
}

/** London is on universal time or an hour ahead, and never changes at midnight. */
function londonMidnight(utcMidnight: Date): Date {
  return londonHour.format(utcMidnight) === '00' ? utcMidnight : new Date(utcMidnight.getTime() - hourMs);
}

const hourMs = 3_600_000;
const londonHour = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', hourCycle: 'h23', timeZone: 'Europe/London' });
const dayWords = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'Europe/London' });

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

function print(vouchers: readonly Shown[], json: boolean): void {
  if (json) {
    console.log(JSON.stringify(vouchers));
    return;
  }
  if (vouchers.length === 0) console.log('There are no vouchers.');
  for (const { code, discountType, discountValue, currentUses, maxUses, validFrom, validUntil, isActive } of vouchers) {
    const discount = discountType === 'free' ? 'free' : `${discountValue}% off`;
    const words = [
      `used ${currentUses} of ${maxUses ?? 'any number of'} times`,
      ...(validFrom ? [`from ${dayWords.format(validFrom)}`] : []),
      // The voucher ends at the beginning of a day, but people name the last day.
      ...(validUntil ? [`until ${dayWords.format(new Date(validUntil.getTime() - 1))}`] : []),
      ...(isActive ? [] : ['disabled']),
    ];
    console.log(`${code}: ${discount}, ${words.join(', ')}`);
  }
}
