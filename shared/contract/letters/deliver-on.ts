import { z } from 'zod';
import { deliverMonthsMax, deliverMonthsMin } from '#shared/rules/deliver-on.ts';

const wanted = 'Choose a day, or a number of months from 1 to 1,200';
/** The last day that a letter can wait for: a number of years that everybody can read. */
const lastDay = '2199-12-31';

/** Day of delivery: with the release, on a fixed day, or a number of months after the release. */
export const deliverOn = z
  .union(
    [
      z.iso.date(wanted).refine((day) => day <= lastDay, wanted),
      z.object({ months: z.int(wanted).min(deliverMonthsMin, wanted).max(deliverMonthsMax, wanted) }),
    ],
    wanted,
  )
  .nullable()
  .meta({ id: 'DeliverOn' });
